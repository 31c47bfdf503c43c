"""Maximum latency."""

from typing import Any

import pytest

from apps.grading.rules import MaxLatency
from tests.grading.subjects import answered


@pytest.mark.parametrize(("latency", "value"), [(1_999, 1.0), (2_000, 1.0), (2_001, 0.0)])
def test_the_limit_of_the_record_itself_is_allowed(latency: int, value: float) -> None:
    subject = answered("yes", latency_ms=latency, expected={"max_latency_ms": 2_000})

    score = MaxLatency(name="latency").grade(subject)

    assert score.value == value
    assert score.raw == {"latency_ms": latency, "limit_ms": 2_000}


def test_the_default_stands_in_where_the_record_sets_no_limit() -> None:
    rule = MaxLatency(name="latency", default_ms=100)

    assert rule.grade(answered("yes", latency_ms=101)).value == 0.0
    assert rule.grade(answered("yes", latency_ms=101, expected={"max_latency_ms": 200})).value == 1


@pytest.mark.parametrize("expected", [None, {}, {"max_latency_ms": None}, {"max_latency_ms": True}])
def test_without_a_limit_there_is_no_value_but_a_reason(expected: dict[str, Any] | None) -> None:
    score = MaxLatency(name="latency").grade(answered("yes", latency_ms=5, expected=expected))

    assert (score.value, score.verdict) == (None, "skip")
    assert score.reason == "The record sets no expected.max_latency_ms."


def test_an_unknown_latency_is_no_zero() -> None:
    score = MaxLatency(name="latency", default_ms=100).grade(answered("yes"))

    assert (score.value, score.reason) == (None, "The latency of the answer is not known.")
