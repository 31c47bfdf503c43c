"""What people and EvalHub find on the desk, through the server's own API."""

from typing import Any

import pytest

from tests.desk import Desk

from .queue import Person, Queue, between, by, terms, text

pytestmark = pytest.mark.argilla

RECORDS: list[dict[str, Any]] = [
    {
        "external_id": "a",
        "fields": {"query": "Where is my refund?", "response": "The **refund** is on its way."},
        "metadata": {"source": "web", "batch": 1, "score": 0.25},
    },
    {
        "external_id": "b",
        "fields": {"query": "Cancel the order", "response": "Done; no refunds, sorry."},
        "metadata": {"source": "wiki", "batch": 2, "score": 0.5},
    },
    {
        "external_id": "c",
        "fields": {
            "query": "CRÈME brûlée; 50% off",
            "turns": [{"role": "user", "content": "何時開門 “tomorrow”?"}],
        },
        "metadata": {"source": "web", "batch": 3, "score": 0.75},
    },
    {"external_id": "d", "fields": {"query": "_under_score_ and \\d+", "response": "x"}},
]


@pytest.fixture(scope="module")
def found(desk: Desk) -> "Found":
    return Found(desk)


class Found:
    """Four records; Alice answered a and b, Bob b, discarded c; d has two suggestions."""

    def __init__(self, desk: Desk) -> None:
        self.queue = Queue(desk, min_submitted=2)
        label, rating = self.queue.question("label"), self.queue.question("rating")
        suggestions = [
            {"question_id": label, "value": "bad", "score": 0.4, "agent": "judge-1"},
            {"question_id": rating, "value": 4, "type": "model"},
        ]
        ids = self.queue.put(*RECORDS[:3], {**RECORDS[3], "suggestions": suggestions})
        self.ids = dict(zip("abcd", ids, strict=True))
        self.alice, self.bob = self.queue.person("alice"), self.queue.person("bob")
        self.queue.answer(self.alice, ids[0], "good", rating=2)
        self.queue.answer(self.alice, ids[1], "bad", rating=5)
        self.queue.answer(self.bob, ids[1], "good", rating=1)
        self.queue.discard(self.bob, ids[2])

    def by(self, person: Person | None = None, **asked: Any) -> set[str]:
        names, total = self.queue.find(person, **asked)
        assert len(names) == total
        return set(names)

    def where(self, *filters: dict[str, Any], person: Person | None = None) -> set[str]:
        return self.by(person, filters={"and": list(filters)})

    def sorted(self, *orders: dict[str, Any], person: Person | None = None) -> str:
        return "".join(self.queue.find(person, sort=list(orders))[0])


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("refund", "a"),
        ("REFUND", "a"),
        ("refund*", "ab"),
        ("fund", ""),
        ("refund where", "a"),
        ("refund order", ""),
        ("refund | order", "ab"),
        ("the -refund", "b"),
        ('"on its way"', "a"),
        ('"its on way"', ""),
        ("crème", "c"),
        ("50%", "c"),
        ("tomorrow", "c"),
        ("開門", "c"),
        ("_under_score_", "d"),
        ("?", ""),
        ('"', ""),
        ("(refund)", "a"),
    ],
)
def test_words_are_looked_for_in_every_text(found: Found, words: str, names: str) -> None:
    assert found.by(query=text(words)) == set(names)


def test_a_text_is_looked_for_in_one_field_where_that_is_asked(found: Found) -> None:
    assert found.by(query=text("refund", "response")) == {"a"}
    assert found.by(query=text("where", "response")) == set()
    assert found.by(query=text("tomorrow", "turns")) == {"c"}


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ([terms("metadata", "web", metadata_property="source")], "ac"),
        ([terms("metadata", "web", "wiki", metadata_property="source")], "abc"),
        ([terms("metadata", "2", metadata_property="batch")], "b"),
        ([between("metadata", ge=2, metadata_property="batch")], "bc"),
        ([between("metadata", ge=0.25, le=0.5, metadata_property="score")], "ab"),
        (
            [
                terms("metadata", "web", metadata_property="source"),
                between("metadata", le=2, metadata_property="batch"),
            ],
            "a",
        ),
        ([terms("record", "completed", property="status")], "b"),
        ([terms("record", "pending", property="status")], "acd"),
        ([terms("record", "nonsense", property="status")], ""),
        ([terms("record", "a", "d", property="external_id")], "ad"),
        ([between("record", ge="2020-01-01T00:00:00Z", property="inserted_at")], "abcd"),
        ([between("record", le="2020-01-01T00:00:00+02:00", property="updated_at")], ""),
        ([terms("suggestion", "bad", question="label", property="value")], "d"),
        ([terms("suggestion", "good", question="label", property="value")], ""),
        ([between("suggestion", ge=0.3, le=0.5, question="label", property="score")], "d"),
        ([between("suggestion", ge=4, question="rating", property="value")], "d"),
        ([terms("suggestion", "judge-1", question="label", property="agent")], "d"),
        ([terms("suggestion", "model", question="rating", property="type")], "d"),
        ([terms("response", "pending", property="status")], "d"),
        ([terms("response", "submitted", property="status")], "ab"),
        ([terms("response", "discarded", property="status")], "c"),
        ([terms("response", "pending", "discarded", property="status")], "cd"),
        ([terms("response", "good", question="label")], "ab"),
        ([between("response", ge=5, question="rating")], "b"),
    ],
)
def test_the_owner_finds_what_all_filters_let_through(
    found: Found, filters: list[dict[str, Any]], names: str
) -> None:
    assert found.where(*filters) == set(names)


def test_a_record_is_found_by_its_id(found: Found) -> None:
    asked = terms("record", found.ids["c"], "not-an-id", property="id")

    assert found.where(asked) == {"c"}


def test_what_is_no_moment_is_refused(found: Found) -> None:
    asked = {"filters": {"and": [between("record", ge="yesterday", property="inserted_at")]}}
    with found.queue.desk.client() as client:
        answer = client.post(f"/api/v1/datasets/{found.queue.id}/records/search", json=asked)

    assert answer.status_code == 422
    assert "yesterday" in answer.text


def test_each_person_has_a_queue_of_their_own(found: Found) -> None:
    def state(name: str, person: Person) -> set[str]:
        return found.where(terms("response", name, property="status"), person=person)

    assert state("pending", found.alice) == {"c", "d"}
    assert state("pending", found.bob) == {"a", "d"}
    assert state("submitted", found.alice) == {"a", "b"}
    assert state("submitted", found.bob) == {"b"}
    assert state("discarded", found.alice) == set()
    assert state("discarded", found.bob) == {"c"}


def test_filters_on_answers_are_about_ones_own(found: Found) -> None:
    good = terms("response", "good", question="label")

    assert found.where(good, person=found.alice) == {"a"}
    assert found.where(good, person=found.bob) == {"b"}


@pytest.mark.parametrize(
    ("order", "names"),
    [
        (by("record", property="external_id"), "abcd"),
        (by("record", "desc", property="external_id"), "dcba"),
        (by("record", property="inserted_at"), "abcd"),
        (by("metadata", "desc", metadata_property="score"), "cbad"),
        (by("metadata", metadata_property="batch"), "abcd"),
        (by("suggestion", "desc", question="label", property="score"), "dabc"),
        (by("response", question="rating"), "abcd"),
        (by("response", "desc", question="rating"), "bacd"),
    ],
)
def test_records_come_in_the_order_that_is_asked_for_unknowns_last(
    found: Found, order: dict[str, Any], names: str
) -> None:
    tie = by("record", property="inserted_at")

    assert found.sorted(order, tie) == names


def test_ones_own_answers_can_be_sorted_by(found: Found) -> None:
    order = by("response", "desc", question="rating")

    assert found.sorted(order, person=found.alice)[:2] == "ba"
    assert found.sorted(order, person=found.bob)[0] == "b"


def test_progress_counts_records_and_ones_own_answers(found: Found) -> None:
    queue = found.queue

    progress = queue.desk.call("GET", f"/api/v1/datasets/{queue.id}/progress")
    alice, bob = (
        person.call("GET", f"/api/v1/me/datasets/{queue.id}/metrics")["responses"]
        for person in (found.alice, found.bob)
    )

    people = [{"username": person.name} for person in (found.alice, found.bob)]
    assert progress == {"total": 4, "completed": 1, "pending": 3, "users": people}
    assert alice == {"total": 4, "submitted": 2, "discarded": 0, "draft": 0, "pending": 2}
    assert bob == {"total": 4, "submitted": 1, "discarded": 1, "draft": 0, "pending": 2}


def test_the_filters_of_the_page_know_what_values_there_are(found: Found) -> None:
    queue = found.queue
    named = queue.desk.call("GET", f"/api/v1/me/datasets/{queue.id}/metadata-properties")["items"]

    metrics = {
        each["name"]: queue.desk.call("GET", f"/api/v1/metadata-properties/{each['id']}/metrics")
        for each in named
    }

    web, wiki = {"term": "web", "count": 2}, {"term": "wiki", "count": 1}
    assert metrics["source"] == {"type": "terms", "total": 3, "values": [web, wiki]}
    assert metrics["batch"] == {"type": "integer", "min": 1, "max": 3}
    assert metrics["score"] == {"type": "float", "min": 0.25, "max": 0.75}


def test_people_meet_the_records_in_orders_of_their_own_that_stay(desk: Desk) -> None:
    queue = Queue(desk)
    names = [f"r{number:03}" for number in range(60)]
    queue.put(*({"external_id": each, "fields": {"query": each}} for each in names))
    alice, bob = queue.person("alice"), queue.person("bob")

    first, total = queue.find(alice, limit=100)
    pages = [
        name for offset in range(0, 60, 7) for name in queue.find(alice, limit=7, offset=offset)[0]
    ]
    other, _ = queue.find(bob, limit=100)

    assert total == 60
    assert sorted(first) == sorted(other) == names
    assert first == pages
    assert len({tuple(names), tuple(first), tuple(other)}) == 3
    assert queue.find(limit=100)[0] == names


def test_what_was_just_written_is_found_and_what_was_deleted_is_not(desk: Desk) -> None:
    queue = Queue(desk)
    first, second = queue.put(
        {"external_id": "1", "fields": {"query": "before"}},
        {"external_id": "2", "fields": {"query": "before"}},
    )

    queue.put({"external_id": "1", "fields": {"query": "after"}})
    desk.call("DELETE", f"/api/v1/datasets/{queue.id}/records?ids={second}")

    assert first
    assert queue.find(query=text("after")) == (["1"], 1)
    assert queue.find(query=text("before")) == ([], 0)


def test_a_search_by_likeness_is_refused_with_a_sentence(desk: Desk) -> None:
    queue = Queue(desk)
    vectors = {"name": "v", "title": "v", "dimensions": 2}
    desk.call("POST", f"/api/v1/datasets/{queue.id}/vectors-settings", json=vectors)

    with desk.client() as client:
        answer = client.post(
            f"/api/v1/datasets/{queue.id}/records/search",
            json={"query": {"vector": {"name": "v", "value": [1, 0]}}},
        )

    assert answer.status_code == 422
    assert "keeps no vectors" in answer.text
