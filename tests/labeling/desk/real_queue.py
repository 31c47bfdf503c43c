"""A queue on a real Argilla server, and people who answer there."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx
import pytest

from apps.labeling.desk import gateway
from apps.labeling.desk.protocol import Card, Shape
from apps.labeling.desk.protocol import Desk as Protocol
from apps.labeling.plans import Asked, Option
from apps.labeling.task_types import asking
from apps.labeling.task_types.base import Field
from tests.desk import Desk, running_desk

PASSWORD = "a password for this test"
OPTIONS = (Option(value="a", title="First"), Option(value="b", title="Second"))
SHAPE = Shape(
    fields=(
        Field(name="query", title="Query"),
        Field(name="answer", title="Answer", markdown=True),
    ),
    questions=(
        Asked(title="Is it grounded?"),
        Asked(name="query", title="A choice named like a field", kind="choice", options=OPTIONS),
        Asked(name="count", title="Several", kind="several", options=OPTIONS, required=False),
        Asked(
            name="quality",
            title="How good?",
            kind="rating",
            options=tuple(Option(value=str(n), title=f"{n} stars") for n in range(1, 6)),
            required=False,
        ),
        Asked(name="why", title="Why?", kind="text", required=False),
        *asking.beside("en"),
    ),
    guidelines="/etc/hostname",
    min_submitted=2,
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with running_desk(tmp_path_factory.mktemp("desk")) as desk:
        yield desk


@pytest.fixture
def desk(server: Desk, settings: Any) -> Protocol:
    settings.ARGILLA = server.settings
    return gateway.open_desk()


class Queue(NamedTuple):
    id: str
    workspace: str


@pytest.fixture
def queue(desk: Protocol, request: pytest.FixtureRequest) -> Queue:
    """A dataset of two records, with Bob and Dora let in."""
    workspace = request.node.name[:60]
    people = [desk.person("bob", "Bob Miller").id, desk.person("dora", "Dora").id]
    desk.let_in(workspace, people)
    dataset_id = desk.dataset(workspace, "grounding", SHAPE)
    desk.put(dataset_id, [card(1), card(2)])
    return Queue(dataset_id, workspace)


def card(number: int, text: str = "Lamps.") -> Card:
    fields = {"query": f"What about {number}?", "answer": text}
    return Card(external_id=f"item-{number}", fields=fields, metadata={"rank": number})


def signed_in(server: Desk, username: str, password: str = PASSWORD) -> httpx.Client:
    """As the pages of Argilla sign in."""
    form = {"username": username, "password": password}
    token = server.call("POST", "/api/v1/token", data=form)["access_token"]
    return httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {token}"})


def annotator(server: Desk, desk: Protocol, username: str) -> httpx.Client:
    desk.set_password(desk.person(username, username.title()).id, PASSWORD)
    return signed_in(server, username)


def records(client: httpx.Client, queue: Queue) -> dict[str, dict[str, Any]]:
    answer = client.post(f"/api/v1/me/datasets/{queue.id}/records/search", json={})
    assert answer.is_success, answer.text
    found = [item["record"] for item in answer.json()["items"]]
    return {record["external_id"]: record for record in found}


def answer(
    client: httpx.Client,
    queue: Queue,
    external_id: str,
    values: dict[str, Any],
    status: str = "submitted",
) -> str:
    record_id = records(client, queue)[external_id]["id"]
    body = {"values": {key: {"value": value} for key, value in values.items()}, "status": status}
    given = client.post(f"/api/v1/records/{record_id}/responses", json=body)
    assert given.is_success, given.text
    return str(given.json()["id"])
