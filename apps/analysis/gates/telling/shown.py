"""A decision as its page shows it: each check with its interval drawn against the limit."""

from collections.abc import Iterable
from dataclasses import dataclass

from apps.analysis.gates.contracts import Check, Decided, Link
from apps.analysis.gates.policies.spec import higher_is_better
from apps.analysis.gates.telling.linking import links_of
from apps.analysis.gates.telling.looked import Looked, looked_of
from apps.analysis.gates.telling.spelling import limit
from apps.analysis.gates.telling.wording import unit_of, word_of
from apps.metrics.contracts import Interval
from apps.metrics.gating import Unit as MetricUnit
from apps.metrics.gating.words import amount, change, counted
from apps.web.charts import AxisRange, axis_range
from apps.web.drawing import Unit
from apps.web.states import Tone, look_of

MOST_SHOWN = 8
"""Checks of one answer that stand open."""

_TITLES = {
    "fail": "{} not held",
    "inconclusive": "{} open: too little is known",
    "pass": "{} held",
}


@dataclass(frozen=True)
class Drawn:
    """An interval on its axis; the line is the limit, the ring the baseline."""

    interval: Interval
    scale: AxisRange
    unit: Unit
    limit: float | None
    baseline: float | None


@dataclass(frozen=True)
class Line:
    """A check with all that its row says."""

    check: Check
    unit: MetricUnit
    drawn: Drawn | None
    links: tuple[Link, ...]
    looked: Looked | None

    @property
    def tone(self) -> Tone:
        return look_of(self.check.answer).tone

    @property
    def word(self) -> str:
        return word_of(self.check.finding)

    @property
    def point(self) -> str:
        """What was held against the limit, without its interval: that is drawn."""
        if self.drawn is None or self.drawn.interval.point is None:
            return ""
        said = change if self.check.difference else amount
        return said(self.drawn.interval.point, self.unit)

    @property
    def caption(self) -> str:
        """What the line and the ring of the drawing are; '' where it has neither."""
        if self.drawn is None:
            return ""
        line = f"Dashed: {limit(self.check)}" if self.drawn.limit is not None else ""
        ring = "Ring: the baseline" if self.drawn.baseline is not None else ""
        return ". ".join(filter(None, (line, ring)))


@dataclass(frozen=True)
class Group:
    """The checks that came out the same way; beyond the first few they are folded away."""

    answer: str
    lines: tuple[Line, ...]

    @property
    def shown(self) -> tuple[Line, ...]:
        return self.lines if len(self.lines) <= MOST_SHOWN + 1 else self.lines[:MOST_SHOWN]

    @property
    def folded(self) -> tuple[Line, ...]:
        return self.lines[len(self.shown) :]

    @property
    def title(self) -> str:
        return _TITLES[self.answer].format(counted(len(self.lines), "check"))


def groups_of(decided: Decided, slug: str) -> list[Group]:
    """What fails first, then what is open, then what holds; links stay on this server."""
    lines = [line_of(check, decided, slug) for check in decided.checks]
    found = [_group(answer, lines) for answer in ("fail", "inconclusive", "pass")]
    return [group for group in found if group.lines]


def line_of(check: Check, decided: Decided, slug: str) -> Line:
    links = links_of(check, decided, slug, base="")
    looked = looked_of(check, decided, slug)
    return Line(check, unit_of(check.metric), drawn_of(check), links, looked)


def drawn_of(check: Check) -> Drawn | None:
    """The difference where there is one, else the number; None without a point."""
    unit = unit_of(check.metric)
    held = check.difference or check.observed
    if held is None or held.point is None:
        return None
    bound = _boundary(check) if check.difference else _own_limit(check)
    baseline = None if check.difference or check.baseline is None else check.baseline.point
    drawn: Unit = "points" if check.difference and unit == "percent" else unit
    scale = axis_range([held], also=(bound, baseline), unit=drawn)
    return Drawn(held, scale, drawn, bound, baseline)


def _boundary(check: Check) -> float | None:
    """How far on the worse side of zero the difference may lie."""
    if check.limit is None:
        return None
    return -check.limit if higher_is_better(check.metric) else check.limit


def _own_limit(check: Check) -> float | None:
    return check.limit if check.side else None


def _group(answer: str, lines: Iterable[Line]) -> Group:
    return Group(answer, tuple(line for line in lines if line.check.answer == answer))
