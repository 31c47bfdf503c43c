"""The tools that were called, held against those that should be."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from apps.grading.contracts import Score, Subject
from apps.grading.rules.agents.arguments import fits, same
from apps.grading.rules.agents.trajectory import ToolTrajectory
from apps.grading.subjects import SessionRun, ToolCall, TraceEvent, Turn


def called(*calls: Any) -> Subject:
    """An answer in which these tools were called; a name, or a name with arguments."""
    made = [
        ToolCall(name=each) if isinstance(each, str) else ToolCall(name=each[0], arguments=each[1])
        for each in calls
    ]
    return Subject(turns=(Turn(role="assistant", tool_calls=tuple(made)),))


def graded(subject: Subject, **settings: Any) -> Score:
    return ToolTrajectory.model_validate({"name": "tools", **settings}).grade(subject)


def steps(*tools: str) -> list[dict[str, Any]]:
    return [{"tool": tool} for tool in tools]


def texts(score: Score) -> list[tuple[str, bool]]:
    return [(check.text, check.passed) for check in score.checks]


# -- any_order ------------------------------------------------------------------------------


def test_in_any_order_each_tool_is_counted_against_its_minimum() -> None:
    score = graded(
        called("search", "read", "search"),
        mode="any_order",
        minimums={"search": 2, "read": 1, "order": 1, "delete": 0},
    )

    assert score.value == 0.75
    assert texts(score) == [
        ("search: called 2 times (required ≥2)", True),
        ("read: called 1 times (required ≥1)", True),
        ("order: called 0 times (required ≥1)", False),
        ("delete: called 0 times (required ≥0)", True),
    ]


def test_counts_are_enough_for_any_order_and_for_no_other_mode() -> None:
    counted = Subject(tool_counts={"search": 1})

    assert graded(counted, mode="any_order", minimums={"search": 1}).value == 1
    score = graded(counted, mode="exact", expected=steps("search"))
    assert (score.verdict, score.reason) == (
        "skip",
        "Only how often each tool was called is known, not in which order or with what.",
    )


# -- in_order -------------------------------------------------------------------------------


def test_in_order_others_may_stand_between() -> None:
    score = graded(
        called("init", "search", "think", "order"),
        mode="in_order",
        expected=steps("search", "order"),
    )

    assert score.value == 1
    assert texts(score) == [
        ("Found search at position 1", True),
        ("Found order at position 3", True),
    ]


def test_a_missing_step_uses_up_the_rest() -> None:
    score = graded(
        called("search", "report"), mode="in_order", expected=steps("search", "analyze", "report")
    )

    assert score.value == pytest.approx(1 / 3)
    assert texts(score)[1:] == [
        ("Expected analyze at position 1, not found in remaining trace", False),
        ("Expected report at position 2, not found in remaining trace", False),
    ]


def test_a_step_with_other_arguments_is_used_up() -> None:
    expected = [{"tool": "search", "args": {"q": "a"}}, {"tool": "order"}]

    score = graded(
        called(("search", {"q": "b"}), ("search", {"q": "a"}), "order"),
        mode="in_order",
        expected=expected,
    )

    assert score.value == 0.5
    assert texts(score)[0] == (
        "Expected search at position 0: tool found at 0 but args mismatch",
        False,
    )


# -- exact ----------------------------------------------------------------------------------


def test_exact_is_place_by_place() -> None:
    score = graded(
        called("search", "wrong", ("order", {"id": 8})),
        mode="exact",
        expected=[*steps("search", "read"), {"tool": "order", "args": {"id": 7}}, *steps("pay")],
    )

    assert score.value == 0.25
    assert texts(score) == [
        ("Position 0: search", True),
        ("Position 1: expected read, got wrong", False),
        ("Position 2: order args mismatch", False),
        ("Position 3: expected pay, got nothing", False),
    ]


def test_a_call_too_many_is_not_exact() -> None:
    score = graded(called("search", "delete"), mode="exact", expected=steps("search"))

    assert (score.value, score.verdict) == (0.5, "fail")
    assert texts(score)[1] == ("Position 1: expected nothing, got delete", False)


def test_exactly_nothing_allows_no_call() -> None:
    assert graded(called(), mode="exact").value == 1
    assert graded(called("search"), mode="exact").value == 0


# -- superset and subset --------------------------------------------------------------------


def test_superset_counts_each_call_once() -> None:
    score = graded(
        called("order", "search"), mode="superset", expected=steps("search", "search", "order")
    )

    assert score.value == pytest.approx(2 / 3)
    assert texts(score) == [
        ("Found search at position 1", True),
        ("Expected search not found in actual trajectory", False),
        ("Found order at position 0", True),
    ]


def test_subset_allows_each_step_as_often_as_one_likes() -> None:
    score = graded(
        called("read", "read", "delete"), mode="subset", expected=steps("read", "search")
    )

    assert score.value == pytest.approx(2 / 3)
    assert texts(score) == [
        ("Position 0: read is in allowed set", True),
        ("Position 1: read is in allowed set", True),
        ("Position 2: delete is not in allowed set", False),
    ]


def test_no_call_at_all_is_a_subset_of_anything() -> None:
    score = graded(called(), mode="subset", expected=steps("read"))

    assert score.value == 1
    assert texts(score) == [("No actual tool calls (trivially a subset)", True)]
    assert graded(called("read"), mode="subset").value == 0


# -- arguments ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "given", "how", "fit"),
    [
        ({"a": 1}, {"a": 1}, "exact", True),
        ({"a": 1}, {"a": 1.0}, "exact", True),
        ({"a": 1}, {"a": True}, "exact", False),
        ({"a": 1}, {"a": 1, "b": 2}, "exact", False),
        ({"a": 1}, {"a": 1, "b": 2}, "superset", True),
        ({"a": 1, "b": 2}, {"a": 1}, "superset", False),
        ({"a": 1, "b": 2}, {"a": 1}, "subset", True),
        ({"a": 1}, {"a": 1, "b": 2}, "subset", False),
        ({"a": 1}, {}, "ignore", True),
        ({"a": 1}, None, "ignore", True),
        ("any", None, "exact", True),
        ({"a": 1}, None, "exact", False),
        (("a", "b"), {"a": 1, "b": None, "c": 3}, "exact", True),
        (("a", "b"), {"a": 1}, "exact", False),
        ({"a": {"b": 1}, "c": 2}, {"a": {"b": 1, "x": 0}, "c": 3}, ("a.b",), True),
        ({"a": {"b": 1}, "c": 2}, {"a": {"b": 1}, "c": 3}, ("a.b", "c"), False),
        ({"a": 1}, {"a": 1}, ("nowhere",), True),
        ({"a": [1, {"b": 2}]}, '{"a": [1, {"b": 2}]}', "exact", True),
        ({"a": 1}, "not json", "exact", False),
        ({"a": 1}, "[1]", "exact", False),
    ],
)
def test_arguments_are_compared_as_the_step_says(
    expected: Any, given: Any, how: Any, fit: bool
) -> None:
    assert fits(expected, given, how) is fit


def test_a_step_may_compare_otherwise_than_the_rule() -> None:
    expected = [
        {"tool": "search", "args": {"q": "a"}, "args_match": "superset"},
        {"tool": "order", "args": {"id": 7}},
    ]
    calls = called(("search", {"q": "a", "limit": 9}), ("order", {"id": 7, "note": "x"}))

    assert graded(calls, mode="exact", expected=expected).value == 0.5
    assert graded(calls, mode="exact", expected=expected, args_match=["id"]).value == 1


def test_nesting_of_any_depth_is_compared() -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]

    assert same(deep, deep)


# -- durations ------------------------------------------------------------------------------


def test_a_duration_is_one_more_thing_to_be_right() -> None:
    subject = Subject(
        turns=(
            Turn(
                role="assistant",
                tool_calls=(
                    ToolCall(name="read", duration_ms=45),
                    ToolCall(name="edit", duration_ms=900),
                    ToolCall(name="write"),
                ),
            ),
        )
    )
    limits = [{"tool": name, "max_duration_ms": 500} for name in ("read", "edit", "write", "send")]

    score = graded(subject, mode="in_order", expected=limits)

    assert score.value == pytest.approx(4 / 7)
    assert texts(score) == [
        ("Found read at position 0", True),
        ("read completed in 45ms (max: 500ms)", True),
        ("Found edit at position 1", True),
        ("edit took 900ms (max: 500ms)", False),
        ("Found write at position 2", True),
        ("Expected send at position 3, not found in remaining trace", False),
        ("send has no call to time (max: 500ms)", False),
    ]


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
def test_thousands_of_calls_take_no_time(mode: str) -> None:
    calls = [("search", json.dumps({"n": n, "q": "x" * 1000})) for n in range(1_000)]
    expected = [{"tool": "search", "args": {"n": n}, "args_match": ["n"]} for n in range(200)]
    started = time.perf_counter()

    score = graded(called(*calls), mode=mode, expected=expected[::-1])

    assert time.perf_counter() - started < 3
    assert score.value is not None
    assert len(score.checks) <= 200


def test_more_calls_than_can_be_compared_are_not_compared() -> None:
    score = graded(called(*["search"] * 1_001), mode="subset", expected=steps(*["search"] * 200))

    assert (score.verdict, score.reason) == ("skip", "There are 1,001 calls, too many to compare.")
