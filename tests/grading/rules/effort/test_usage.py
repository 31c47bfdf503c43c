"""What an answer took, against what it may take."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from apps.grading.contracts import Subject
from apps.grading.rules.effort.execution import ExecutionMetrics
from apps.grading.rules.effort.usage import Cost, Latency, TokenUsage
from apps.grading.subjects import ToolCall, Turn

AGENT = Subject(
    response="done",
    turns=(
        Turn(role="assistant", tool_calls=(ToolCall(name="search"), ToolCall(name="Read"))),
        Turn(role="tool", content="found"),
        Turn(role="assistant", content="done", tool_calls=(ToolCall(name="write"),)),
    ),
    latency_ms=3_420,
    input_tokens=450,
    output_tokens=380,
    cost=0.0042,
)
UNKNOWN = Subject(response="done")


@pytest.mark.parametrize(
    ("rule", "text", "value"),
    [
        (Latency(name="r", max_ms=5_000), "Duration 3420ms <= 5000ms threshold", 1.0),
        (Latency(name="r", max_ms=3_420), "Duration 3420ms <= 3420ms threshold", 1.0),
        (Latency(name="r", max_ms=99.5), "Duration 3420ms > 99.5ms threshold", 0.0),
        (Cost(name="r", budget=0.01), "Cost 0.0042 <= 0.0100 budget", 1.0),
        (Cost(name="r", budget=0.004), "Cost 0.0042 > 0.0040 budget", 0.0),
        (TokenUsage(name="r", max_total=830), "Total tokens 830 <= 830", 1.0),
        (TokenUsage(name="r", max_input=100), "Input tokens 450 > 100", 0.0),
        (TokenUsage(name="r", max_output=1e6), "Output tokens 380 <= 1000000", 1.0),
    ],
)
def test_a_limit_is_kept_or_not(rule: Latency | Cost | TokenUsage, text: str, value: float) -> None:
    score = rule.grade(AGENT)

    assert [check.text for check in score.checks] == [text]
    assert score.value == value


def test_one_limit_of_tokens_that_is_exceeded_is_enough() -> None:
    score = TokenUsage(name="r", max_input=500, max_output=300, max_total=900).grade(AGENT)

    assert score.value == 0.0
    assert [check.passed for check in score.checks] == [True, False, True]


@pytest.mark.parametrize(
    ("limits", "text", "passed"),
    [
        ({"max_tool_calls": 2}, "Tool calls 3 > 2 max", False),
        ({"max_llm_calls": 2}, "LLM calls 2 <= 2 max", True),
        ({"max_tokens": 829}, "Total tokens 830 > 829 max", False),
        ({"max_cost_usd": 0.01}, "Cost 0.0042 <= 0.0100 max", True),
        ({"max_duration_ms": 5_000}, "Duration 3420ms <= 5000ms max", True),
        (
            {"target_exploration_ratio": 0.6},
            "Exploration ratio 0.67 within tolerance of target 0.6",
            True,
        ),
        (
            {"target_exploration_ratio": 0.4},
            "Exploration ratio 0.67 outside tolerance of target 0.4",
            False,
        ),
        (
            {"target_exploration_ratio": 0, "exploration_tools": ["write"]},
            "Exploration ratio 0.33 outside tolerance of target 0",
            False,
        ),
    ],
)
def test_each_limit_on_the_way_to_the_answer_is_a_check(
    limits: dict[str, Any], text: str, passed: bool
) -> None:
    score = ExecutionMetrics(name="r", **limits).grade(AGENT)

    assert [(check.text, check.passed) for check in score.checks] == [(text, passed)]


def test_the_value_is_the_share_of_the_limits_that_were_kept() -> None:
    rule = ExecutionMetrics(name="r", max_tool_calls=1, max_tokens=1_000, max_duration_ms=5_000)

    assert rule.grade(AGENT).value == pytest.approx(2 / 3)


def test_calls_that_are_only_counted_count() -> None:
    counted = Subject(response="done", tool_counts={"search": 2, "write": 2})
    rule = ExecutionMetrics(name="r", max_tool_calls=3, target_exploration_ratio=0.5)

    assert [check.passed for check in rule.grade(counted).checks] == [False, True]


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (Latency(name="r", max_ms=1), "The latency of the answer is not known."),
        (Cost(name="r", budget=1), "The cost of the answer is not known"),
        (TokenUsage(name="r", max_total=1), "The tokens of the answer are not known"),
        (ExecutionMetrics(name="r", max_tool_calls=1), "It is not known what tools"),
        (ExecutionMetrics(name="r", max_llm_calls=1), "It is not known how often"),
        (ExecutionMetrics(name="r", max_tokens=1), "The tokens of the answer are not known"),
        (ExecutionMetrics(name="r", max_cost_usd=1), "The cost of the answer is not known"),
        (ExecutionMetrics(name="r", max_duration_ms=1), "The latency of the answer is not known"),
        (ExecutionMetrics(name="r", target_exploration_ratio=1), "It is not known what tools"),
    ],
)
def test_what_is_not_known_is_no_fault_and_no_merit(rule: Any, reason: str) -> None:
    score = rule.grade(UNKNOWN)

    assert (score.value, score.verdict) == (None, "skip")
    assert score.reason.startswith(reason)


def test_without_any_call_there_is_no_share_of_exploring() -> None:
    quiet = Subject(response="done", turns=(Turn(role="assistant", content="done"),))

    score = ExecutionMetrics(name="r", target_exploration_ratio=0.5).grade(quiet)

    assert (score.value, score.verdict) == (None, "skip")


@pytest.mark.parametrize("rule", [TokenUsage, ExecutionMetrics])
def test_a_rule_without_any_limit_is_refused(rule: type[TokenUsage | ExecutionMetrics]) -> None:
    with pytest.raises(ValidationError, match="set at least one of"):
        rule(name="r")


@given(st.integers(min_value=0), st.floats(min_value=0, max_value=1e15))
def test_what_is_within_the_limit_is_not_above_it(latency: int, limit: float) -> None:
    score = Latency(name="r", max_ms=limit).grade(Subject(response="", latency_ms=latency))

    assert score.value == float(latency <= limit)


def test_a_number_of_any_length_has_a_sentence() -> None:
    huge = Subject(response="", latency_ms=10**5_000, input_tokens=10**5_000, output_tokens=1)

    assert Latency(name="r", max_ms=1).grade(huge).value == 0.0
    assert TokenUsage(name="r", max_total=1).grade(huge).value == 0.0
