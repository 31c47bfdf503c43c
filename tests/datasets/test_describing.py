"""Records of every kind as people read them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.datasets.describing import Section, described
from apps.datasets.describing.sections import DESCRIBERS, PASSED_OVER
from tests.datasets.bundles import legal

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = (
    "rubric",
    "choices",
    "correct_choice_ids",
    "assertions",
    "assert",
    "evaluators",
    "context",
    "chunks",
    "attachments",
    "files",
    "expected_outcomes",
    "grading_rules",
    "verifier_outputs",
    "runs",
    "labels",
    "criteria",
    "reference_answers",
)


def sections(row: dict[str, Any], **resolved: Any) -> dict[str, Section]:
    payload = {"record_id": "a", "kind": "pair", "row": {"query": "q", "response": "r", **row}}
    found = described({**payload, "resolved": resolved} if resolved else payload)
    return {section.title: section for section in found.sections}


def test_what_is_asked_and_what_came_along_stand_first() -> None:
    payload = {"record_id": "a", "kind": "pair", "row": {"query": "Lamp?", "response": "Yes."}}

    found = described(payload)

    assert [turn.content for turn in found.turns] == ["Lamp?"]
    assert (found.reference, found.answer) == (None, "Yes.")


def test_what_asks_nothing_is_described_by_its_row() -> None:
    found = described({"record_id": "a", "kind": "trace", "row": {"labels": ["x", "y"]}})

    assert found.turns == ()
    assert found.sections[0].facts == (("labels", "x, y"),)


def test_a_rubric_has_weights() -> None:
    rubric = [{"id": "a", "title": "Names it", "weight": -4, "description": "At all."}]

    [mark] = sections({"rubric": rubric})["Rubric"].marks

    assert (mark.text, mark.label, mark.weight) == ("Names it", "a", "weight -4")


def test_the_right_choices_are_marked() -> None:
    row = {
        "choices": [{"id": "A", "text": "no"}, {"id": "B", "text": "yes"}],
        "correct_choice_ids": ["B"],
    }

    assert [mark.right for mark in sections(row)["Choices"].marks] == [False, True]


def test_a_code_grader_says_that_it_is_never_executed() -> None:
    graders = [{"type": "code-grader", "command": "rm -rf /", "never_executed": True}, "is polite"]

    first, second = sections({}, assertions=graders)["Graders"].marks

    assert (first.label, first.note) == ("code-grader", PASSED_OVER)
    assert second.text == "is polite"


def test_rules_say_whether_they_block() -> None:
    rules = [{"type": "status_equals", "expected": "failed", "blocking": True}, {"type": "x"}]

    weights = [mark.weight for mark in sections({"grading_rules": rules})["Grading rules"].marks]

    assert weights == ["blocking", "warning"]


def test_several_passages_are_folded_and_one_is_not() -> None:
    several = sections({"context": ["one", "two"]})["Context"]
    single = sections({"context": "one"})["Context"]

    assert [piece.text for piece in several.pieces] == ["one", "two"]
    assert single.text == "one"


def test_files_are_there_with_their_text_or_with_what_was_wrong() -> None:
    files = [{"path": "a.txt", "text": "A"}, {"path": "b.txt", "error": "Not found."}]

    first, second = sections({}, files=files)["Files"].pieces

    assert (first.title, first.text) == ("a.txt", "A")
    assert second.note == "Not found."


@pytest.mark.parametrize("field", FIELDS)
@given(value=JSON)
def test_no_value_is_too_odd_to_be_described(field: str, value: Any) -> None:
    for describe in DESCRIBERS:
        describe({field: value}, {field: value})


def test_a_row_of_legal_eval_is_described() -> None:
    found = described({"record_id": "a", "kind": "legal", "row": legal(1)})

    assert found.reference == "The landlord."
    assert "boiler" in found.turns[-1].content
