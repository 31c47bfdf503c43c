"""Reliability diagrams: how often people pass what a judge scores so or so."""

from apps.metrics.labels import Reliability, ReliabilityBin
from apps.web.drawing import add, say, short_count, text_of, write

from .pictures import Cell, Picture
from .plots import nothing
from .squares import Square
from .whiskers import AxisRange, whisker_words

_UNIT_RANGE = AxisRange(low=0, high=1, ticks=6)
_LARGEST, _SMALLEST = 7.0, 2.5


def reliability_diagram(reliability: Reliability, *, name: str) -> Picture:
    """A point and its interval for each bin of scores, over the diagonal of a calibrated judge."""
    alt = _words(reliability, name)
    return Picture(
        name=name,
        svg=_drawn(reliability, alt),
        alt=alt,
        columns=("score from", "score to", "mean score", "passed by people", "low", "high", "n"),
        rows=tuple(_numbers(each) for each in reliability.bins),
    )


def _numbers(one: ReliabilityBin) -> tuple[Cell, ...]:
    passed = one.passed
    return (one.low, one.high, one.score, passed.point, passed.low, passed.high, passed.n)


def _words(reliability: Reliability, name: str) -> str:
    if not reliability.n or reliability.error is None:
        return f"{name}: no answer has a score and a label{_left_out(reliability)}"
    told = [
        f"of scores from {say(one.low, 'score')} to {say(one.high, 'score')} people pass "
        f"{whisker_words(one.passed)}"
        for one in reliability.bins
        if one.passed.n
    ]
    error = f"expected calibration error {say(reliability.error, 'score')}"
    return f"{name}, n = {reliability.n:,}: {error}; {'; '.join(told)}{_left_out(reliability)}"


def _left_out(reliability: Reliability) -> str:
    counted = {"no label": reliability.unlabelled, "no score": reliability.unscored}
    told = [f"{count:,} with {what}" for what, count in counted.items() if count]
    return f"; left out: {', '.join(told)}" if told else ""


def _drawn(reliability: Reliability, alt: str) -> str:
    if not reliability.n or reliability.error is None:
        return nothing("reliability", alt, "No answer has a score and a label")
    labels = ("mean score of the judge", "passed by people")
    square = Square.drawn(
        "reliability", alt, _UNIT_RANGE, _UNIT_RANGE, ("score", "percent"), labels, below=18
    )
    square.diagonal()
    write(square.svg, "tick", square.along(0) - 7, square.down(0) + 34, "end", "n")
    most = max(one.passed.n for one in reliability.bins)
    for one in reliability.bins:
        _bin(square, one, most)
    error = f"error {say(reliability.error, 'score')}, n = {reliability.n:,}"
    square.head(error)
    return text_of(square.svg)


def _bin(square: Square, one: ReliabilityBin, most: int) -> None:
    passed = one.passed
    middle, foot = square.along((one.low + one.high) / 2), square.down(0) + 34
    write(square.svg, "tick", middle, foot, "middle", short_count(passed.n))
    if one.score is None or passed.point is None:
        return
    x = square.along(one.score)
    mark = add(square.svg, "g", cls="point")
    add(
        mark, "title"
    ).text = f"Scores {say(one.low, 'score')} to {say(one.high, 'score')}: {whisker_words(passed)}"
    if passed.low is not None and passed.high is not None:
        ends = [square.down(bound) for bound in (passed.low, passed.high)]
        add(mark, "line", cls="ci", x1=x, x2=x, y1=ends[0], y2=ends[1])
        for y in ends:
            add(mark, "line", cls="cap", x1=x - 4, x2=x + 4, y1=y, y2=y)
    radius = max(_LARGEST * (passed.n / most) ** 0.5, _SMALLEST)
    add(mark, "circle", cls="dot", cx=x, cy=square.down(passed.point), r=round(radius, 2))
