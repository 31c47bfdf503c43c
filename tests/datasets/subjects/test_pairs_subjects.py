"""Query-response pairs: the passages and their labels, as graders see them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.datasets import subjects
from apps.grading.contracts import Subject

PASSAGES = {"id": "p1", "query": "How long?", "response": "30 days.", "source": "v2"}


def subject(context: list[str] | None = None, **more: Any) -> Subject:
    row = {**PASSAGES, "context": context or [], **more}
    return Subject(**subjects.given({"kind": "pair", "record_id": "p1", "row": row}).fields)


def chunk(chunk_id: str, rank: int | None = None, **more: Any) -> dict[str, Any]:
    return {
        "chunk_id": chunk_id,
        "doc_id": "",
        "chunk_rank": rank,
        "text": f"text {chunk_id}",
        **more,
    }


def test_passages_are_chunks_in_their_order() -> None:
    found = subject(["first", "second"])

    assert [(each.id, each.rank, each.text) for each in found.chunks] == [
        ("chunk-1", 1, "first"),
        ("chunk-2", 2, "second"),
    ]
    assert found.context == "first\n\nsecond"
    assert {each.relevant for each in found.chunks} == {None}


def test_a_pair_without_passages_has_neither_chunks_nor_context() -> None:
    assert (subject().chunks, subject().context, subject().relevant_chunk_ids) == ((), "", ())


def test_chunks_keep_their_ids_and_ranks_and_those_without_one_come_last() -> None:
    found = subject(["x"], chunks=[chunk("b", 2), chunk("a", 7), chunk("c"), chunk("d")])

    assert [(each.id, each.rank) for each in found.chunks] == [
        ("b", 2),
        ("a", 7),
        ("c", 8),
        ("d", 9),
    ]


@pytest.mark.parametrize(
    ("said", "label"),
    [(True, True), (0, False), ("yes", True), ("False", False), ("maybe", None), (None, None)],
)
@pytest.mark.parametrize("name", ["relevant", "topically_relevant"])
def test_labels_are_read_under_our_names_and_the_annotation_tools(
    name: str, said: Any, label: bool | None
) -> None:
    (found,) = subject(chunks=[chunk("a", 1, **{name: said})]).chunks

    assert (found.relevant, found.sufficient, found.misleading) == (label, None, None)


def test_evidence_and_misleading_have_labels_of_their_own() -> None:
    (found,) = subject(chunks=[chunk("a", 1, evidence_sufficient=True, misleading="no")]).chunks

    assert (found.sufficient, found.misleading) == (True, False)


@pytest.mark.parametrize("listed", [["a", "z"], '["a", "z"]', ["a", 3, "z"]])
def test_a_pair_may_list_what_is_relevant(listed: Any) -> None:
    found = subject(["x"], metadata={"relevant_chunk_ids": listed})

    assert found.relevant_chunk_ids == ("a", "z")


@pytest.mark.parametrize("listed", [None, 7, "a, z", '{"a": 1}', {"a": 1}])
def test_what_is_no_list_lists_nothing(listed: Any) -> None:
    assert subject(["x"], metadata={"relevant_chunk_ids": listed}).relevant_chunk_ids == ()


values = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text(), max_size=2)


@given(st.dictionaries(st.sampled_from(["relevant", "misleading", "evidence_sufficient"]), values))
def test_whatever_stands_where_a_label_would_the_pair_can_be_graded(labels: dict[str, Any]) -> None:
    found = subject(chunks=[chunk("a", 1, **json.loads(json.dumps(labels)))])

    assert found.chunks[0].relevant in (None, True, False)
