"""What graders see of scenarios and sessions, and the real export judged by its own rules."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from apps.datasets import subjects
from apps.grading.combining import in_force
from apps.grading.contracts import Judgment
from apps.grading.spec import judge
from apps.grading.subjects import Subject, TraceEvent, VerifierOutput
from tests.datasets.scenario_files import event, run, scenario, session

CHECKOUT = Path(__file__).resolve().parents[3]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
EXPORT = SHARED / "conformance" / "agent_runtime_ref" / "eval-dataset.json"
TRACE = EXPORT.with_name("trace-demo.jsonl")

real = pytest.mark.skipif(
    not EXPORT.is_file(), reason=f"{EXPORT.name} is not here: set EVALHUB_SHARED to the folder"
)


def of_scenario(**changes: Any) -> subjects.Given:
    row = scenario(**changes)
    return subjects.given({"record_id": row["scenario_id"], "kind": "scenario", "row": row})


def payload(row: dict[str, Any]) -> dict[str, Any]:
    return {"record_id": row["session"]["session_id"], "kind": "session", "row": row}


def judged(row: dict[str, Any], *events: dict[str, Any]) -> Judgment:
    found = subjects.given(payload(row))
    trace = tuple(
        TraceEvent(
            event_type=each["event_type"], trace_id=each["trace_id"], payload=each["payload"]
        )
        for each in events
    )
    subject = Subject(**found.fields, **subjects.answered(payload(row)), trace=trace)
    return judge(in_force(None, found.dataset, found.record), subject)


def names(given: subjects.Given) -> list[str]:
    return [rule.name for rule in in_force(None, given.dataset, given.record).rules]


def test_a_scenario_brings_its_labels_its_rules_and_its_outcomes() -> None:
    rule = {"type": "max_tool_calls", "expected": 4, "blocking": False}

    given = of_scenario(grading_rules=[rule], labels=["write_path", "ticketing"])

    assert given.fields["labels"] == ("write_path", "ticketing")
    assert given.fields["record"]["risk_class"] == "high"
    assert names(given) == ["max_tool_calls_0", "expected_latest_status"]


def test_a_scenario_that_only_warns_warns_of_its_outcomes() -> None:
    given = of_scenario(blocking=False)

    (rule,) = in_force(None, given.dataset, given.record).rules
    assert not rule.blocking


def test_verifier_outputs_come_one_or_many_and_from_the_scenario_itself() -> None:
    said = {"verifier_id": "review", "process_score": 0.9, "verifier_evidence_refs": ["trace:t"]}

    one = of_scenario(verifier_outputs=said, failure_attribution="tool_adapter")
    many = of_scenario(verifier_outputs=[said, {"outcome_score": 1}])

    review = VerifierOutput(
        verifier_id="review", process_score=0.9, verifier_evidence_refs=("trace:t",)
    )
    assert one.fields["verifier_outputs"] == (
        review,
        VerifierOutput(failure_attribution="tool_adapter"),
    )
    assert many.fields["verifier_outputs"] == (review, VerifierOutput(outcome_score=1.0))


def test_a_session_brings_its_runs_with_what_rules_look_at() -> None:
    row = session(run(1, side_effect_status="applied"), release_identity="desk-7")

    (told,) = subjects.answered(payload(row))["session"]

    assert (told.trace_id, told.status, told.approval_id) == ("run-1", "success", "apr-1")
    assert (told.approval_status, told.idempotency_key) == ("pending", "key-1")
    assert (told.side_effect_status, told.release_identity) == ("applied", "desk-7")


def test_keys_of_later_exports_and_values_of_other_types_do_no_harm() -> None:
    row = session(run(1, task_success=None, subagent_count=3, input_sha256="f", failure_reason=""))
    row["runs"][0]["approval_id"] = None

    (told,) = subjects.answered(payload(row))["session"]

    assert told.approval_id == ""


def test_only_sessions_tell_how_their_answer_was_made() -> None:
    row = scenario()

    assert subjects.answered({"record_id": "refund-1", "kind": "scenario", "row": row}) == {}


def test_a_session_without_rules_brings_none() -> None:
    row = session(run())
    del row["eval"]

    given = subjects.given(payload(row))

    assert given.fields["labels"] == ()
    assert names(given) == []


@real
def test_the_real_export_is_judged_by_its_own_rules_and_outcomes() -> None:
    found = {
        row["eval"]["scenario"]: judged(row) for row in json.loads(EXPORT.read_bytes())["sessions"]
    }

    assert {name: judgment.outcome for name, judgment in found.items()} == {
        "support_ticket": "unjudged",
        "profile_memory": "passed",
        "mixed_session": "passed",
        "failed_run_timeout": "passed",
    }
    silent = [score.rule for score in found["support_ticket"].scores if score.value is None]
    assert silent == ["sandbox_profile_review_0", "expected_sandbox_profile_reviewed"]
    guard = found["failed_run_timeout"].scores[0]
    assert (guard.type, guard.value) == ("duplicate_ticket_guard", 1)
    assert guard.evidence == ("trace:trace-eval-failed-run-001",)


@real
def test_with_its_trace_the_sandbox_review_can_be_judged_too() -> None:
    row = json.loads(EXPORT.read_bytes())["sessions"][0]
    events = [json.loads(line) for line in TRACE.read_text().splitlines()]

    judgment = judged(row, *events)

    assert judgment.outcome == "passed"
    assert {score.value for score in judgment.scores} == {1.0}
    assert (judgment.process_score, judgment.outcome_score) == (1.0, 1.0)


def test_a_trace_without_the_review_fails_the_scenario_that_asks_for_one() -> None:
    row = session(run(1))
    row["eval"]["expected_outcomes"] = {"sandbox_profile_reviewed": True}

    judgment = judged(row, event("run_start", "run-1"))

    assert judgment.outcome == "failed"
