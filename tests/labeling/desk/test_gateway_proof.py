"""Whoever took the port of our own server is told no key: it proves itself on every connection."""

import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from apps.labeling.desk.gateway import proving
from apps.labeling.desk.gateway.connection import Connection
from apps.labeling.desk.protocol import DeskDown
from apps.labeling.members import tickets

KEY, OWNER_KEY = "the ticket key", "the key of the owner"
ME = b'{"id": "00000000-0000-4000-8000-000000000000", "username": "evalhub", "role": "owner"}'
CHALLENGE = re.compile(r"GET /evalhub/proof\?of=([0-9a-f]{64}) HTTP/1\.1")

Answer = Callable[[str], bytes]


def ours(request: str, key: str = KEY) -> bytes:
    """As our own server answers."""
    asked = CHALLENGE.match(request)
    return said(tickets.proof(asked[1], key=key).encode() if asked else ME)


def said(body: bytes) -> bytes:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return head.encode() + b"\r\n\r\n" + body


@contextmanager
def listening(answer: Answer) -> Iterator[tuple[str, list[list[str]]]]:
    """Its address, and what it was sent on each connection."""
    heard: list[list[str]] = []

    def talk(line: socket.socket, requests: list[str]) -> None:
        with line, suppress(OSError):
            while request := line.recv(65_536).decode():
                requests.append(request)
                line.sendall(answer(request))

    def serve() -> None:
        with suppress(OSError):
            while True:
                line, _ = server.accept()
                heard.append([])
                threading.Thread(target=talk, args=(line, heard[-1]), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}", heard
        finally:
            server.shutdown(socket.SHUT_RDWR)  # who waits in accept is not woken by a close


def everything(heard: list[list[str]]) -> str:
    return "".join(request for requests in heard for request in requests)


def test_a_server_that_proves_itself_is_told_the_key_on_the_same_connection() -> None:
    with listening(ours) as (address, heard):
        Connection.open(address, OWNER_KEY, proved_by=KEY).call("GET", "me")

    [[challenge, *requests]] = heard
    assert OWNER_KEY not in challenge
    assert requests
    assert all(OWNER_KEY in request for request in requests)


@pytest.mark.parametrize(
    "answer",
    [
        lambda _request: said(ME),
        lambda request: ours(request, key="another key"),
        lambda request: said(request[20:84].encode()),
        lambda _request: b"SSH-2.0-OpenSSH\r\n",
        lambda _request: b"x" * 100_000,
        lambda request: ours(request) + said(ME),
        lambda request: ours(request).replace(b"200 OK", b"404 Not Found"),
    ],
    ids=["any", "another key", "echo", "no http", "endless", "more than the proof", "404"],
)
def test_whoever_cannot_prove_to_be_our_server_never_hears_the_key(answer: Answer) -> None:
    with listening(answer) as (address, heard), pytest.raises(DeskDown) as told:
        Connection.open(address, OWNER_KEY, proved_by=KEY)

    assert "is not our Argilla server" in str(told.value)
    assert heard
    assert OWNER_KEY not in everything(heard)


def test_who_says_nothing_is_not_waited_for_long_and_is_called_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proving, "SECONDS", 1.0)

    with (
        listening(lambda _request: b"") as (address, heard),
        pytest.raises(DeskDown, match="does not answer in time"),
    ):
        Connection.open(address, OWNER_KEY, proved_by=KEY)

    assert OWNER_KEY not in everything(heard)


def test_who_takes_the_port_later_never_hears_the_key() -> None:
    is_ours = True

    def answer(request: str) -> bytes:
        """Ours ends the line after each answer but the proof."""
        if not is_ours:
            return said(ME)
        ends = b"" if CHALLENGE.match(request) else b"\r\nConnection: close"
        return ours(request).replace(b" OK", b" OK" + ends, 1)

    with listening(answer) as (address, heard):
        connection = Connection.open(address, OWNER_KEY, proved_by=KEY)
        before, is_ours = len(heard), False
        with pytest.raises(DeskDown, match="is not our Argilla server"):
            connection.call("GET", "me")

    assert len(heard) > before
    assert OWNER_KEY not in everything(heard[before:])


def test_a_server_of_your_own_has_nothing_to_prove() -> None:
    with listening(lambda _request: said(ME)) as (address, heard):
        Connection.open(address, OWNER_KEY)

    assert "/evalhub/proof" not in everything(heard)
