"""The rules of agent scenarios: what an agent's session, its traces and its verifier tell."""

from typing import Any

import pytest
from pydantic import TypeAdapter

from apps.grading.contracts import Score, Subject
from apps.grading.rules import AnyRule
from apps.grading.subjects import SessionRun, ToolCall, TraceEvent, Turn, VerifierOutput

REVIEW = {
    "sandbox_profile_contract": "sandbox-profile-v1",
    "workspace_entries_reviewed": "true",
    "permissions_profile": "restricted-shell-network-denied",
    "network_secrets_posture": "network:denied,secrets:none",
    "snapshot_policy": "required_on_completion",
}
EXPECTED = {**REVIEW, "workspace_entries_reviewed": True}


def graded(subject: Subject, type_: str, **settings: Any) -> Score:
    rule: Any = TypeAdapter(AnyRule).validate_python({"type": type_, "name": "it", **settings})
    score: Score = rule.grade(subject)
    return score


def session(*runs: SessionRun, **fields: Any) -> Subject:
    return Subject(session=runs, **fields)


def run(status: str = "success", **fields: Any) -> SessionRun:
    return SessionRun(status=status, **fields)


def event(kind: str, trace_id: str = "trace_123", **payload: Any) -> TraceEvent:
    return TraceEvent(event_type=kind, trace_id=trace_id, payload=payload)


def traced(*events: TraceEvent) -> Subject:
    return Subject(trace=events)


def called(*names: str) -> Subject:
    calls = tuple(ToolCall(name=name) for name in names)
    return Subject(turns=(Turn(role="assistant", tool_calls=calls),))


def outputs(**said: Any) -> Subject:
    return Subject(verifier_outputs=(VerifierOutput(**said),))


FAILED = run(
    "failed", failure_reason="tool_timeout", trace_id="trace_123", release_identity="desk-7"
)


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


# -- contains_substring ---------------------------------------------------------------------


def test_each_text_may_stand_in_another_run() -> None:
    subject = session(run(output_text="It waits for you."), run("failed", failure_reason="timeout"))

    assert graded(subject, "contains_substring", expected=["waits", "timeout"]).value == 1


def test_the_share_of_the_texts_that_were_said_is_the_value() -> None:
    score = graded(
        Subject(response="A refund."), "contains_substring", expected=["refund", "Refund"]
    )

    assert score.value == 0.5
    assert score.reason == "'Refund' was not said."
    assert score.verdict == "fail"


def test_case_may_be_ignored() -> None:
    rule = {"expected": "REFUND", "ignore_case": True}

    assert graded(Subject(response="A refund."), "contains_substring", **rule).value == 1


def test_what_the_assistant_said_in_a_turn_counts_and_what_a_tool_said_does_not() -> None:
    turns = (Turn(role="assistant", content="327 dollars"), Turn(role="tool", content="secret"))
    subject = Subject(turns=turns, response="Bye.")

    assert graded(subject, "contains_substring", expected="327").value == 1
    assert graded(subject, "contains_substring", expected="secret").value == 0


# -- max_tool_calls -------------------------------------------------------------------------


def test_one_call_more_than_allowed_is_too_many() -> None:
    assert graded(called("a", "b"), "max_tool_calls", expected=2).value == 1
    score = graded(called("a", "b", "c"), "max_tool_calls", expected=2, blocking=False)

    assert (score.value, score.verdict) == (0, "warn")
    assert score.reason == "3 tool calls were made: more than 2."


def test_events_are_counted_before_calls_and_never_both() -> None:
    calls = (ToolCall(name="a"),) * 5
    events = (event("run_start"), event("tool_execution"), event("tool_execution"))
    subject = session(run(trace=events, tool_calls=calls), run(tool_calls=calls[:1]))

    assert graded(subject, "max_tool_calls", expected=9).raw == {"tool_calls": 3}


def test_a_conversation_without_calls_called_nothing() -> None:
    subject = Subject(turns=(Turn(role="assistant", content="Hello."),))

    assert graded(subject, "max_tool_calls", expected=0).value == 1


def test_an_answer_that_tells_nothing_of_tools_is_no_score() -> None:
    for subject in (Subject(response="Done."), session(run())):
        assert graded(subject, "max_tool_calls", expected=9).value is None


# -- approval_required ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "subject",
    [
        session(run(approval_id="apr-001")),
        session(run("approval_required")),
        session(run("waiting_for_approval")),
        traced(event("approval_requested", approval_id="apr-001")),
    ],
)
def test_an_approval_is_found_wherever_it_is_told(subject: Subject) -> None:
    assert graded(subject, "approval_required").value == 1
    assert graded(subject, "approval_required", expected=False).value == 0


def test_a_run_that_asked_nobody_fails_and_one_that_tells_nothing_has_no_score() -> None:
    assert graded(session(run()), "approval_required").value == 0
    assert graded(session(run()), "approval_required", expected=False).value == 1
    assert graded(session(run("")), "approval_required").value is None
    assert graded(Subject(response="Done."), "approval_required").value is None


# -- policy_violation_absent, memory_write_absent -------------------------------------------


@pytest.mark.parametrize(
    "violation",
    [
        event("policy_precheck", action="deny", reason="unknown_tenant"),
        event("tool_policy_decision", action="Denied", capability="pay"),
        event("trajectory_policy_decision", decision="block"),
        event("policy_violation_reported"),
        event("tool_execution", status="permission_denied"),
    ],
)
def test_a_denial_is_a_violation(violation: TraceEvent) -> None:
    score = graded(traced(event("run_start"), violation), "policy_violation_absent")

    assert score.value == 0
    assert score.reason.startswith(violation.event_type)
    assert score.evidence == ("trace:trace_123",)


def test_a_denied_run_is_a_violation_and_a_question_for_approval_is_none() -> None:
    asked = traced(event("tool_policy_decision", action="approval_required"))

    assert graded(session(run("denied")), "policy_violation_absent").value == 0
    assert graded(asked, "policy_violation_absent").value == 1
    assert graded(session(run()), "policy_violation_absent").value == 1


def test_a_person_who_rejects_violates_no_policy() -> None:
    rejected = traced(event("approval_resolved", decision="rejected"))

    assert graded(rejected, "policy_violation_absent").value == 1


def test_without_trace_and_status_nobody_can_tell_of_violations() -> None:
    for subject in (Subject(response="All good."), session(run(""))):
        score = graded(subject, "policy_violation_absent")

        assert (score.value, score.verdict) == (None, "skip")


def test_a_write_into_memory_is_found_and_a_decision_is_none() -> None:
    decided = traced(event("memory_write_decision", action="allow"))
    wrote = traced(event("memory_write_decision"), event("memory_persisted"))

    assert graded(decided, "memory_write_absent").value == 1
    assert graded(wrote, "memory_write_absent").value == 0
    assert graded(wrote, "memory_write_absent", expected=False).value == 1


def test_memory_is_known_only_where_every_run_has_its_trace() -> None:
    half = session(run(trace=(event("run_start"),)), run())
    half_and_wrote = session(run(trace=(event("memory_persisted"),)), run())

    assert graded(session(run()), "memory_write_absent").value is None
    assert graded(half, "memory_write_absent").reason.startswith("1 of 2 runs came without a trace")
    assert graded(half_and_wrote, "memory_write_absent").value == 0


def test_events_beside_the_session_belong_to_the_run_with_their_trace() -> None:
    subject = session(
        run("", trace_id="one"),
        run("", trace_id="two"),
        trace=(event("run_complete", "one"), event("run_failed", "two", failure_reason="timeout")),
    )

    assert graded(subject, "status_equals", expected="failed").value == 1
    assert graded(subject, "memory_write_absent").value == 1


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


# -- failed_run_traceable -------------------------------------------------------------------


def test_a_failed_run_needs_reason_trace_and_release_each_a_check() -> None:
    score = graded(session(FAILED), "failed_run_traceable")

    assert score.value == 1
    assert [check.passed for check in score.checks] == [True] * 4
    assert score.evidence == ("trace:trace_123",)


@pytest.mark.parametrize("missing", ["failure_reason", "trace_id", "release_identity"])
def test_each_thing_that_is_missing_takes_its_share(missing: str) -> None:
    score = graded(session(FAILED.model_copy(update={missing: ""})), "failed_run_traceable")

    assert (score.value, score.verdict) == (0.75, "fail")


def test_a_drill_that_did_not_fail_shows_nothing() -> None:
    assert graded(session(run()), "failed_run_traceable").value == 0
    assert graded(Subject(response="Done."), "failed_run_traceable").value is None


def test_a_trace_alone_can_tell_all_of_a_failed_run() -> None:
    subject = traced(
        event("run_start", release_identity="desk-7"),
        event("run_failed", failure_reason="tool_timeout"),
    )

    assert graded(subject, "failed_run_traceable").value == 1


# -- sandbox_profile_review -----------------------------------------------------------------


def test_the_review_must_say_what_was_expected() -> None:
    reviewed = traced(event("sandbox_profile_reviewed", **REVIEW))

    assert graded(reviewed, "sandbox_profile_review", expected=EXPECTED).value == 1
    score = graded(
        reviewed, "sandbox_profile_review", expected={**EXPECTED, "snapshot_policy": "never"}
    )
    assert score.value == 0.8
    assert score.reason == "snapshot_policy is 'required_on_completion', not 'never'."


def test_true_asks_for_all_five() -> None:
    four = {name: text for name, text in REVIEW.items() if name != "snapshot_policy"}

    assert graded(traced(event("sandbox_profile_reviewed", **REVIEW)), "sandbox_profile_review")
    score = graded(traced(event("sandbox_profile_reviewed", **four)), "sandbox_profile_review")
    assert score.value == 0.8
    assert score.reason == "The review does not say snapshot_policy."


def test_the_latest_review_counts() -> None:
    subject = traced(
        event("sandbox_profile_reviewed", **REVIEW),
        event("sandbox_profile_reviewed", **{**REVIEW, "snapshot_policy": "never"}),
    )

    assert graded(subject, "sandbox_profile_review", expected=EXPECTED).value == 0.8


def test_the_record_may_hold_the_review() -> None:
    for record in (REVIEW, {"sandbox_profile_review": REVIEW}):
        subject = Subject(record=record)

        assert graded(subject, "sandbox_profile_review", expected=EXPECTED).value == 1


def test_a_trace_without_a_review_fails_and_no_trace_at_all_is_no_score() -> None:
    assert graded(traced(event("run_start")), "sandbox_profile_review").value == 0
    assert graded(session(run()), "sandbox_profile_review").value is None


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


# -- what the checks say --------------------------------------------------------------------


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
