"""Which answers contradict themselves, and what is said of it."""

from typing import Any

import pytest

from apps.labeling.plans import Plan
from apps.labeling.syncing.constraints import Broken, broken, broken_ticks
from apps.labeling.task_types import task
from apps.labeling.task_types.base import Task

CASES = [
    (
        "retrieval_full",
        {"topically_relevant": "false", "evidence_sufficient": "true", "misleading": "false"},
        "evidence_requires_relevance",
        "block",
        "retrieval: evidence_sufficient=True but topically_relevant=False",
    ),
    (
        "retrieval_full",
        {"topically_relevant": "true", "evidence_sufficient": "true", "misleading": "true"},
        "evidence_excludes_misleading",
        "warn",
        "retrieval: evidence_sufficient=True but misleading=True",
    ),
    (
        "grounding_full",
        {"contradicted_claim_present": "true", "unsupported_claim_present": "false"},
        "contradiction_requires_unsupported",
        "block",
        "grounding: contradicted_claim_present=True but unsupported_claim_present=False",
    ),
    (
        "grounding_full",
        {"fabricated_source": "true", "source_cited": "false"},
        "fabricated_requires_cited",
        "block",
        "grounding: fabricated_source=True but source_cited=False",
    ),
]


def of(task_id: Any, **severities: Any) -> Task:
    return task(Plan(tasks=(task_id,), severities=severities), task_id)


@pytest.mark.parametrize(("task_id", "labels", "constraint", "severity", "message"), CASES)
def test_each_constraint_is_named_with_what_breaks_it(
    task_id: str, labels: dict[str, str], constraint: str, severity: Any, message: str
) -> None:
    found = broken(labels, of(task_id))

    assert found == [Broken(id=constraint, severity=severity, message=message)]


@pytest.mark.parametrize("labels", [{}, {"evidence_sufficient": "true"}])
def test_an_answer_that_is_missing_breaks_nothing(labels: dict[str, str]) -> None:
    assert broken(labels, of("retrieval_full")) == []


def test_answers_that_fit_each_other_break_nothing() -> None:
    labels = {"topically_relevant": "true", "evidence_sufficient": "true", "misleading": "false"}

    assert broken(labels, of("retrieval_full")) == []


def test_the_plan_says_how_severe_a_constraint_is() -> None:
    labels = CASES[0][1]

    assert broken(labels, of("retrieval_full"), {"evidence_requires_relevance": "off"}) == []
    warned = broken(labels, of("retrieval_full"), {"evidence_requires_relevance": "warn"})
    assert [each.severity for each in warned] == ["warn"]


def test_none_of_a_checklist_stands_alone() -> None:
    assert broken_ticks(("none", "2"), 3, of("rubric")) == [
        Broken(
            id="none_stands_alone",
            severity="block",
            message="rubric: none is chosen together with 2",
        )
    ]


def test_a_number_that_the_record_does_not_have_is_told() -> None:
    assert broken_ticks(("1", "12", "4"), 3, of("rubric")) == [
        Broken(
            id="criteria_exist",
            severity="block",
            message="rubric: 4, 12 chosen, but the record has 3 criteria",
        )
    ]


@pytest.mark.parametrize("ticked", [(), ("none",), ("1", "3")])
def test_a_checklist_within_its_record_breaks_nothing(ticked: tuple[str, ...]) -> None:
    assert broken_ticks(ticked, 3, of("rubric")) == []


def test_checklists_are_as_severe_as_the_plan_says() -> None:
    found = broken_ticks(("9",), 3, of("rubric"), {"criteria_exist": "warn"})

    assert [each.severity for each in found] == ["warn"]
