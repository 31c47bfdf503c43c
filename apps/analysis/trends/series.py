"""A metric of a dataset's runs, one after the other: the points, the line and what to know."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from apps.analysis.calibration.known import Corrected, corrected_of_many
from apps.analysis.showing import words
from apps.metrics.contracts import Interval
from apps.metrics.ranked import Trend
from apps.runs.models import Run, Summary
from apps.runs.queries.figures import interval_of, missing
from apps.runs.queries.listing import target_of
from apps.targets.models import TargetVersion

from .offering import ALWAYS, Found
from .parts import LESS_IS_BETTER, Part, Point, no_trend, parts_of

_GROUNDS = ("targets", "versions of the dataset", "contracts", "sets of judges")


@dataclass(frozen=True)
class Series:
    """The oldest run first; `older` more are left out.

    Where the runs do not all stand on one ground there is no trend of them, and `parts` have one
    each; else there are none.
    """

    metric: str
    slice: str
    points: Sequence[Point]
    trend: Trend
    parts: Sequence[Part]
    older: int

    @property
    def name(self) -> words.Name:
        return words.name_of(self.metric)

    @property
    def title(self) -> str:
        of = f", {self.name.of}" if self.name.of else ""
        return f"{self.name.title}{of}{f' of {self.slice}' if self.slice else ''}"

    @property
    def newest_first(self) -> list[Point]:
        return list(reversed(self.points))

    @property
    def higher_is_better(self) -> bool:
        return self.metric not in LESS_IS_BETTER

    @property
    def marks(self) -> dict[int, str]:
        """What changed, by the place of the first run that has it."""
        return {
            place: ", ".join(point.changes)
            for place, point in enumerate(self.points)
            if point.changes
        }

    @property
    def is_judged(self) -> bool:
        return any(point.corrected is not None for point in self.points)

    @property
    def is_judged_in_part(self) -> bool:
        return self.is_judged and any(point.corrected is None for point in self.points)


def series_of(found: Found, *, metric: str, slice_: str) -> Series:
    """The numbers of these runs by a metric, of all records where no slice is named; a few
    queries."""
    points = _points(found, metric, slice_)
    parts = parts_of(points, metric)
    is_one = len(parts) == 1
    return Series(
        metric=metric,
        slice=slice_,
        points=points,
        trend=parts[0].trend if is_one else no_trend(points, _mixed(parts)),
        parts=() if is_one else parts,
        older=found.older,
    )


def _mixed(parts: Sequence[Part]) -> str:
    """Why no trend is fitted to all of them."""
    kinds = zip(*(part.newest.ground for part in parts), strict=True)
    counted = ((len(set(kind)), name) for kind, name in zip(kinds, _GROUNDS, strict=False))
    told = " and ".join(f"{n} {name}" for n, name in counted if n > 1) or "nothing in common"
    return (
        f"these runs have {told}: a step between them may have nothing to do with the system, so "
        "no trend is fitted to all of them"
    )


def _points(found: Found, metric: str, slice_: str) -> list[Point]:
    known = _intervals(found.runs, metric, slice_)
    corrected: Mapping[str, Corrected | None] = {}
    if not slice_:
        corrected = corrected_of_many(found.runs, metric)
    nothing = missing("The run has no such number.")
    targets = _targets(found.runs)
    points, before = [], dict[str, Point]()
    for run in reversed(found.runs):
        target = target_of(run)
        point = Point(
            run=run,
            asked=targets[target.version],
            target=target,
            interval=known.get(run.pk, nothing),
            values=1 if metric.startswith(ALWAYS) else run.trials,
            corrected=corrected.get(run.pk),
            judges=found.judges[run.pk],
        )
        point = replace(point, changes=list(_changes(before.get(point.asked), point)))
        points.append(point)
        before[point.asked] = point
    return points


def _targets(shown: Sequence[Run]) -> dict[str, str]:
    """By the version that a plan names."""
    asked = {target_of(run).version for run in shown}
    return dict(TargetVersion.objects.filter(pk__in=asked).values_list("pk", "target"))


def _intervals(shown: Sequence[Run], metric: str, slice_: str) -> dict[str, Interval]:
    family, _, value = slice_.partition("=")
    rows = Summary.objects.filter(run__in=shown, metric=metric, family=family, value=value)
    return {row.run_id: interval_of(row) for row in rows}


def _changes(before: Point | None, point: Point) -> Iterator[str]:
    if before is None:
        return
    last, run = before.run, point.run
    if last.dataset_version_id != run.dataset_version_id:
        yield f"dataset {run.dataset_version.label}"
    if last.contract_version_id != run.contract_version_id:
        yield f"contract {run.contract_version}" if run.contract_version else "no contract"
    if before.judges != point.judges:
        yield f"judged by {point.judged_by or 'no judge'}"
