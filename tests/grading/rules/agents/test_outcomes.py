"""What became of an agent's session: its status, its counts, and what its verifier says."""

from typing import Any

import pytest

from apps.grading.contracts import Subject

from .sessions import event, graded, outputs, run, session, traced

# -- status_equals --------------------------------------------------------------------------


def test_the_latest_run_decides_and_not_an_earlier_one() -> None:
    subject = session(run("success"), run("failed", trace_id="trace_123"))

    score = graded(subject, "status_equals", expected="success")

    assert score.value == 0
    assert score.reason == "The latest run ended with failed, not with success."
    assert score.evidence == ("trace:trace_123",)


def test_any_run_may_decide_where_the_rule_says_so() -> None:
    subject = session(run("success"), run("failed"))

    assert graded(subject, "status_equals", expected="success", runs="any").value == 1
    assert graded(subject, "status_equals", expected="denied", runs="any").value == 0


def test_one_of_several_statuses_is_enough() -> None:
    assert graded(session(run("denied")), "status_equals", expected=["failed", "denied"]).value == 1


def test_the_end_of_a_trace_tells_the_status_where_no_session_does() -> None:
    assert graded(traced(event("run_failed")), "status_equals", expected="failed").value == 1
    done = traced(event("run_complete", status="waiting_for_approval"))
    assert graded(done, "status_equals", expected="waiting_for_approval").value == 1
    assert graded(traced(event("run_complete")), "status_equals", expected="success").value == 1


@pytest.mark.parametrize(
    ("subject", "runs"),
    [
        (Subject(response="success"), "latest"),
        (session(run("success"), run("")), "latest"),
        (session(run("failed"), run("")), "any"),
        (traced(event("retrieval")), "latest"),
    ],
)
def test_a_status_that_nobody_told_is_no_score(subject: Subject, runs: str) -> None:
    score = graded(subject, "status_equals", expected="success", runs=runs)

    assert score.value is None
    assert "tell" in score.reason


# -- process_score_present, outcome_score_present, failure_attribution_valid -------------------


def test_a_score_of_the_verifier_must_be_a_number_from_0_to_1() -> None:
    assert graded(outputs(process_score=0.92), "process_score_present").value == 1
    assert graded(outputs(outcome_score=0.0), "outcome_score_present").value == 1
    assert graded(outputs(process_score=1.2), "process_score_present").value == 0
    assert graded(outputs(process_score=float("nan")), "process_score_present").value == 0
    assert graded(outputs(process_score=0.92), "outcome_score_present").value == 0


def test_no_verifier_output_is_the_finding_itself() -> None:
    score = graded(Subject(), "process_score_present")

    assert score.value == 0
    assert score.checks[0].evidence == "There is no verifier output."


def test_an_attribution_is_held_against_the_usual_words_or_those_of_the_rule() -> None:
    usual = outputs(failure_attribution="uncontrollable_environment")

    assert graded(usual, "failure_attribution_valid").value == 1
    assert graded(usual, "failure_attribution_valid", allowed=["weather"]).value == 0
    assert graded(usual, "failure_attribution_valid", expected="tool_adapter").value == 0
    assert graded(usual, "failure_attribution_valid", expected=False).value == 0
    assert graded(outputs(failure_attribution="bad luck"), "failure_attribution_valid").value == 0


def test_nothing_attributed_is_no_score() -> None:
    assert graded(outputs(process_score=1), "failure_attribution_valid").value is None


# -- session_outcome ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "found"),
    [
        ("total_runs", 5),
        ("required_run_count", 5),
        ("success_runs", 2),
        ("denied_runs", 1),
        ("failed_runs", 1),
        ("traceable_failed_runs", 1),
        ("approval_wait_runs", 1),
        ("reconciliation_runs", 1),
        ("approval_status_counts", {"pending": 1, "success": 1}),
    ],
)
def test_every_count_is_taken_from_the_runs(outcome: str, found: Any) -> None:
    subject = session(
        run(
            approval_id="apr-1",
            approval_status="pending",
            output_text="Waiting for human approval (apr-1).",
        ),
        run(approval_id="apr-2"),
        run("denied"),
        run("failed", failure_reason="timeout", output_text="Halted.", trace_id="trace_123"),
        run("blocked_on_reconciliation"),
    )

    score = graded(subject, "session_outcome", outcome=outcome, expected=found)

    assert score.value == 1, score.reason


def test_a_count_that_is_off_says_what_the_runs_give() -> None:
    score = graded(session(run()), "session_outcome", outcome="failed_runs", expected=1)

    assert score.value == 0
    assert score.reason == "failed_runs is 0, not 1."


def test_a_run_without_a_status_cannot_be_counted_by_it() -> None:
    subject = session(run(), run(""))

    assert graded(subject, "session_outcome", outcome="failed_runs", expected=0).value is None
    assert graded(subject, "session_outcome", outcome="total_runs", expected=2).value == 1
    empty = Subject(response="Done.")
    assert graded(empty, "session_outcome", outcome="total_runs", expected=0).value is None


def test_a_count_wants_a_number_and_the_statuses_want_several() -> None:
    with pytest.raises(ValueError, match="failed_runs expects a whole number"):
        graded(Subject(), "session_outcome", outcome="failed_runs", expected={"pending": 1})
    with pytest.raises(ValueError, match="expects numbers by status"):
        graded(Subject(), "session_outcome", outcome="approval_status_counts", expected=1)
