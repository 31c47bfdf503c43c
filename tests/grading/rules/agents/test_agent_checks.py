"""What the checks of agent rules say of what was found, whatever was wished."""

from typing import Any

import pytest

from apps.grading.contracts import Subject

from .sessions import FAILED, called, event, graded, outputs, run, session, traced


@pytest.mark.parametrize(
    ("type_", "wishes", "subject", "text"),
    [
        (
            "status_equals",
            {"expected": "success", "runs": "any"},
            session(run("denied")),
            "No run ended with success, but with denied.",
        ),
        (
            "status_equals",
            {"expected": "success", "runs": "any"},
            session(run("success")),
            "At least one run ended with success.",
        ),
        ("approval_required", {}, session(run()), "No approval was asked for."),
        ("approval_required", {}, session(run(approval_id="a")), "An approval was asked for."),
        ("memory_write_absent", {}, traced(event("run_start")), "No memory was written."),
        ("memory_write_absent", {}, traced(event("memory_persisted")), "Memory was written."),
        (
            "memory_write_absent",
            {},
            session(run(trace=(event("run_start"),)), run(trace=(event("memory_persisted"),))),
            "Memory was written: run 2.",
        ),
        (
            "failure_attribution_valid",
            {},
            outputs(failure_attribution="zzz"),
            "'zzz' is no allowed attribution.",
        ),
        (
            "failure_attribution_valid",
            {},
            outputs(failure_attribution="tool_adapter"),
            "'tool_adapter' is an allowed attribution.",
        ),
        (
            "process_score_present",
            {},
            Subject(),
            "No verifier output has process_score from 0 to 1.",
        ),
        (
            "process_score_present",
            {},
            outputs(process_score=0.5),
            "A verifier output has process_score from 0 to 1.",
        ),
        ("max_tool_calls", {"expected": 1}, called("a"), "1 tool call was made: at most 1."),
        ("failed_run_traceable", {}, session(run()), "No run failed."),
        ("failed_run_traceable", {}, session(FAILED), "A run failed."),
        ("contains_substring", {"expected": "a"}, Subject(response="a"), "'a' was said."),
    ],
)
@pytest.mark.parametrize("negate", [False, True])
def test_a_check_says_what_was_found_whatever_was_wished(
    type_: str, wishes: dict[str, Any], subject: Subject, text: str, negate: bool
) -> None:
    check = graded(subject, type_, **wishes).checks[0]
    turned = graded(subject, type_, **wishes, negate=negate).checks[0]

    assert check.text == turned.text == text
    assert turned.passed == (check.passed != negate)


@pytest.mark.parametrize(
    ("type_", "subject"),
    [
        ("approval_required", session(run())),
        ("memory_write_absent", traced(event("memory_persisted"))),
        ("process_score_present", Subject()),
        ("failure_attribution_valid", outputs(failure_attribution="zzz")),
        ("failed_run_traceable", session(run())),
    ],
)
def test_the_opposite_of_a_rule_turns_what_passed_and_not_what_was_found(
    type_: str, subject: Subject
) -> None:
    wished = graded(subject, type_).checks
    not_wished = graded(subject, type_, expected=False).checks

    assert [check.text for check in wished] == [check.text for check in not_wished]
    assert [check.passed for check in wished] == [not check.passed for check in not_wished]


@pytest.mark.parametrize(
    ("missing", "text"),
    [
        ("failure_reason", "The failed run trace_123 does not say why."),
        ("trace_id", "A failed run names no trace."),
        ("release_identity", "The failed run trace_123 names no release."),
    ],
)
def test_what_a_failed_run_lacks_is_said(missing: str, text: str) -> None:
    score = graded(session(FAILED.model_copy(update={missing: ""})), "failed_run_traceable")

    assert score.reason == text
