"""A trend in words, as a picture, and on a scale."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from apps.analysis.showing import words
from apps.metrics.planning import runs_for_slope
from apps.metrics.ranked import Trend, TrendVerdict
from apps.web.charts import AxisRange, Picture, TrendPoint, axis_range, trend_lines
from apps.web.drawing import Unit
from apps.web.states import Tone, look_of

from .following import ground_wanted
from .parts import Part, Point
from .series import Series
from .wanted import TrendWanted


@dataclass(frozen=True)
class Look:
    word: str
    tone: Tone
    icon: str


LOOKS: dict[TrendVerdict, Look] = {
    "improving": Look("Improving", "ok", "trending-up"),
    "degrading": Look("Degrading", "bad", "trending-down"),
    "stable": Look("Stable", "neutral", "equal"),
    "inconclusive": Look("Inconclusive", look_of("inconclusive").tone, "circle-question-mark"),
}


NO_VERDICT = Look("No verdict", "neutral", "split")


@dataclass(frozen=True)
class Told:
    """A trend in words."""

    trend: Trend
    unit: Unit
    is_mixed: bool = False

    @property
    def look(self) -> Look:
        return NO_VERDICT if self.is_mixed else LOOKS[self.trend.verdict]

    @property
    def slope(self) -> str:
        return words.moved(self.trend.slope, self.unit)

    @property
    def bounds(self) -> str:
        return words.bounds(self.trend.slope, self.unit)

    @property
    def p(self) -> str:
        """p = .012"""
        return words.p_value(self.trend.p)

    @property
    def threshold(self) -> str:
        return words.size(self.trend.threshold, self.unit)

    @property
    def reason(self) -> str:
        reason = self.trend.reason
        return f"{reason[:1].upper()}{reason[1:]}."

    @property
    def more(self) -> str:
        """How many runs would help; empty where that is not known, or nothing is open."""
        trend = self.trend
        if trend.verdict != "inconclusive":
            return ""
        runs = runs_for_slope(trend.slope, trend.threshold)
        if runs is None or runs <= trend.slope.n:
            return ""
        return (
            f"If values go on to scatter around the line as they do, a change of {self.threshold} "
            f"a run is seen, four times in five, from about {runs:,} runs on; there are "
            f"{trend.slope.n:,}."
        )


@dataclass(frozen=True)
class ToldPart:
    """Runs that one line may run through, and the query that shows them alone."""

    part: Part
    told: Told
    query: str

    @property
    def newest(self) -> Point:
        return self.part.newest


def told(series: Series) -> Told:
    return Told(series.trend, series.name.unit, bool(series.parts))


def told_parts(parts: Sequence[Part], wanted: TrendWanted, unit: Unit) -> list[ToldPart]:
    return [
        ToldPart(part, Told(part.trend, unit), ground_wanted(wanted, part).query())
        for part in parts
    ]


def picture_of(series: Series) -> Picture:
    """The points with their intervals, the line, and marks where data or rules change."""
    slope, intercept = series.trend.slope.point, series.trend.intercept
    line = None if slope is None or intercept is None else (intercept, slope)
    short = short_names([(point.run.title, _day(point)) for point in series.points])
    return trend_lines(
        [_drawn(point, name) for point, name in zip(series.points, short, strict=True)],
        line=line,
        marks=series.marks,
        unit=series.name.unit,
        name=series.title,
    )


def scale_of(series: Series) -> AxisRange:
    """Of the whiskers in the table."""
    intervals = [point.interval for point in series.points]
    return axis_range([one for one in intervals if one.point is not None], unit=series.name.unit)


def short_names(runs: Sequence[tuple[str, str]]) -> list[str]:
    """Of titles and days what tells the runs apart: of each title what it does not begin with like
    another one, else the days."""
    titles = [title.split(" ") for title, _ in runs]
    ends = [_end(place, titles) for place in range(len(titles))]
    if all(ends) and len(set(ends)) == len(ends):
        return ends
    return [day for _, day in runs]


def _end(place: int, titles: Sequence[Sequence[str]]) -> str:
    own = titles[place]
    others = [each for at, each in enumerate(titles) if at != place]
    return " ".join(own[max((_alike(own, each) for each in others), default=0) :])


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """The words that both begin with."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))


def _day(point: Point) -> str:
    ended = point.run.completed_at
    return f"{ended:%-d %b %Y}" if ended else ""


def _drawn(point: Point, short: str) -> TrendPoint:
    parts = (f"{point.target.name} v{point.target.number}", _day(point))
    note = " · ".join(part for part in parts if part)
    return TrendPoint(label=point.run.title, interval=point.interval, note=note, short=short)
