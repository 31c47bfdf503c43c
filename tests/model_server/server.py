"""The server itself: one asyncio process, HTTP/1.1 parsed by httptools, every wait bounded."""

import asyncio
import functools
import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httptools
import orjson

from . import replies
from .counters import Counters
from .plan import Fault, Plan, answer_of, digest_of, fault_of, plan_of

LONGEST_WAIT_S = 60
HUGE_BYTES = 12 * 1024 * 1024
_HEAD = b"HTTP/1.1 %d Planned\r\ncontent-type: application/json\r\ncontent-length: %d\r\n%s\r\n"


class State:
    """Shared by all connections of the process."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.counters = Counters()
        self.last_request: dict[str, Any] = {}


class Connection(asyncio.Protocol):
    """One client: a request is read, decided upon and answered, then the next."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.loop = asyncio.get_running_loop()

    # -- what asyncio and httptools call ------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.parser = httptools.HttpRequestParser(self)
        self.state.counters.connections += 1

    def data_received(self, data: bytes) -> None:
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:
            self.transport.close()

    def on_message_begin(self) -> None:
        self.url = b""
        self.headers: dict[str, str] = {}
        self.blocks: list[bytes] = []

    def on_url(self, url: bytes) -> None:
        self.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_body(self, block: bytes) -> None:
        self.blocks.append(block)

    def on_message_complete(self) -> None:
        url = urlsplit(self.url.decode("latin-1"))
        body = b"".join(self.blocks)
        if url.path.startswith("/_"):
            return self.steer(url.path, body)
        if url.path.endswith("/models"):
            return self.send(200, b'{"object": "list", "data": [{"id": "test-model"}]}')
        try:
            request = orjson.loads(body) if body else _query(url.query)
        except orjson.JSONDecodeError:
            return self.send(400, replies.error(400, {}))
        self.state.last_request = {"url": self.url.decode("latin-1"), "body": request}
        self.state.last_request["headers"] = self.headers
        return self.decide(request, openai=url.path.endswith("/chat/completions"))

    # -- steering and counting ----------------------------------------------------------------

    def steer(self, path: str, body: bytes) -> None:
        if path == "/_plan":
            self.state.plan = plan_of(orjson.loads(body))
        if path == "/_reset":
            self.state.plan, self.state.counters = Plan(), Counters()
        answers: dict[str, Any] = {
            "/_calls": lambda: self.state.counters.calls[digest_of(body.decode())],
            "/_last": lambda: self.state.last_request,
        }
        answer = answers.get(path, self.state.counters.as_dict)
        self.send(200, orjson.dumps(answer()))

    # -- answering ----------------------------------------------------------------------------

    def decide(self, request: dict[str, Any], *, openai: bool) -> None:
        prompt, model = _prompt(request), str(request.get("model", "test-model"))
        digest = digest_of(prompt)
        counters, plan = self.state.counters, self.state.plan
        fault = fault_of(plan, prompt, digest, counters.begin(digest))
        if fault and fault.mode not in replies.BENT:
            act = functools.partial(self.fail, fault, counters)
        else:
            answer = answer_of(plan, prompt, digest, model)
            document = replies.completion(prompt, answer, model)
            body = _answer_body(
                document, replies.plain(prompt, answer), fault, self.headers, openai
            )
            act = functools.partial(self.answer, digest, body, counters)
        self.later(
            plan.latency_ms if not fault or fault.latency_ms is None else fault.latency_ms, act
        )

    def later(self, latency_ms: float, act: Any) -> None:
        if latency_ms > 0:
            self.loop.call_later(min(latency_ms / 1000, LONGEST_WAIT_S), act)
        else:
            act()

    def answer(self, digest: int, body: bytes, counters: Counters) -> None:
        counters.answer(digest)
        counters.end("200")
        self.send(200, body)

    def fail(self, fault: Fault, counters: Counters) -> None:
        counters.end(fault.mode)
        if fault.mode.isdecimal():
            self.send_status(int(fault.mode), fault.after_ms)
            return
        getattr(self, f"do_{fault.mode}")()

    def send_status(self, status: int, after_ms: int | None) -> None:
        extra = b""
        if after_ms is not None:
            extra = b"retry-after: %d\r\nretry-after-ms: %d\r\n" % (-(-after_ms // 1000), after_ms)
        self.send(status, replies.error(status, self.headers), extra)

    def send(self, status: int, body: bytes, extra: bytes = b"") -> None:
        if not self.transport.is_closing():
            self.transport.write(_HEAD % (status, len(body), extra) + body)

    # -- behaviours ---------------------------------------------------------------------------

    def do_hang(self) -> None:
        self.loop.call_later(LONGEST_WAIT_S, self.transport.abort)

    def do_reset(self) -> None:
        self.transport.abort()

    def do_malformed(self) -> None:
        self.send(200, b'{"id": "x", "choices": [{"message": {"content": "4')

    def do_not_utf8(self) -> None:
        self.send(200, b'{"choices": [{"message": {"content": "\xff\xfe"}}]}')

    def do_truncated(self) -> None:
        self.transport.write(_HEAD % (200, 5000, b"") + b'{"choices": [')
        self.transport.close()

    def do_redirect(self) -> None:
        self.send(302, b"", b"location: http://169.254.169.254/latest/meta-data/\r\n")

    def do_filtered_prompt(self) -> None:
        self.send(400, replies.FILTERED_PROMPT)

    def do_huge(self) -> None:
        self.transport.write(_HEAD % (200, HUGE_BYTES, b"") + b" " * HUGE_BYTES)

    def do_huge_chunked(self) -> None:
        self.transport.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        self.transport.write(b"%x\r\n" % HUGE_BYTES + b" " * HUGE_BYTES + b"\r\n0\r\n\r\n")

    def do_drip(self) -> None:
        self.transport.write(_HEAD % (200, 10 * LONGEST_WAIT_S, b""))
        self._drop(10 * LONGEST_WAIT_S)

    def _drop(self, left: int) -> None:
        if left and not self.transport.is_closing():
            self.transport.write(b" ")
            self.loop.call_later(0.1, self._drop, left - 1)


def _answer_body(
    document: dict[str, Any],
    plain: dict[str, Any],
    fault: Fault | None,
    headers: dict[str, str],
    openai: bool,
) -> bytes:
    if fault:
        return replies.bent(fault.mode, document, headers)
    return orjson.dumps(document if openai else plain)


def _query(query: str) -> dict[str, Any]:
    return {name: values[0] for name, values in parse_qs(query).items()}


def _prompt(request: dict[str, Any]) -> str:
    messages = request.get("messages")
    if not isinstance(messages, list):
        return str(request.get("prompt", json.dumps(request)))
    said = [m["content"] for m in messages if m["role"] == "user"]
    return str(said[-1]) if said else ""


async def serve(host: str, port: int, plan: Plan) -> asyncio.Server:
    state = State(plan)
    loop = asyncio.get_running_loop()
    return await loop.create_server(lambda: Connection(state), host, port, backlog=4096)
