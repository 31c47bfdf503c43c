"""Which slices are too small for what one wants to see."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.metrics.planned import SlicePlan
from apps.metrics.planning import Part, slice_plans
from apps.runs.models import Run, Summary
from apps.runs.queries import families_of
from apps.runs.queries.figures import Family

from .grounds import Ground, records_of

LISTED = 25


@dataclass(frozen=True)
class Line:
    """A slice; `detectable` in points."""

    plan: SlicePlan
    detectable: float | None


@dataclass(frozen=True)
class Slices:
    """Of one family, the smallest first; `listed` of `total`."""

    families: Sequence[Family]
    family: Family
    listed: Sequence[Line]
    total: int
    too_few: int
    lacking: int

    @property
    def left_out(self) -> int:
        return self.total - len(self.listed)


def slices_for(
    run: Run, metric: str, ground: Ground, points: float, family: str, *, every: bool
) -> Slices | None:
    """None where the run has no slices; two queries."""
    families = families_of(run)
    if not families:
        return None
    chosen = next((each for each in families if each.name == family), families[0])
    plans = slice_plans(
        _parts(run, metric, chosen.name),
        difference=points / 100,
        discordance=ground.discordance,
        binary=ground.binary,
        design=ground.design,
    )
    return Slices(
        families=families,
        family=chosen,
        listed=[_line(plan) for plan in (plans if every else plans[:LISTED])],
        total=len(plans),
        too_few=sum(plan.too_few for plan in plans),
        lacking=sum(plan.lacking != 0 for plan in plans),
    )


def _parts(run: Run, metric: str, family: str) -> list[Part]:
    rows = Summary.objects.filter(run=run, family=family, metric=metric)
    parts = [
        Part(family, value, records_of(n, metric, run))
        for value, n in rows.values_list("value", "n")
    ]
    return sorted(parts, key=lambda part: (part.n, part.value.casefold()))


def _line(plan: SlicePlan) -> Line:
    least = plan.detectable
    return Line(plan, None if least is None else 100 * min(1.0, least))
