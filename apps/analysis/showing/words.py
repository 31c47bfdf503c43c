"""Metrics, differences and verdicts in words."""

from collections.abc import Callable
from typing import NamedTuple

from apps.metrics.compared import Difference, Move, Verdict
from apps.metrics.contracts import TOO_FEW, Interval
from apps.web.drawing import Unit, digits, excludes_zero
from apps.web.states import Tone, look_of
from apps.web.templatetags import formats

MINUS = formats.MINUS
TINY = 0.00001
LEAST = "$0.00001"
"""A cost of a record below which digits tell nobody anything, in dollars and in words."""
ALPHA = 0.05
"""As `apps.metrics.comparing` has it, which takes a second to import."""


class Name(NamedTuple):
    """A metric as pages name it; `of` says what of a rule it is."""

    title: str
    unit: Unit
    of: str = ""


class VerdictLook(NamedTuple):
    word: str
    tone: Tone
    icon: str


class MoveLook(NamedTuple):
    """`word` counts records, `one` says it of one."""

    word: str
    one: str
    tone: Tone
    icon: str
    says: str


VERDICTS: dict[Verdict, VerdictLook] = {
    "better": VerdictLook("Better", "ok", "circle-check"),
    "worse": VerdictLook("Worse", "bad", "circle-x"),
    "inconclusive": VerdictLook(
        "Inconclusive", look_of("inconclusive").tone, "circle-question-mark"
    ),
}

MOVES: dict[Move, MoveLook] = {
    "better": MoveLook("better", "Better", "ok", "arrow-up", "The candidate did better"),
    "worse": MoveLook("worse", "Worse", "bad", "arrow-down", "The candidate did worse"),
    "error": MoveLook("errors", "Error", "warn", "triangle-alert", "One of the runs failed on it"),
    "same": MoveLook("same", "Same", "neutral", "equal", "Both have the same value"),
    "unscored": MoveLook(
        "unscored", "Unscored", "neutral", "circle-dashed", "One of them has no value"
    ),
}
"""In the order in which pages tell them."""

_TITLES = {
    "pass_rate": "Pass rate",
    "score": "Score",
    "score_mean": "Score",
    "process_score": "Process score",
    "outcome_score": "Outcome score",
    "latency": "Latency",
    "latency_ms": "Latency",
    "latency_mean": "Latency",
    "input_tokens": "Input tokens",
    "output_tokens": "Output tokens",
    "total_tokens": "Tokens",
    "cost": "Cost",
}
_ALWAYS = "pass^"
_OF_A_RULE = {"pass_rate": "share that passes", "mean": "mean score"}


def name_of(metric: str) -> Name:
    """`rule:exact:pass_rate` → exact, of which the share that passes."""
    if metric.startswith("rule:"):
        rule, _, part = metric.removeprefix("rule:").rpartition(":")
        title, of = (rule, _OF_A_RULE.get(part, part)) if rule else (part, "score")
        return Name(title, "percent" if part == "pass_rate" else "score", of)
    if metric.startswith(_ALWAYS):
        return Name(metric, "percent", f"all of {metric.removeprefix(_ALWAYS)} trials pass")
    plain = metric.removesuffix("_mean")
    title = _TITLES.get(metric) or _TITLES.get(plain) or metric.replace("_", " ").capitalize()
    return Name(title, _unit(metric))


def _unit(metric: str) -> Unit:
    for part, unit in _UNITS.items():
        if part in metric:
            return unit
    return "score"


_UNITS: dict[str, Unit] = {
    "latency": "ms",
    "tokens": "count",
    "cost": "usd",
    "rate": "percent",
}


def amount(value: float | None, unit: Unit) -> str:
    """Of one record: it passes or fails, or does so in a share of its trials."""
    if value is None:
        return formats.NOTHING
    if unit == "percent":
        return {0.0: "fails", 1.0: "passes"}.get(value) or formats.percent(value, 0)
    return _AMOUNTS[unit](value)


def change(value: float | None, unit: Unit) -> str:
    """With its sign, shares in points: +4.2 points, −120 ms."""
    if value is None:
        return formats.NOTHING
    if unit == "percent":
        return formats.points(value)
    if unit in ("score", "count"):
        return formats.signed(value, 3 if unit == "score" else 1)
    if unit == "usd" and 0 < abs(value) < TINY:
        return f"under {LEAST} {'more' if value > 0 else 'less'}"
    size = _SIZES[unit](abs(value))
    return size if _is_nothing(size) else f"{'+' if value > 0 else MINUS}{size}"


def is_told(found: Difference) -> bool:
    """Whether records were compared, and a verdict is of what the digits of `change` show."""
    unit, point = name_of(found.metric).unit, found.difference.point
    if point is None:
        return False
    return found.verdict == "inconclusive" or change(point, unit) != change(0.0, unit)


def unit_of_change(unit: Unit) -> Unit:
    """Shares differ in points."""
    return "points" if unit == "percent" else unit


def size(value: float | None, unit: Unit) -> str:
    """Without a sign, for what may go either way: 5.1 points."""
    return change(value, unit).lstrip(f"+{MINUS}")


def moved(interval: Interval, unit: Unit) -> str:
    """The change itself, which does not look like none where its interval leaves out 0."""
    low, high, point = interval.low, interval.high, interval.point
    return _exact(point, unit) if point and excludes_zero(low, high) else change(point, unit)


def _exact(value: float, unit: Unit) -> str:
    told = change(value, unit)
    if not _is_nothing(told):
        return told
    places, times, ending = _PLACES[unit]
    text = digits(abs(value) * times, places, exact=True)
    return f"{'+' if value > 0 else MINUS}{text}{ending}"


def _is_nothing(told: str) -> bool:
    return not any(digit in told for digit in "123456789")


def bounds(interval: Interval, unit: Unit) -> str:
    """+1.0 to +7.3 points; nothing where there is no interval."""
    if interval.low is None or interval.high is None:
        return ""
    ends, apart = (interval.low, interval.high), excludes_zero(interval.low, interval.high)
    if unit == "usd" and not (apart and max(map(abs, ends)) >= TINY):
        return _of_cost(*(0.0 if abs(end) < TINY else end for end in ends))
    low, high = (_exact(end, unit) if apart else change(end, unit) for end in ends)
    return f"{low.removesuffix(' points')} to {high}"


def _of_cost(low: float, high: float) -> str:
    """Ends that nobody can tell from nothing are nothing."""
    if low == high == 0:
        return f"within {LEAST} of 0"
    return f"{change(low, 'usd')} to {change(high, 'usd')}"


def p_value(p: float | None) -> str:
    """As statisticians write it: p = .012; empty where nothing was tested."""
    if p is None:
        return ""
    if p < 0.001:
        return "p < .001"
    return "p = 1" if p > 0.9995 else f"p = {p:.3f}".replace("0.", ".")


def despite(found: Difference) -> str:
    """Why the verdict is not what the bar beside it suggests; empty where the two agree."""
    low, high = found.difference.low, found.difference.high
    if found.n < TOO_FEW or low is None or high is None:
        return ""
    apart = low > 0 or high < 0
    if apart == (found.verdict != "inconclusive"):
        return ""
    if not apart:
        return "a close call: the bar still reaches 0"
    if found.p_adjusted is not None and found.p is not None and found.p <= ALPHA:
        return "the bar leaves out 0, yet among so many slices that may be chance"
    return "the bar leaves out 0, the stricter test does not"


def sentence(found: Difference) -> str:
    """What the difference rests on; under an inconclusive one, what would have been seen."""
    name = name_of(found.metric)
    if found.difference.point is None:
        return f"{name.title} cannot be compared: {found.difference.reason or found.reason}."
    before, after = (formats.point(side, name.unit) for side in (found.baseline, found.candidate))
    within = bounds(found.difference, name.unit)
    interval = f" (95 % interval {within})" if within else ""
    test = f", {p_value(found.p)} by {found.test}" if found.p is not None else ""
    by = moved(found.difference, name.unit)
    return f"{name.title} {before} → {after}: {by}{interval}{test}, n = {found.n:,}."


def reason(found: Difference) -> str:
    """Why the verdict is what it is, as a sentence; empty where there is nothing to add."""
    told = found.reason.strip().removesuffix(".")
    return f"{told[0].upper()}{told[1:]}." if told else ""


def missed(found: Difference) -> str:
    """What an inconclusive comparison could have shown; nothing where no verdict was possible."""
    if found.verdict != "inconclusive" or found.detectable is None or found.n < TOO_FEW:
        return ""
    least = size(found.detectable, name_of(found.metric).unit)
    return f"{found.n:,} records show a difference of {least} or more, four times of five."


_AMOUNTS: dict[Unit, Callable[[float], str]] = {
    "score": formats.decimal,
    "ms": formats.milliseconds,
    "usd": formats.cost,
    "count": lambda value: formats.decimal(value, 0),
}
_PLACES: dict[Unit, tuple[int, float, str]] = {
    "percent": (1, 100.0, " points"),
    "score": (3, 1.0, ""),
    "count": (1, 1.0, ""),
    "ms": (1, 1.0, " ms"),
}
"""Of a change: its places, what it is multiplied by, and its unit."""
_SIZES: dict[Unit, Callable[[float], str]] = {
    "ms": formats.milliseconds,
    "usd": formats.cost,
}
