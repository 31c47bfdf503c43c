"""Trajectories: what is known of calls, settings that cannot be meant, and any calls at all."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from apps.grading.contracts import Subject
from apps.grading.rules.agents.trajectory import ToolTrajectory
from apps.grading.subjects import SessionRun, ToolCall, TraceEvent, Turn
from tests.bounds import bounded

from .calls import called, graded, steps, texts

# -- what is known --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "subject",
    [Subject(response="Hello"), Subject(session=(SessionRun(output_text="Hello"),))],
)
def test_where_nothing_is_known_of_tools_the_rule_cannot_say(subject: Subject) -> None:
    score = graded(subject, mode="any_order", minimums={"search": 1})

    assert (score.value, score.verdict) == (None, "skip")
    assert score.reason == "Nothing is known of the tools that were called."


@pytest.mark.parametrize(
    "subject",
    [
        Subject(turns=(Turn(role="assistant", content="Hello"),)),
        Subject(trace=(TraceEvent(event_type="run_start"),)),
        Subject(tool_counts={}),
    ],
)
def test_a_system_that_tells_and_called_nothing_has_called_nothing(subject: Subject) -> None:
    assert graded(subject, mode="any_order", minimums={"search": 1}).value == 0
    assert graded(subject, mode="in_order", expected=steps("search")).value == 0


def test_the_calls_of_a_session_count_as_well() -> None:
    subject = Subject(
        session=(
            SessionRun(tool_calls=(ToolCall(name="search"),)),
            SessionRun(tool_calls=(ToolCall(name="order"),)),
        )
    )

    assert graded(subject, mode="exact", expected=steps("search", "order")).value == 1


def test_executions_in_a_trace_are_calls_whose_arguments_are_not_known() -> None:
    events = [
        TraceEvent(event_type=kind, payload={"capability": name})
        for kind, name in [
            ("tool_policy_decision", "search"),
            ("tool_execution", "search"),
            ("tool_execution", "order"),
        ]
    ]
    subject = Subject(session=(SessionRun(trace=tuple(events)),))

    assert subject.calls_by_tool == {"search": 1, "order": 1}
    assert graded(subject, mode="exact", expected=steps("search", "order")).value == 1
    expected = [{"tool": "order", "args": {"id": 7}}]
    assert graded(subject, mode="superset", expected=expected).reason == (
        "The trace names the tools that were executed, not their arguments."
    )


def test_negate_turns_score_and_checks_round() -> None:
    score = graded(called("delete"), mode="superset", expected=steps("delete"), negate=True)

    assert (score.value, score.verdict) == (0, "fail")
    assert texts(score) == [("Found delete at position 0", False)]


# -- settings -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"mode": "any_order"}, "the mode any_order needs minimums"),
        ({"mode": "in_order"}, "the mode in_order needs expected"),
        ({"mode": "superset"}, "the mode superset needs expected"),
        ({"mode": "sideways"}, "Input should be"),
        ({"mode": "any_order", "minimums": {"a": -1}}, "greater than or equal to 0"),
        ({"mode": "exact", "expected": [{"args": {}}]}, "Field required"),
        ({"mode": "exact", "expected": [{"tool": "a", "args": "some"}]}, "'any'"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(fields: Any, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        ToolTrajectory.model_validate({"name": "tools", **fields})


# -- properties -----------------------------------------------------------------------------

NAMES = st.sampled_from(["search", "read", "order", ""])
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)
CALLS = st.lists(st.builds(ToolCall, name=NAMES | st.text(max_size=5), arguments=JSON), max_size=8)
SUBJECTS = st.builds(
    Subject,
    turns=st.lists(
        st.builds(Turn, role=st.just("assistant"), tool_calls=CALLS.map(tuple)), max_size=3
    ).map(tuple),
    tool_counts=st.none() | st.dictionaries(NAMES, st.integers(-3, 10**30)),
)
EXPECTED = st.lists(
    st.fixed_dictionaries(
        {"tool": st.sampled_from(["search", "read", "order"])},
        optional={
            "args": st.just("any") | st.dictionaries(st.text(max_size=3), JSON, max_size=3),
            "args_match": st.sampled_from(["exact", "ignore", "subset", "superset"])
            | st.lists(st.text(min_size=1, max_size=4), max_size=3),
            "max_duration_ms": st.integers(0, 1000),
        },
    ),
    min_size=1,
    max_size=6,
)


@given(
    SUBJECTS, EXPECTED, st.sampled_from(["any_order", "in_order", "exact", "subset", "superset"])
)
def test_whatever_was_called_there_is_a_value_or_a_reason(
    subject: Subject, expected: Any, mode: str
) -> None:
    score = graded(subject, mode=mode, expected=expected, minimums={"search": 2, "read": 0})

    assert (score.value is None) == bool(score.verdict == "skip" and score.reason)
    assert score.value is None or score.value == pytest.approx(
        sum(check.passed for check in score.checks) / max(len(score.checks), 1)
    )


@pytest.mark.parametrize("mode", ["in_order", "exact", "subset", "superset"])
def test_a_thousand_calls_do_not_explode(mode: str) -> None:
    calls = [("search", json.dumps({"n": n, "q": "x" * 1000})) for n in range(1_000)]
    expected = [{"tool": "search", "args": {"n": n}, "args_match": ["n"]} for n in range(200)]

    with bounded(5):
        score = graded(called(*calls), mode=mode, expected=expected[::-1])

    assert score.value is not None
    assert len(score.checks) <= 200


def test_more_calls_than_can_be_compared_are_not_compared() -> None:
    score = graded(called(*["search"] * 1_001), mode="subset", expected=steps(*["search"] * 200))

    assert (score.verdict, score.reason) == ("skip", "There are 1,001 calls, too many to compare.")
