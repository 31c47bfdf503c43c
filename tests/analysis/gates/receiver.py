"""A server on loopback that is told of decisions, keeps what it hears and answers as it is told."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass(frozen=True)
class Heard:
    """One request, byte for byte."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """`answers` are status and headers, one after the other; 204 when none is left.

    With `holding` it keeps a caller waiting until `go` is set.
    """

    address: str
    heard: list[Heard] = field(default_factory=list)
    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    holding: bool = False
    go: Event = field(default_factory=Event)

    def answer(self, status: int, **headers: str) -> None:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers.append((status, given))


@contextmanager
def receiver() -> Iterator[Receiver]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    listening = Receiver(f"http://127.0.0.1:{server.server_port}/hooks/gate")
    server.told = listening  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever, args=[0.05], daemon=True)
    thread.start()
    yield listening
    listening.go.set()
    server.shutdown()
    server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        told: Receiver = self.server.told  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        told.heard.append(Heard(self.path, headers, body))
        if told.holding:
            told.go.wait(60)
        status, more = told.answers.pop(0) if told.answers else (204, {})
        self._say(status, more)

    do_GET = do_POST

    def _say(self, status: int, headers: dict[str, str]) -> None:
        content = b"" if status == 204 else b"what the receiver says"
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "content-length" not in headers:
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: Any) -> None:
        """Nothing on the screen."""
