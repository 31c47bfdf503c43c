"""Our own server is told no key before it has proved to be ours: any process may take its port.

Every connection begins with a challenge. Whoever holds the other end of it then keeps it until it
ends, so what has proved itself is what all that follows is sent to.
"""

import hmac
import re
import secrets
import time
from collections.abc import Iterable

import httpcore
import httpx

from apps.labeling.desk.protocol import DeskDown
from apps.labeling.members.tickets import proof

PATH = "/evalhub/proof"
SECONDS = 5.0
LONGEST = 4_096
ACCEPTED, LENGTH = b"HTTP/1.1 200 ", 64
PROOF = re.compile(ACCEPTED + rb".*?\r\n\r\n([0-9a-f]{64})", re.DOTALL)
NOT_OURS = (
    "What listens at {} is not our Argilla server, so it is told nothing. End it, and Argilla "
    "starts by itself; or choose another port with EVALHUB_ARGILLA_PORT and start again."
)


class OwnServerOnly(httpx.HTTPTransport):
    """DeskDown where somebody else answers; a server without the key cannot prove itself.

    Who says nothing is too slow, like any server: httpx.TimeoutException.
    """

    def __init__(self, key: str) -> None:
        super().__init__()
        self._pool = httpcore.ConnectionPool(network_backend=_Proven(key))


class _Proven(httpcore.SyncBackend):
    def __init__(self, key: str) -> None:
        self._key = key

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        stream = super().connect_tcp(host, port, timeout, local_address, socket_options)
        place = f"{host}:{port}"
        challenge = secrets.token_hex(32)
        seconds = min(SECONDS, SECONDS if timeout is None else timeout)
        try:
            told = _asked(stream, place, challenge, seconds)
        except BaseException:
            stream.close()
            raise
        if not hmac.compare_digest(told, proof(challenge, key=self._key)):
            stream.close()
            raise DeskDown(NOT_OURS.format(place))
        return stream


def _asked(stream: httpcore.NetworkStream, place: str, challenge: str, seconds: float) -> str:
    """What it answers to the challenge, and not a byte more; empty where that is no proof."""
    deadline = time.monotonic() + seconds
    ask = f"GET {PATH}?of={challenge} HTTP/1.1\r\nHost: {place}\r\n\r\n"
    answer = b""
    try:
        stream.write(ask.encode(), seconds)
        while (left := deadline - time.monotonic()) > 0 and _may_become_one(answer):
            part = stream.read(LONGEST, left)
            if not part:
                break
            answer += part
        if not answer and left <= 0:
            raise httpcore.ReadTimeout
    except httpcore.TimeoutException:
        if not answer:
            raise
    found = PROOF.fullmatch(answer)
    return found[1].decode() if found else ""


def _may_become_one(answer: bytes) -> bool:
    _, _, body = answer.partition(b"\r\n\r\n")
    is_accepted = answer[: len(ACCEPTED)] == ACCEPTED[: len(answer)]
    return is_accepted and len(answer) < LONGEST and len(body) < LENGTH
