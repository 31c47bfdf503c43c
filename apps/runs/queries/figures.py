"""The stored numbers of a run and of its slices, as the pages show them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import NamedTuple, Protocol

from django.db.models import Count

from apps.contract import Contract
from apps.metrics.contracts import Distribution, Interval
from apps.metrics.words import family_name
from apps.runs.models import Run, Summary

TOO_FEW = 20
SLICES_A_PAGE = 25
SLICE_METRICS = ("n", "pass_rate", "score_mean", "latency_p95", "cost_sum")
SLICE_SORTS = {"name": "", "n": "judged", "rate": "pass_rate", "score": "score_mean"}
SLICE_SORTS |= {"latency": "latency_p95", "cost": "cost_sum"}
FAMILY_ORDER = ("task_type", "tag")
"""These first, then metadata keys and lengths by name."""
_SLICE_FIELDS = ("value", "metric", "point", "low", "high", "n", "method", "reason")
NOT_YET = "Not measured yet."


@dataclass(frozen=True)
class Figures:
    """The metrics of the whole run by name, and the histograms that some of them have."""

    metrics: Mapping[str, Interval]
    shapes: Mapping[str, Distribution]
    as_of: datetime | None

    def of(self, metric: str) -> Interval:
        return self.metrics.get(metric) or missing(NOT_YET)


class Family(Contract):
    """A way to slice a run: its tags, a metadata key."""

    name: str
    label: str
    values: int


@dataclass(frozen=True)
class SliceRow:
    """`n` counts tries, of which each record has `trials`; `judged` of them passed or failed the
    contract: the rate is of these."""

    value: str
    n: int
    metrics: Mapping[str, Interval]
    trials: int = 1

    @property
    def judged(self) -> int:
        return self.of("pass_rate").n

    @property
    def too_few(self) -> bool:
        """Of a slice of which nothing was judged there is no rate to doubt."""
        return 0 < self.judged < TOO_FEW * self.trials

    def of(self, metric: str) -> Interval:
        return self.metrics.get(metric) or missing(NOT_YET)

    def number(self, column: str) -> float | None:
        """What stands in that column of the table."""
        return self.judged if column == "judged" else self.of(column).point


@dataclass(frozen=True)
class SlicePage:
    """At most 25 slices of a family; `number` of `pages` counts from 1."""

    family: str
    rows: Sequence[SliceRow]
    total: int
    number: int
    pages: int


class Stored(Protocol):
    """The columns of a Summary that say an interval."""

    point: float | None
    low: float | None
    high: float | None
    n: int
    method: str
    reason: str


class SliceView(NamedTuple):
    """Which slices somebody looks at, as the URL says it."""

    family: str = ""
    sort: str = "-n"
    number: int = 1


def figures_of(run: Run) -> Figures:
    """One query."""
    rows = list(Summary.objects.filter(run=run, family="", value=""))
    return Figures(
        metrics={row.metric: interval_of(row) for row in rows},
        shapes={row.metric: Distribution.model_validate(row.shape) for row in rows if row.shape},
        as_of=rows[0].as_of if rows else None,
    )


def pass_rate_before(run: Run) -> Interval | None:
    """Of the run whose answers this one judges again; None where there is none or it has none."""
    if run.kind != Run.Kind.REGRADE:
        return None
    rows = Summary.objects.filter(run=run.parent_id, family="", value="", metric="pass_rate")
    row = rows.exclude(point=None).first()
    return interval_of(row) if row else None


def families_of(run: Run) -> list[Family]:
    """The families that slice the run, those that cut it in parts first; one query."""
    rows = Summary.objects.filter(run=run, metric="n").exclude(family="")
    counted = rows.values("family").annotate(values=Count("pk")).order_by("family")
    families = [
        Family(name=row["family"], label=family_label(row["family"]), values=row["values"])
        for row in counted
    ]
    return sorted(families, key=lambda family: (family.values < 2, _rank(family), family.name))


def slices_of(run: Run, view: SliceView) -> SlicePage:
    """The slices of one family, sorted; one query, for a family has 200 values at most."""
    rows = _sorted(_slice_rows(run, view.family), view.sort)
    pages = max(1, ceil(len(rows) / SLICES_A_PAGE))
    number = min(max(view.number, 1), pages)
    start = (number - 1) * SLICES_A_PAGE
    return SlicePage(view.family, rows[start : start + SLICES_A_PAGE], len(rows), number, pages)


def interval_of(row: "Summary | Stored") -> Interval:
    return Interval(
        point=row.point,
        low=row.low,
        high=row.high,
        n=row.n,
        method=row.method,
        reason=row.reason or ("" if None not in (row.point, row.low, row.high) else NOT_YET),
    )


def missing(reason: str) -> Interval:
    return Interval(point=None, low=None, high=None, n=0, method="", reason=reason)


def family_label(family: str) -> str:
    """`metadata.channel` → Channel, `task_type` → Task type."""
    name = family_name(family)
    return name[:1].upper() + name[1:]


def _rank(family: Family) -> int:
    return FAMILY_ORDER.index(family.name) if family.name in FAMILY_ORDER else len(FAMILY_ORDER)


def _slice_rows(run: Run, family: str) -> list[SliceRow]:
    found: dict[str, dict[str, Interval]] = {}
    rows = Summary.objects.filter(run=run, family=family, metric__in=SLICE_METRICS)
    for row in rows.values_list(*_SLICE_FIELDS, named=True):
        found.setdefault(row.value, {})[row.metric] = interval_of(row)
    return [
        SliceRow(value, int(metrics["n"].point or 0) if "n" in metrics else 0, metrics, run.trials)
        for value, metrics in found.items()
    ]


def _sorted(rows: list[SliceRow], sort: str) -> list[SliceRow]:
    """By name first, so that equal ones keep that order; what is not known comes last."""
    column = SLICE_SORTS.get(sort.removeprefix("-"), "judged")
    falling = sort.startswith("-")
    by_name = sorted(rows, key=lambda row: row.value.casefold(), reverse=falling and not column)
    if not column:
        return by_name
    known = [row for row in by_name if row.number(column) is not None]
    unknown = [row for row in by_name if row.number(column) is None]
    known.sort(key=lambda row: row.number(column) or 0.0, reverse=falling)
    return known + unknown
