"""One HTTP call, bounded in time and size, to an address that was checked when connecting.

aiohttp: a fifth of the time per call of the next well-kept client (docs/decisions/0003).
"""

import asyncio
import errno
import socket
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
from aiohttp.abc import AbstractResolver

from .addresses import guarded_socket
from .contracts import ErrorCode

MAX_BODY_BYTES = 8 * 1024 * 1024
_BLOCK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Answered:
    """What the server sent, whatever its status; `latency_ms` up to the last byte."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    latency_ms: int


@dataclass(frozen=True, slots=True)
class Failed:
    """Why no whole answer came; the sentence never quotes a header."""

    code: ErrorCode
    detail: str
    latency_ms: int


class BodyTooLargeError(Exception):
    pass


class Client:
    """Sends requests of one target; at most `concurrency` at once, the rest waits its turn."""

    def __init__(self, session: aiohttp.ClientSession, concurrency: int, timeout_s: float) -> None:
        self._session = session
        self._slots = asyncio.Semaphore(concurrency)
        self._timeout_s = timeout_s

    async def send(
        self,
        method: str,
        url: str,
        *,
        body: bytes | None,
        headers: Mapping[str, str],
        reads: bool = True,
    ) -> Answered | Failed:
        """Where nothing is to be read, status and headers are the answer, whatever comes behind."""
        async with self._slots:
            started = time.perf_counter()
            try:
                return await self._exchange(method, url, body, headers, started, reads)
            except (aiohttp.ClientError, OSError, TimeoutError, BodyTooLargeError) as error:
                code, detail = self._reason(error)
                return Failed(code, detail, _since(started))

    async def _exchange(
        self,
        method: str,
        url: str,
        body: bytes | None,
        headers: Mapping[str, str],
        started: float,
        reads: bool,
    ) -> Answered:
        async with self._session.request(
            method, url, data=body, headers=headers, allow_redirects=False
        ) as response:
            content = await _bounded_body(response) if reads else b""
            if not reads:
                response.close()
            return Answered(response.status, response.headers, content, _since(started))

    def _reason(self, error: Exception) -> tuple[ErrorCode, str]:
        if isinstance(error, TimeoutError):
            return "timeout", f"No whole answer within {self._timeout_s:g} s."
        if isinstance(error, BodyTooLargeError):
            return "invalid_response", f"The answer is larger than {MAX_BODY_BYTES >> 20} MB."
        return _reason_of_connection(error)


@asynccontextmanager
async def open_client(
    concurrency: int, timeout_s: float, resolver: AbstractResolver | None = None
) -> AsyncIterator[Client]:
    """A client with a connection pool of its own; proxies of the environment are not used."""
    connector = aiohttp.TCPConnector(
        limit=concurrency, resolver=resolver, socket_factory=guarded_socket
    )
    async with aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=timeout_s),
        headers={"accept": "application/json", "accept-encoding": "identity"},
        auto_decompress=False,
        trust_env=False,
    ) as session:
        yield Client(session, concurrency, timeout_s)


async def _bounded_body(response: aiohttp.ClientResponse) -> bytes:
    if (response.content_length or 0) > MAX_BODY_BYTES:
        response.close()
        raise BodyTooLargeError
    if response.content_length is not None:
        return await response.read()
    blocks = []
    size = 0
    async for block in response.content.iter_chunked(_BLOCK):
        size += len(block)
        if size > MAX_BODY_BYTES:
            response.close()
            raise BodyTooLargeError
        blocks.append(block)
    return b"".join(blocks)


def _reason_of_connection(error: Exception) -> tuple[ErrorCode, str]:
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(cause, OSError) and cause.errno == errno.EACCES:
        return "invalid_request", "The address is a cloud metadata or link-local one: refused."
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return "invalid_request", "The server's certificate is not valid."
    if isinstance(error, aiohttp.ClientSSLError | ssl.SSLError):
        return "invalid_request", "TLS failed: is the address really an https one?"
    if isinstance(cause, socket.gaierror) and cause.errno != socket.EAI_AGAIN:
        return "invalid_request", "The host name is not known."
    if isinstance(error, aiohttp.ClientPayloadError):
        return "service_unavailable", "The connection broke off in the middle of the answer."
    if isinstance(error, aiohttp.ClientResponseError):
        return "invalid_response", "The server does not speak HTTP as it should."
    if isinstance(error, aiohttp.InvalidURL):
        return "invalid_request", "The address is not valid."
    if isinstance(error, aiohttp.ClientConnectorError):
        return "service_unavailable", "No connection: the server does not accept one."
    return "service_unavailable", "The server closed the connection before it answered."


def _since(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)
