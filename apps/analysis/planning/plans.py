"""All that the page of planning says of a run."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.accounts.models import User
from apps.metrics.contracts import Interval
from apps.runs.models import Run
from apps.runs.queries import figures_of

from .grounds import Ground, ground_of
from .judges import Judge, judges_for
from .records import Records, records_for
from .slices import Slices, slices_for

METRICS = {"pass_rate": "Pass rate", "score_mean": "Mean score"}


@dataclass(frozen=True)
class Wanted:
    """A difference of so many points, in a metric of a run; with a second run, as those differ."""

    run: Run
    baseline: Run | None
    metric: str
    points: float
    family: str = ""
    every: bool = False

    @property
    def name(self) -> str:
        return METRICS[self.metric]


@dataclass(frozen=True)
class Plan:
    """`ground` is None where the run lacks the metric; `interval` then says why."""

    wanted: Wanted
    interval: Interval
    ground: Ground | None
    records: Records | None
    slices: Slices | None
    judges: Sequence[Judge]


def plan_for(user: User, wanted: Wanted) -> Plan:
    """A bounded number of queries; with a second run those of asking for a comparison."""
    run = wanted.run
    figures = figures_of(run)
    interval = figures.of(wanted.metric)
    ground = ground_of(run, wanted.baseline, wanted.metric, interval)
    return Plan(
        wanted=wanted,
        interval=interval,
        ground=ground,
        records=records_for(ground, wanted.points) if ground else None,
        slices=_slices(wanted, ground) if ground else None,
        judges=judges_for(user, run, figures),
    )


def _slices(wanted: Wanted, ground: Ground) -> Slices | None:
    return slices_for(
        wanted.run, wanted.metric, ground, wanted.points, wanted.family, every=wanted.every
    )
