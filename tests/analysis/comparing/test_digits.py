"""An interval that leaves out 0 never looks as if it touched it."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from apps.analysis.showing import words
from apps.metrics.contracts import Interval
from apps.web.charts.whiskers import span_words
from apps.web.drawing import Unit, digits, say

UNITS: tuple[Unit, ...] = ("percent", "score", "ms", "usd", "count")
SIZES = st.floats(1e-30, 1e6)


def interval(low: float, high: float) -> Interval:
    return Interval(point=(low + high) / 2, low=low, high=high, n=40, method="", reason="")


def is_nothing(told: str) -> bool:
    return re.search("[1-9]", told) is None


@pytest.mark.parametrize("unit", UNITS)
@given(ends=st.tuples(SIZES, SIZES), below=st.booleans())
def test_no_end_of_an_interval_on_one_side_of_0_is_told_as_0(
    unit: Unit, ends: tuple[float, float], below: bool
) -> None:
    low, high = sorted(-end if below else end for end in ends)
    assume(unit != "usd" or max(ends) >= words.TINY)
    found = interval(low, high)

    for told in (span_words(found, unit, signed=True), words.bounds(found, unit)):
        assert not any(is_nothing(end) for end in told.split(" to "))
    assert not is_nothing(words.moved(found, unit))


@given(SIZES)
def test_more_digits_are_shown_only_where_fewer_would_show_nothing(size: float) -> None:
    plain = digits(size, 1)

    assert digits(size, 1, exact=True) == plain or is_nothing(plain)


@pytest.mark.parametrize(
    ("unit", "low", "high", "told"),
    [
        ("ms", -0.8, -0.045, "−0.8 ms to −0.04 ms"),
        ("count", -1.0, -0.041, "−1.0 to −0.04"),
        ("percent", 0.0004, 0.012, "+0.04 to +1.2 points"),
        ("usd", -0.5, -0.000001, "−$0.50 to under $0.00001 less"),
        ("score", -0.2, 0.0001, "−0.200 to 0.000"),
        ("ms", -0.8, 0.045, "−0.8 ms to 0.0 ms"),
    ],
)
def test_bounds_have_the_digits_that_their_verdict_takes(
    unit: Unit, low: float, high: float, told: str
) -> None:
    assert words.bounds(interval(low, high), unit) == told


def test_pictures_tell_the_same() -> None:
    assert span_words(interval(-0.8, -0.045), "ms", signed=True) == "−0.8 ms to −0.04 ms"
    assert say(-0.045, "count") == "0"
