"""legal_eval_v1: what graders see of a row, by its task type."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.datasets import subjects
from apps.grading.combining import own
from apps.grading.contracts import Subject
from apps.grading.rules.unexecutable import Unexecutable
from tests.datasets.legal import MCQ, REFERENCE, RUBRIC, accepted, lines, row


def seen(kind: Mapping[str, Any], **fields: Any) -> subjects.Given:
    (one,) = accepted(lines(row(kind, **fields)))
    return subjects.given(json.loads(one.payload))


def subject(kind: Mapping[str, Any], **fields: Any) -> Subject:
    return Subject(**seen(kind, **fields).fields)


def test_a_multiple_choice_row_has_choices_and_nothing_for_a_judge_to_compare_with() -> None:
    found = subject(MCQ)

    assert [(choice.id, choice.text) for choice in found.choices] == [("A", "Yes"), ("B", "No")]
    assert found.correct_choice_ids == ("B",)
    assert (found.reference_answers, found.rubric) == ((), ())


def test_a_reference_row_has_each_of_its_references() -> None:
    found = subject(REFERENCE, context="By the tenancy act.")

    assert found.reference_answers == ("In writing.", "By letter.")
    assert found.reference == "In writing.\nBy letter."
    assert found.context == "By the tenancy act."
    assert (found.choices, found.rubric) == ((), ())


def test_a_rubric_row_has_criteria_with_weights() -> None:
    rubric = [
        {"id": "c1", "title": "Names the date"},
        {"id": "c2", "title": "Invents a law", "description": "One that is not.", "weight": -5},
        {"id": "c3", "title": "Half", "weight": 0.5},
        {"id": "c4", "title": "A flag", "weight": True},
    ]

    found = subject(RUBRIC, rubric=rubric, reference_answers=["By letter."])

    assert [item.weight for item in found.rubric] == [1.0, -5.0, 0.5, 1.0]
    assert (found.rubric[1].id, found.rubric[1].description) == ("c2", "One that is not.")
    assert found.reference_answers == ("By letter.",)


@pytest.mark.parametrize(
    ("criterion", "weight"),
    [
        ({"annotations": {"critically_important_weight": 10}}, 10.0),
        ({"annotations": {"field": "tax", "detrimental_weight": -3.5}}, -3.5),
        ({"annotations": {"important_weight": 8}, "weight": 2}, 2.0),
        ({"annotations": {"important_weight": "8"}}, 1.0),
        ({"annotations": "none"}, 1.0),
        ({"weight": 10**400}, 1.0),
    ],
)
def test_a_weight_stands_beside_the_criterion_or_in_its_annotations(
    criterion: dict[str, Any], weight: float
) -> None:
    payload = {
        "kind": "legal",
        "record_id": "q1",
        "row": row({**RUBRIC, "rubric": [{"id": "c1", "title": "Names it", **criterion}]}),
    }

    (item,) = subjects.given(payload).fields["rubric"]

    assert item.weight == weight


@pytest.mark.parametrize(
    ("metadata", "policy"),
    [
        ({"policy_id": "prbench_v1"}, "prbench_v1"),
        ({"policy_id": "lexam_open"}, "default_v1"),
        ({}, "default_v1"),
    ],
)
def test_the_policy_in_force_is_known_to_the_judge(metadata: dict[str, Any], policy: str) -> None:
    assert subject(REFERENCE, metadata=metadata).policy == policy


def test_rules_of_a_row_stand_in_its_metadata_and_nowhere_else() -> None:
    rules = [{"type": "contains", "name": "by_letter", "values": ["letter"]}, "no rule"]

    found = seen(REFERENCE, metadata={"grading_rules": rules}, grading_rules=rules)

    contains, unread = own(found.record)
    assert contains.name == "by_letter"
    assert isinstance(unread, Unexecutable)
    assert seen(REFERENCE, grading_rules=rules).record.rules == ()
    assert seen(REFERENCE, metadata={"grading_rules": {"type": "contains"}}).record.rules == ()


def test_what_was_asked_and_the_row_itself_are_seen_too() -> None:
    found = subject(MCQ)

    assert found.prompt == found.messages[-1].content
    assert '{"answer": "<choice_id>"' in found.prompt
    assert found.record["id"] == "q1"


@given(
    st.sampled_from([MCQ, REFERENCE, RUBRIC]),
    st.dictionaries(
        st.sampled_from(["policy_id", "grading_rules", "course", "x"]),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(["type", "name"]), inner, max_size=2)
            ),
        ),
    ),
)
def test_whatever_stands_in_the_metadata_the_row_can_be_graded(
    kind: dict[str, Any], metadata: dict[str, Any]
) -> None:
    found = subjects.given({"kind": "legal", "row": row(kind, metadata=metadata)})

    Subject(**found.fields)
    own(found.record)
