from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from apps.metrics.contracts import Interval
from apps.metrics.intervals import rate
from apps.web.templatetags import formats

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "value", "arguments", "shown"),
    [
        ("number", 0, (), "0"),
        ("number", 37598, (), "37,598"),
        ("number", -1200, (), "−1,200"),
        ("decimal", 0.8149, (), "0.81"),
        ("decimal", 1234.5, (1,), "1,234.5"),
        ("signed", 0.02, (2,), "+0.02"),
        ("signed", -0.31, (2,), "−0.31"),
        ("signed", -0.001, (1,), "0.0"),
        ("percent", 0.862, (), "86.2 %"),
        ("percent", 1, (0,), "100 %"),
        ("percent", -0.0001, (), "0.0 %"),
        ("points", 0.019, (), "+1.9 points"),
        ("points", -0.029, (), "−2.9 points"),
        ("plural", 1, ("record",), "1 record"),
        ("plural", 1734, ("record",), "1,734 records"),
        ("plural", 2, ("reply,replies",), "2 replies"),
        ("milliseconds", 0, (), "0 ms"),
        ("milliseconds", 0.42, (), "0.4 ms"),
        ("milliseconds", 742, (), "742 ms"),
        ("milliseconds", 999.7, (), "1.00 s"),
        ("milliseconds", 1840, (), "1.84 s"),
        ("milliseconds", 95_000, (), "1 min 35 s"),
        ("duration", 3.14, (), "3.1 s"),
        ("duration", 63, (), "1 min 03 s"),
        ("duration", 59.7, (), "1 min 00 s"),
        ("duration", timedelta(hours=2, minutes=3), (), "2 h 03 min"),
        ("duration", timedelta(days=3, hours=5), (), "3 d 5 h"),
        ("size", 0, (), "0 bytes"),
        ("size", 999, (), "999 bytes"),
        ("size", 1_200_000, (), "1.2 MB"),
        ("size", 104_857_600, (), "105 MB"),
        ("size", 5_000_000_000_000, (), "5.0 TB"),
        ("cost", 0, (), "$0.00"),
        ("cost", 14.07, (), "$14.07"),
        ("cost", 0.00042, (), "$0.00042"),
        ("cost", -3, (), "−$3.00"),
        ("clip", "short", (80,), "short"),
        ("clip", "one two three", (8,), "one two…"),
        ("direction", 0.019, (), "good"),
        ("direction", -0.003, (), "bad"),
        ("direction", 0.0001, (), "muted"),
        ("exact", NOW, (), "2026-11-21 12:00:00 UTC"),
        ("iso", NOW, (), "2026-11-21T12:00:00Z"),
        ("point", rate(862, 1000), (), "86.2 %"),
        ("interval", rate(862, 1000), (), "83.9 – 88.2"),
    ],
)
def test_a_value_is_shown_with_its_unit(
    name: str, value: Any, arguments: tuple[Any, ...], shown: str
) -> None:
    assert getattr(formats, name)(value, *arguments) == shown


@pytest.mark.parametrize(
    "name", ["number", "percent", "points", "milliseconds", "duration", "size", "cost", "ago"]
)
@pytest.mark.parametrize("value", [None, "", float("nan")])
def test_what_is_not_known_is_a_dash_and_never_nan(name: str, value: Any) -> None:
    assert getattr(formats, name)(value) == "–"


@pytest.mark.parametrize(
    ("before", "shown"),
    [
        (timedelta(seconds=3), "just now"),
        (timedelta(seconds=42), "42 s ago"),
        (timedelta(minutes=5, seconds=50), "5 min ago"),
        (timedelta(hours=23), "23 h ago"),
        (timedelta(days=1), "1 day ago"),
        (timedelta(days=27), "27 days ago"),
        (timedelta(days=40), "12 Oct 2026"),
        (timedelta(minutes=-2), "in 2 min"),
    ],
)
def test_a_moment_is_told_relative_to_now(before: timedelta, shown: str) -> None:
    assert formats.since(NOW - before, NOW) == shown


def test_an_estimate_without_a_bound_shows_what_is_known() -> None:
    half = Interval(point=1.9, low=1.7, high=None, n=12, method="order", reason="too few")

    assert formats.interval(half, "score") == "1.70 – –"
    assert formats.interval(rate(0, 0)) == "–"


def test_the_last_line_of_a_text_is_hidden_only_where_it_helps() -> None:
    assert not formats.hidden_beyond("x" * 120, 100)
    assert formats.hidden_beyond("x" * 126, 100)
