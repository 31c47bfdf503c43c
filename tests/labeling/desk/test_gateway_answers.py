"""The gateway against a real server: everything that was answered, once."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from apps.labeling.desk.protocol import BATCH
from apps.labeling.desk.protocol import Desk as Protocol
from tests.desk import Desk
from tests.labeling.desk.real_queue import (
    SHAPE,
    Queue,
    annotator,
    answer,
    card,
    desk,
    queue,
    records,
    server,
)
from tests.processes import wait_until

__all__ = ["desk", "queue", "server"]

pytestmark = pytest.mark.argilla
ANSWER = {"label": "true", "query": "b"}


def pending(client: httpx.Client, queue: Queue) -> set[str]:
    """What the page of Argilla shows as to be done."""
    path = f"/api/v1/me/datasets/{queue.id}/records/search"
    unanswered = {"type": "terms", "scope": {"entity": "response", "property": "status"}}
    unfinished = {"type": "terms", "scope": {"entity": "record", "property": "status"}}
    filters = [
        {**unanswered, "values": ["pending"]},
        {**unfinished, "values": ["pending"]},
    ]
    found = client.post(path, json={"filters": {"type": "and", "and": filters}})
    assert found.is_success, found.text
    return {item["record"]["external_id"] for item in found.json()["items"]}


def test_two_people_answer_and_everything_comes_back(
    desk: Protocol, server: Desk, queue: Queue
) -> None:
    said = {"label": "false", "query": "a", "count": ["a", "b"], "quality": 4, "why": "Ünklar"}
    bob, dora = annotator(server, desk, "bob"), annotator(server, desk, "dora")
    answer(bob, queue, "item-1", said)
    answer(bob, queue, "item-2", {"why": "later"}, "draft")
    answer(dora, queue, "item-1", {"discard_reason": "unclear"}, "discarded")

    found = list(desk.responses(queue.workspace, queue.id))

    names = desk.people()
    assert {(each.external_id, names[each.person_id], each.status) for each in found} == {
        ("item-1", "bob", "submitted"),
        ("item-2", "bob", "draft"),
        ("item-1", "dora", "discarded"),
    }
    first = next(each for each in found if each.status == "submitted")
    assert first.values == said
    assert abs(datetime.now(UTC) - first.updated_at) < timedelta(minutes=1)
    assert first.inserted_at <= first.updated_at


def test_what_changed_since_a_moment_is_read_and_nothing_where_nothing_did(
    desk: Protocol, server: Desk, queue: Queue
) -> None:
    bob = annotator(server, desk, "bob")
    given = answer(bob, queue, "item-1", ANSWER)
    moment = next(iter(desk.responses(queue.workspace, queue.id))).updated_at

    changed = {"values": {"label": {"value": "false"}, "query": {"value": "a"}}}
    bob.put(f"/api/v1/responses/{given}", json={**changed, "status": "submitted"})

    later = list(desk.responses(queue.workspace, queue.id, moment))
    much_later = list(desk.responses(queue.workspace, queue.id, moment + timedelta(hours=1)))
    assert [each.values["label"] for each in later] == ["false"]
    assert later[0].updated_at > moment
    assert much_later == []


def test_an_answer_that_is_taken_back_is_no_longer_there(
    desk: Protocol, server: Desk, queue: Queue
) -> None:
    bob = annotator(server, desk, "bob")
    given = answer(bob, queue, "item-1", ANSWER)

    bob.delete(f"/api/v1/responses/{given}")

    assert list(desk.responses(queue.workspace, queue.id)) == []


def test_who_came_later_is_shown_what_had_enough_answers_before(
    desk: Protocol, server: Desk, queue: Queue
) -> None:
    for username in ("bob", "dora"):
        answer(annotator(server, desk, username), queue, "item-1", ANSWER)
    emil = desk.person("emil", "Emil")
    desk.let_in(queue.workspace, [desk.person("bob", "Bob Miller").id, emil.id])
    before = pending(annotator(server, desk, "emil"), queue)

    for _ in range(2):
        desk.wait_for(queue.id, 3)

    assert before == {"item-2"}
    emils = annotator(server, desk, "emil")
    wait_until(lambda: pending(emils, queue) == {"item-1", "item-2"}, 30)


def test_who_is_deleted_and_made_anew_is_not_there_since_before_their_answer(
    desk: Protocol, server: Desk, queue: Queue
) -> None:
    bob = desk.person("bob", "Bob Miller")
    answer(annotator(server, desk, "bob"), queue, "item-1", ANSWER)
    [given] = desk.responses(queue.workspace, queue.id)
    before = desk.there(queue.id)

    server.call("DELETE", f"/api/v1/users/{bob.id}")
    without = desk.there(queue.id)
    again = desk.person("bob", "Bob Miller")
    anew = desk.there(queue.id)

    assert list(desk.responses(queue.workspace, queue.id)) == []
    assert again.id == bob.id
    assert before.people[bob.id] < given.updated_at < anew.people[bob.id]
    assert bob.id not in without.people
    assert anew.records == before.records
    assert before.records.keys() == {"item-1", "item-2"}
    assert before.records["item-1"] < given.updated_at


def test_an_answer_that_is_taken_back_is_a_use_of_the_dataset(
    desk: Protocol, server: Desk, queue: Queue
) -> None:
    bob = annotator(server, desk, "bob")
    given = answer(bob, queue, "item-1", ANSWER)
    [response] = desk.responses(queue.workspace, queue.id)

    bob.delete(f"/api/v1/responses/{given}")

    assert desk.there(queue.id).used_at > response.updated_at


def test_who_is_renamed_there_is_the_same_person(desk: Protocol, server: Desk) -> None:
    person = desk.person("hanna", "Hanna")
    server.call("PATCH", f"/api/v1/users/{person.id}", json={"username": "johanna"})

    found = desk.person("hanna", "Hanna", person.id)

    assert (found.id, found.made) == (person.id, True)
    assert "hanna" not in desk.people().values()


def test_a_record_that_is_put_again_keeps_what_was_answered(
    desk: Protocol, server: Desk, queue: Queue
) -> None:
    bob = annotator(server, desk, "bob")
    answer(bob, queue, "item-1", ANSWER)

    desk.put(queue.id, [card(1, "Better \0 lamps.")])

    assert records(bob, queue)["item-1"]["fields"]["answer"] == "Better  lamps."
    assert len(list(desk.responses(queue.workspace, queue.id))) == 1


def test_every_record_of_many_pages_is_read_once(desk: Protocol, server: Desk) -> None:
    desk.let_in("many", [desk.person("bob", "Bob").id])
    many = Queue(desk.dataset("many", "queue", SHAPE), "many")
    cards = [card(number) for number in range(1100)]
    for first in range(0, len(cards), BATCH):
        desk.put(many.id, cards[first : first + BATCH])
    me = desk.person("bob", "Bob").id
    values = {key: {"value": value} for key, value in ANSWER.items()}
    items = [
        {
            **each.model_dump(),
            "responses": [{"user_id": me, "values": values, "status": "submitted"}],
        }
        for each in cards
    ]
    for first in range(0, len(items), BATCH):
        path = f"/api/v1/datasets/{many.id}/records/bulk"
        server.call("PUT", path, json={"items": items[first : first + BATCH]})

    found = [each.external_id for each in desk.responses(many.workspace, many.id)]

    assert sorted(found) == sorted(each.external_id for each in cards)
