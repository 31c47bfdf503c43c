"""What the desk tells its webhooks, with the stock server's checks for nobody left out."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook

from tests.desk import Desk
from tests.processes import wait_until

from .queue import Queue

pytestmark = pytest.mark.argilla


class Listener:
    """Takes what the desk sends, and keeps it where the signature is right."""

    def __init__(self, desk: Desk, *events: str) -> None:
        self.heard: list[dict[str, Any]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._door())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{self._server.server_port}/hook"
        made = {"url": url, "events": events, "description": "a test"}
        self._hook = desk.call("POST", "/api/v1/webhooks", json=made)
        self._desk = desk

    def _door(self) -> type[BaseHTTPRequestHandler]:
        listener = self

        class Door(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                Webhook(listener._hook["secret"]).verify(body, dict(self.headers))
                listener.heard.append(json.loads(body))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        return Door

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [each["data"] for each in self.heard if each["type"] == kind]

    def close(self) -> None:
        self._desk.call("DELETE", f"/api/v1/webhooks/{self._hook['id']}")
        self._server.shutdown()


@pytest.fixture
def answers(desk: Desk) -> Iterator[Listener]:
    listener = Listener(desk, "response.created", "response.updated")
    yield listener
    listener.close()


@pytest.fixture
def records(desk: Desk) -> Iterator[Listener]:
    listener = Listener(desk, "record.created", "record.updated")
    yield listener
    listener.close()


def test_an_answer_is_told_with_a_signature(desk: Desk, answers: Listener) -> None:
    queue = Queue(desk)
    (record,) = queue.put({"external_id": "1", "fields": {"query": "?"}})
    alice = queue.person("alice")

    response = queue.answer(alice, record, "bad")

    wait_until(lambda: answers.of("response.created"), 60)
    (told,) = answers.of("response.created")
    assert told["id"] == response
    assert told["values"]["label"]["value"] == "bad"


def test_records_written_in_bulk_are_told_to_who_listens_for_records(
    desk: Desk, records: Listener
) -> None:
    queue = Queue(desk)

    queue.put({"external_id": "1", "fields": {"query": "?"}})
    wait_until(lambda: records.of("record.created"), 60)
    queue.put({"external_id": "1", "fields": {"query": "!"}})

    wait_until(lambda: records.of("record.updated"), 60)
    assert [each["external_id"] for each in records.of("record.created")] == ["1"]
    assert [each["fields"]["query"] for each in records.of("record.updated")] == ["!"]


def test_records_written_in_bulk_are_not_told_to_who_listens_for_answers(
    desk: Desk, answers: Listener
) -> None:
    queue = Queue(desk)
    (record,) = queue.put({"external_id": "1", "fields": {"query": "?"}})

    queue.answer(queue.person("alice"), record)

    wait_until(lambda: answers.of("response.created"), 60)
    assert {each["type"] for each in answers.heard} == {"response.created"}
