"""What a failing server means: ask again later, or never; and no secret is in the sentence."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from apps.labeling.desk.gateway.connection import Conflict, Connection, Missing
from apps.labeling.desk.protocol import DeskDown, DeskRefused

SECRET = "hunter2 and more"


@contextmanager
def answering(status: int, body: str = "", pause: float = 0) -> Iterator[str]:
    """The address of a server that answers everything so."""

    class Answering(BaseHTTPRequestHandler):
        def do_PATCH(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.do_GET()

        def do_GET(self) -> None:
            time.sleep(pause)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def connection(
    status: int, body: str = "", pause: float = 0, patience: float = 30
) -> Iterator[Connection]:
    with (
        answering(status, body, pause) as address,
        httpx.Client(base_url=address, timeout=patience) as client,
    ):
        yield Connection(client, "labels.example")


def ask(connection: Connection) -> Any:
    return connection.call("PATCH", "users/1", body={"password": SECRET})


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_what_passes_is_a_desk_that_is_down(status: int) -> None:
    with connection(status) as broken, pytest.raises(DeskDown, match=rf"fails \({status}\)"):
        ask(broken)


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, DeskRefused), (403, DeskRefused), (404, Missing), (409, Conflict), (422, DeskRefused)],
)
def test_what_stays_is_refused_in_the_words_of_the_server(
    status: int, kind: type[DeskRefused]
) -> None:
    body = json.dumps({"detail": "It is not to be."})

    with connection(status, body) as broken, pytest.raises(kind, match=r"It is not to be\."):
        ask(broken)


def test_a_quick_look_does_not_wait_as_long_as_a_call() -> None:
    with answering(200, "{}", pause=0.4) as address, httpx.Client(base_url=address) as client:
        slow = Connection(client, "labels.example")

        assert slow.call("GET", "version") == {}
        with pytest.raises(DeskDown, match="in time"):
            slow.call("GET", "version", within=0.05)


def test_a_key_that_is_wrong_by_now_is_named() -> None:
    with connection(401) as broken, pytest.raises(DeskRefused, match="EVALHUB_ARGILLA_API_KEY"):
        ask(broken)


def test_what_the_server_repeats_of_ours_is_not_told() -> None:
    complaint = {"loc": ["body", "password"], "msg": "Too plain", "input": SECRET}
    whole = {"loc": ["body"], "msg": "Incomplete", "input": {"password": SECRET}}
    body = json.dumps({"detail": {"params": {"errors": [complaint, whole]}}})

    with connection(422, body) as broken, pytest.raises(DeskRefused) as refused:
        ask(broken)

    assert "body.password; Too plain; body; Incomplete" in str(refused.value)
    assert "hunter2" not in str(refused.value)


def test_a_long_complaint_is_clipped() -> None:
    body = json.dumps({"detail": "x" * 10_000})

    with connection(422, body) as broken, pytest.raises(DeskRefused) as refused:
        ask(broken)

    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("body", ["<html>Welcome</html>", "{", "\ufeff"])
def test_what_is_no_json_is_not_argilla(body: str) -> None:
    with connection(200, body) as broken, pytest.raises(DeskDown, match="is not Argilla"):
        ask(broken)


@pytest.mark.parametrize("body", ["{}", "[]", "<html>"])
def test_another_product_at_that_address_is_not_argilla(body: str) -> None:
    with answering(200, body) as address, pytest.raises(DeskDown, match="is not Argilla"):
        Connection.open(address, "a key")


@pytest.mark.parametrize(
    ("status", "kind"), [(401, DeskRefused), (403, DeskRefused), (500, DeskDown), (503, DeskDown)]
)
def test_who_is_turned_away_at_the_door_is_told_why(status: int, kind: type[Exception]) -> None:
    with answering(status, "{}") as address, pytest.raises(kind):
        Connection.open(address, "a key")


def test_an_address_that_leads_elsewhere_is_refused() -> None:
    with connection(302) as broken, pytest.raises(DeskRefused, match=r"\(302\)"):
        ask(broken)


def test_a_server_that_says_nothing_is_down() -> None:
    with (
        connection(200, "{}", pause=2, patience=0.5) as broken,
        pytest.raises(DeskDown, match="in time"),
    ):
        ask(broken)


def test_an_empty_answer_is_nothing() -> None:
    with connection(204) as quiet:
        assert ask(quiet) is None
