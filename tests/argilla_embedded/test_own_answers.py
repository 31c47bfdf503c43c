"""Blind is blind in Argilla: by no route does one read or change another's answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from tests.desk import Desk

from .queue import Person, Queue, terms
from .routes import Route, body_of, nobodys, query_of, stock_routes

pytestmark = pytest.mark.argilla
SECRET = "what alice alone thinks"
HIDDEN = "of the run that is compared"
MAY = {  # whoever labels, about their own queue and themselves
    "get_version",
    "get_status",
    "get_settings",
    "get_current_user",
    "get_dataset",
    "get_dataset_progress",
    "get_dataset_users_progress",
    "get_current_user_dataset_metrics",
    "get_metadata_property_metrics",
    "get_record",
    "get_record_suggestions",
    "get_workspace",
    "list_current_user_datasets",
    "list_current_user_dataset_metadata_properties",
    "list_dataset_fields",
    "list_dataset_questions",
    "list_dataset_records_search_suggestions_options",
    "list_dataset_vector_settings",
    "list_workspaces_me",
    "list_providers",
    "search_current_user_dataset_records",
    "create_current_user_responses_bulk",
    "create_record_response",
    "openapi",  # what routes there are, and pages about it
    "swagger_ui_html",
    "swagger_ui_redirect",
    "redoc_html",
}
REFUSED = (401, 403, 404)


class Scene(NamedTuple):
    """Alice has answered a record of the queue in which Bob labels too."""

    queue: Queue
    alice: Person
    bob: Person
    ids: dict[str, str]
    secrets: set[str]


@pytest.fixture(scope="module")
def scene(desk: Desk) -> Scene:
    queue = Queue(desk, min_submitted=2)
    alice, bob = queue.person("alice"), queue.person("bob")
    card = {"fields": {"query": "?"}, "metadata": {"source": "web", "undeclared": HIDDEN}}
    record, other = queue.put(card, {"fields": {"query": "Another?"}})
    response = queue.answer(alice, record, "bad", why=SECRET)
    ids = {"record_id": record, "response_id": response, "other_id": other, "me": bob.id}
    hook, more = _made(desk, queue, record)
    ids |= {**more, "dataset_id": queue.id, "workspace_id": queue.workspace, "user_id": alice.id}
    secrets = {SECRET, HIDDEN, response, alice.id, alice.name, alice.key, hook, desk.owner_key}
    return Scene(queue, alice, bob, ids, secrets)


def _made(desk: Desk, queue: Queue, record: str) -> tuple[str, dict[str, str]]:
    """The secret of a webhook, and the ids of what else the routes are about."""
    dataset = f"/api/v1/datasets/{queue.id}"
    vectors = {"name": "v", "title": "V", "dimensions": 2}
    hook = desk.call("POST", "/api/v1/webhooks", json=HOOK)
    suggestion = {"question_id": queue.question("why"), "value": "Perhaps"}
    path = f"/api/v1/records/{record}/suggestions"
    mine = f"/api/v1/me/datasets/{queue.id}/metadata-properties"
    return hook["secret"], {
        "webhook_id": hook["id"],
        "suggestion_id": desk.call("PUT", path, json=suggestion)["id"],
        "question_id": suggestion["question_id"],
        "vector_settings_id": desk.call("POST", f"{dataset}/vectors-settings", json=vectors)["id"],
        "field_id": desk.call("GET", f"{dataset}/fields")["items"][0]["id"],
        "metadata_property_id": desk.call("GET", mine)["items"][0]["id"],
        "job_id": nobodys(),
        "provider": "huggingface",
    }


HOOK = {"url": "http://127.0.0.1:9/hook", "events": ["dataset.published"]}


@pytest.fixture
def bobs(desk: Desk, scene: Scene) -> Iterator[httpx.Client]:
    with desk.client(scene.bob.key) as client:
        yield client


def _tried(client: httpx.Client, route: Route, ids: dict[str, str]) -> httpx.Response:
    body: dict[str, Any] = {}
    if route.method in ("POST", "PUT", "PATCH"):
        body = {"json": body_of(route.name, ids)}
    query = query_of(route.name, ids)
    return client.request(route.method, route.path.format(**ids), params=query, **body)


def test_no_route_tells_who_labels_of_another_and_none_but_these_lets_them_in(
    desk: Desk, scene: Scene, bobs: httpx.Client, tmp_path: Path
) -> None:
    ways = [each for each in stock_routes(tmp_path) if each.name != "create_token"]

    tried = {each.name: _tried(bobs, each, scene.ids) for each in ways}

    told = {name: answer.text for name, answer in tried.items()}
    assert {
        name: secret for name, text in told.items() for secret in scene.secrets if secret in text
    } == {}
    let_in = {name for name, answer in tried.items() if answer.is_success}
    assert let_in == MAY
    others = {name: answer.status_code for name, answer in tried.items() if name not in MAY}
    assert {name: code for name, code in others.items() if code not in REFUSED} == {}
    kept = desk.call("GET", f"/api/v1/records/{scene.ids['record_id']}")
    assert {each["user_id"]: each["values"]["label"]["value"] for each in kept["responses"]} == {
        scene.alice.id: "bad",
        scene.bob.id: "good",
    }


def test_a_record_shows_everybody_their_own_answer_and_the_owner_all(
    desk: Desk, scene: Scene
) -> None:
    (record,) = scene.queue.put({"fields": {"query": "!"}, "metadata": {"source": "web", "x": 1}})
    scene.queue.answer(scene.alice, record, "bad", why=SECRET)
    scene.queue.answer(scene.bob, record, "good")
    path = f"/api/v1/records/{record}"

    bobs, alices, all_of_them = (
        each.call("GET", path) for each in (scene.bob, scene.alice, scene.queue.desk)
    )

    assert [each["user_id"] for each in bobs["responses"]] == [scene.bob.id]
    assert [each["user_id"] for each in alices["responses"]] == [scene.alice.id]
    assert len(all_of_them["responses"]) == 2
    assert (bobs["metadata"], all_of_them["metadata"]["x"]) == ({"source": "web"}, 1)
    assert len(desk.call("GET", path)["responses"]) == 2  # what was not shown is still there


@pytest.mark.parametrize("of", ["users/progress", "progress"])
def test_progress_names_only_oneself_and_to_the_owner_everybody(
    scene: Scene, desk: Desk, of: str
) -> None:
    (record,) = scene.queue.put({"fields": {"query": "Whose?"}})
    scene.queue.answer(scene.bob, record)
    path = f"/api/v1/datasets/{scene.queue.id}/{of}"

    bobs, everybodys = (each.call("GET", path)["users"] for each in (scene.bob, desk))

    assert [each["username"] for each in bobs] == [scene.bob.name]
    assert {each["username"] for each in everybodys} == {scene.alice.name, scene.bob.name}


@pytest.mark.parametrize("scope", [{"property": "status"}, {"question": "label"}])
def test_no_filter_finds_what_another_answered(scene: Scene, scope: dict[str, str]) -> None:
    queue = Queue(scene.queue.desk, min_submitted=2)
    alice, bob = queue.person("alice"), queue.person("bob")
    (record,) = queue.put({"external_id": "asked", "fields": {"query": "?"}})
    queue.answer(alice, record, "bad")
    value = "submitted" if "property" in scope else "bad"
    asked = {"filters": {"type": "and", "and": [terms("response", value, **scope)]}}

    assert queue.find(alice, **asked) == (["asked"], 1)
    assert queue.find(bob, **asked) == ([], 0)


def test_an_annotator_of_another_queue_gets_neither_record_nor_progress(
    desk: Desk, scene: Scene
) -> None:
    charlie = Queue(desk).person("charlie")

    with desk.client(charlie.key) as client:
        answers = [
            client.get(f"/api/v1/records/{scene.ids['record_id']}"),
            client.get(f"/api/v1/datasets/{scene.queue.id}/users/progress"),
        ]
        unknown = client.get(f"/api/v1/records/{nobodys()}")

    assert [each.status_code for each in answers] == [403, 403]
    assert unknown.status_code == 404
    assert not any(secret in each.text for each in answers for secret in scene.secrets)


def test_without_a_key_nothing_is_told(desk: Desk, scene: Scene) -> None:
    for path in ("records/{record_id}", "datasets/{dataset_id}/users/progress"):
        answer = httpx.get(f"{desk.url}/api/v1/{path.format(**scene.ids)}", timeout=60)
        assert answer.status_code == 401
