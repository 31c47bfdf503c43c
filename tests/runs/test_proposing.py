"""What went wrong, as far as it shows by itself."""

import pytest

from apps.grading.rules import RULE_OF_TYPE
from apps.runs.models import Failure
from apps.runs.proposing import _OF_TYPES, Missed, proposed, taxonomy_label
from apps.runs.queries.labels import TITLES


@pytest.mark.parametrize(
    ("status", "cause", "word"),
    [
        ("timeout", "timeout", "timeout_or_latency_exceeded"),
        ("evaluation_error", "invalid_response", "format_or_schema_violation"),
        ("evaluation_error", "judge_failed", "other"),
    ],
)
def test_what_kept_the_answer_away_is_proposed(status: str, cause: str, word: str) -> None:
    found = proposed(status, cause, [])

    assert found is not None
    assert (found.primary, found.why) == (word, f"It ended with {cause}.")
    assert taxonomy_label(status, cause) == word


def test_the_types_of_the_failed_rules_are_proposed_the_first_cause_first() -> None:
    found = proposed(
        "completed",
        "",
        [Missed("exact", "exact_match"), Missed("json", "is_json"), Missed("fast", "latency")],
    )

    assert found is not None
    assert found.primary == "format_or_schema_violation"
    assert found.secondary == ("timeout_or_latency_exceeded", "incorrect_answer")
    assert found.why == "It failed json, fast, exact."


def test_an_answer_whose_form_could_not_be_read_is_out_of_form() -> None:
    found = proposed("completed", "", [Missed("choice", "multiple_choice", unreadable=True)])

    assert found is not None
    assert found.primary == "format_or_schema_violation"


def test_a_rule_of_another_type_is_something_else_and_no_failed_rule_is_nothing() -> None:
    found = proposed("completed", "", [Missed("mine", "composite")])

    assert found is not None
    assert found.primary == "other"
    assert proposed("completed", "", []) is None


def test_every_word_and_every_type_exists() -> None:
    assert list(TITLES) == list(Failure.values)
    assert set(_OF_TYPES) < set(Failure.values)
    assert {kind for kinds in _OF_TYPES.values() for kind in kinds} <= set(RULE_OF_TYPE)
