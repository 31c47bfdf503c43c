"""What a trend may run through: runs that asked one target, over the same data, judged alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from apps.analysis.calibration.judging import Judges, named
from apps.analysis.calibration.known import Corrected
from apps.analysis.showing import words
from apps.artifacts.canonical import canonical, sha256_hex
from apps.metrics.contracts import TOO_FEW, Interval
from apps.metrics.ranked import Trend
from apps.runs.contracts import TargetPlan
from apps.runs.models import Run

LESS_IS_BETTER = ("failure_rate", "latency_p50", "latency_p95", "cost_mean")
MATTERS = 0.01
"""A change from run to run that matters: one point of a rate, one per cent of an amount."""
_SHARES = ("percent", "score")


class Ground(NamedTuple):
    """What has to stay as it is for a step to say something about the system.

    `target` is its id: a target that was given another name is the same.
    """

    target: str
    version: str
    contract: str | None
    judges: Judges


@dataclass(frozen=True)
class Point:
    """One run; `asked` is the id of its target, `values` are how many a record gives, `changes` say
    what is new since the run before it that asked the same target."""

    run: Run
    asked: str
    target: TargetPlan
    interval: Interval
    values: int = 1
    changes: Sequence[str] = ()
    corrected: Corrected | None = None
    judges: Judges = ()

    @property
    def ground(self) -> Ground:
        run = self.run
        return Ground(self.asked, run.dataset_version_id, run.contract_version_id, self.judges)

    @property
    def judged_by(self) -> str:
        return named(self.judges)

    @property
    def too_few(self) -> bool:
        return self.interval.point is not None and self.interval.n < TOO_FEW * self.values


@dataclass(frozen=True)
class Part:
    """The runs of a trend that stand on one ground, the oldest first, with a trend of their own."""

    points: Sequence[Point]
    trend: Trend

    @property
    def newest(self) -> Point:
        return self.points[-1]

    @property
    def known(self) -> int:
        """Runs that have a value."""
        return sum(point.interval.point is not None for point in self.points)


def parts_of(points: Sequence[Point], metric: str) -> list[Part]:
    """The one that ran last first."""
    found: dict[Ground, list[Point]] = {}
    for point in reversed(points):
        found.setdefault(point.ground, []).insert(0, point)
    return [Part(part, trend_of(part, metric)) for part in found.values()]


def fullest(parts: Sequence[Part], fewest: int) -> Part | None:
    """Of those with so many values at least the one with most, of as many the one that comes
    first; None without any."""
    full = (part for part in parts if part.known >= fewest)
    return max(full, key=lambda part: part.known, default=None)


def key_of(judges: Judges) -> str:
    """What an address calls them."""
    return sha256_hex(canonical([judge.version for judge in judges]))[:12]


def trend_of(points: Sequence[Point], metric: str) -> Trend:
    from apps.metrics.trending import trend  # scipy takes most of a second

    values = [point.interval for point in points]
    better = metric not in LESS_IS_BETTER
    return trend(values, higher_is_better=better, threshold=_threshold(metric, values))


def no_trend(points: Sequence[Point], reason: str) -> Trend:
    """Of runs that no trend is fitted to."""
    n = sum(point.interval.point is not None for point in points)
    slope = Interval(point=None, low=None, high=None, n=n, method="", reason=reason)
    return Trend(
        slope=slope,
        intercept=None,
        r_squared=None,
        p=None,
        threshold=0.0,
        verdict="inconclusive",
        reason=reason,
    )


def _threshold(metric: str, values: Sequence[Interval]) -> float:
    known = [abs(one.point) for one in values if one.point is not None]
    if words.name_of(metric).unit in _SHARES or not known:
        return MATTERS
    return MATTERS * median(known)
