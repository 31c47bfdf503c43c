"""Whatever a system tells of its behaviour, the rules of agents give a value or a reason."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from apps.grading.combining import OwnRules, own
from apps.grading.contracts import Subject
from apps.grading.dialects.scenarios import TYPES, of_outcomes, of_rules
from apps.grading.rules import AnyRule, Rule
from apps.grading.subjects import SessionRun, ToolCall, TraceEvent, Turn, VerifierOutput
from tests.bounds import bounded

_RULES: TypeAdapter[Rule] = TypeAdapter(AnyRule)
EXPECTED: dict[str, Any] = {
    "status_equals": "failed",
    "contains_substring": ["a", "tool_timeout"],
    "max_tool_calls": 2,
}
RULES = tuple(
    _RULES.validate_python(
        {"type": kind, "name": kind, **({"expected": EXPECTED[kind]} if kind in EXPECTED else {})}
    )
    for kind in sorted(TYPES)
) + tuple(
    _RULES.validate_python(
        {"type": "session_outcome", "name": outcome, "outcome": outcome, "expected": expected}
    )
    for outcome, expected in {
        "total_runs": 2,
        "required_run_count": 1,
        "success_runs": 1,
        "denied_runs": 0,
        "failed_runs": 1,
        "traceable_failed_runs": 1,
        "approval_wait_runs": 0,
        "reconciliation_runs": 0,
        "approval_status_counts": {"pending": 1},
    }.items()
)

texts = st.text(max_size=20) | st.sampled_from(
    ["failed", "success", "tool_timeout", "create_ticket"]
)
ids = st.sampled_from(["", "trace_1", "trace_2"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
payloads = st.dictionaries(
    st.sampled_from(["status", "action", "capability", "idempotency_key", "snapshot_policy"]),
    values | st.sampled_from(["deny", "failed", "side_effect_unknown", "applied", "true"]),
)
kinds = st.sampled_from(
    [
        "run_start",
        "run_failed",
        "run_complete",
        "tool_execution",
        "tool_policy_decision",
        "approval_requested",
        "sandbox_profile_reviewed",
        "memory_persisted",
        "effect_reconciliation_required",
        "",
    ]
)
events = st.builds(TraceEvent, event_type=kinds, trace_id=ids, payload=payloads)
calls = st.builds(ToolCall, name=texts, arguments=values, result=values)
runs = st.builds(
    SessionRun,
    status=st.sampled_from(["", "success", "failed", "denied", "blocked_on_reconciliation", "?"]),
    output_text=texts,
    failure_reason=texts,
    trace_id=ids,
    approval_id=ids,
    capability_name=texts,
    idempotency_key=ids,
    side_effect_status=st.sampled_from(["", "applied", "side_effect_unknown", "odd"]),
    tool_calls=st.lists(calls, max_size=2).map(tuple),
    trace=st.lists(events, max_size=3).map(tuple),
)
subjects = st.builds(
    Subject,
    response=texts,
    session=st.lists(runs, max_size=3).map(tuple),
    trace=st.lists(events, max_size=4).map(tuple),
    turns=st.lists(
        st.builds(
            Turn,
            role=st.sampled_from(["assistant", "tool"]),
            content=texts,
            tool_calls=st.lists(calls, max_size=2).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
    verifier_outputs=st.lists(
        st.builds(
            VerifierOutput,
            process_score=st.none() | st.floats(),
            outcome_score=st.none() | st.floats(),
            failure_attribution=texts,
        ),
        max_size=2,
    ).map(tuple),
    record=st.dictionaries(
        st.sampled_from(["failure_attribution", "snapshot_policy", "sandbox_profile_review"]),
        values,
    ),
)


@given(subjects)
def test_a_rule_never_raises_and_gives_a_value_or_a_reason(subject: Subject) -> None:
    for rule in RULES:
        score = rule.grade(subject)

        assert (score.value is None) == (score.verdict == "skip")
        assert score.reason or score.verdict == "pass"
        assert score.value is None or 0 <= score.value <= 1
        assert score == rule.grade(subject)


@given(subjects)
def test_what_is_not_passed_is_explained_by_a_check(subject: Subject) -> None:
    for rule in RULES:
        score = rule.grade(subject)

        if score.value is not None:
            assert score.checks
            assert (score.value == 1) == all(check.passed for check in score.checks)


@given(subjects)
def test_an_answer_that_told_nothing_never_passes_silently(subject: Subject) -> None:
    bare = Subject(response=subject.response)
    told = {"contains_substring", "process_score_present", "outcome_score_present"}

    for rule in RULES:
        if rule.type not in told:
            assert rule.grade(bare).value is None, rule.type


@given(st.lists(st.dictionaries(texts | st.just("type"), values)), st.dictionaries(texts, values))
def test_whatever_a_file_says_becomes_rules(
    entries: list[dict[str, Any]], expected: dict[str, Any]
) -> None:
    written = (*of_rules(entries), *of_outcomes(expected))

    assert len(own(OwnRules(rules=written))) == len(written)


def test_long_sessions_are_judged_without_exploding() -> None:
    events = tuple(
        TraceEvent(
            event_type="tool_execution",
            trace_id=f"trace_{number % 500}",
            payload={"capability": "create_ticket", "status": "failed", "reason": "x" * 100},
        )
        for number in range(20_000)
    )
    runs = tuple(
        SessionRun(status="failed", trace_id=f"trace_{number}", output_text="y" * 1_000)
        for number in range(1_000)
    )
    subject = Subject(session=runs, trace=events)

    with bounded(12):
        for rule in RULES:
            rule.grade(subject)
