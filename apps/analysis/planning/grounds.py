"""What a plan rests on: how many records there are, and how much two runs differ on them."""

import math
from dataclasses import dataclass, replace

from django.core.exceptions import ValidationError

from apps.analysis.comparing import asked, body_of
from apps.metrics.compared import Difference
from apps.metrics.contracts import Interval
from apps.metrics.planning import design_effect, discordance_of, independent_discordance
from apps.metrics.words import in_percent
from apps.runs.models import Run

_IN_IT = (
    "Records of this run hang together (several tries, or groups such as a document or a session). "
    "d is from intervals over whole groups and has that in it: n is of records grouped and tried "
    "as these. More records of the same groups show less than new groups."
)
_ONE_GROUP = (
    "All records of this run are of one group: how much they hang together cannot be measured, and "
    "n is of independent records. Records of one group show less."
)


@dataclass(frozen=True)
class Ground:
    """n records with a value; `discordance` is the mean squared difference of a pair, `told` a
    sentence that says where it comes from. `binary`: a record passes or fails, nothing between.

    `interval` is the run's own, of `records`. `effect`: how many records are worth an independent
    one, None where that is not known; other than for pass and fail the discordance has it in it.
    """

    interval: Interval
    records: int
    n: int
    discordance: float
    is_measured: bool
    told: str
    binary: bool
    effect: float | None
    problem: str = ""
    """Why the second run was of no use, '' where it was or there is none."""

    @property
    def grouped(self) -> bool:
        """Records of one group, or tries of one record, count for less than independent ones."""
        return self.interval.method.endswith("clustered")

    @property
    def is_rate(self) -> bool:
        return self.interval.method.startswith("wilson")

    @property
    def design(self) -> float:
        """What independent records are multiplied with."""
        hangs = self.binary and self.grouped and self.effect
        return max(1.0, round(self.effect or 1.0, 6)) if hangs else 1.0

    @property
    def hangs(self) -> str:
        """What records that belong together do to these numbers; empty where none do."""
        if not self.grouped:
            return ""
        if not self.binary:
            return _IN_IT
        if self.effect is None:
            return _ONE_GROUP
        return (
            "Records of this run hang together in groups such as a document or a session: by the "
            f"interval of its pass rate {self.records:,} of them are worth "
            f"{self.records / self.design:,.0f} independent ones. So n is {self.design:.1f} times "
            "what independent records would take (the design effect). More records of the same "
            "groups show less than new groups."
        )

    @property
    def changed(self) -> float:
        """In per cent of records for pass and fail; else the root of the mean square, in points."""
        return 100 * (self.discordance if self.binary else math.sqrt(self.discordance))


def ground_of(run: Run, baseline: Run | None, metric: str, interval: Interval) -> Ground | None:
    """None where the run has no such number: `interval` says why."""
    assumed = _assumed(run, metric, interval)
    if baseline is None or assumed is None:
        return assumed
    try:
        return _measured(assumed, baseline, run, metric)
    except ValidationError as error:
        return replace(assumed, problem=error.messages[0])


def records_of(n: int, metric: str, run: Run) -> int:
    """Pass rates count tries, of which each record has several; means count records."""
    return math.ceil(n / run.trials) if metric == "pass_rate" else n


def _measured(assumed: Ground, baseline: Run, run: Run, metric: str) -> Ground:
    """Raises ValidationError with a sentence where the two say nothing."""
    [comparison] = asked(baseline, [run])
    difference = body_of(comparison).of(metric)
    discordance = discordance_of(difference) if difference else None
    if difference is None or discordance is None:
        raise ValidationError(
            "The two runs have too few records in common to say how often they differ."
        )
    return replace(
        assumed,
        n=difference.n,
        discordance=discordance,
        is_measured=True,
        told=_told(difference, discordance),
        binary=difference.binary,
    )


def _told(difference: Difference, discordance: float) -> str:
    shared = f"the {difference.n:,} records that both runs have"
    if difference.binary:
        return (
            f"Measured: {in_percent(discordance, 1)} of {shared} pass in one and fail in the "
            "other. Two runs to come are taken to differ as much."
        )
    return (
        f"Measured on {shared}: their values differ by {math.sqrt(discordance):.2f} (root mean "
        "square). Two runs to come are taken to differ as much."
    )


def _assumed(run: Run, metric: str, interval: Interval) -> Ground | None:
    is_rate = metric == "pass_rate"
    found = independent_discordance(interval, binary=is_rate)
    if found is None:
        return None
    records, binary = records_of(interval.n, metric, run), is_rate and run.trials == 1
    effect = design_effect(interval, records) if is_rate else None
    discordance = found if binary or not is_rate else found * (effect or 1.0)
    return Ground(
        interval=interval,
        records=records,
        n=records,
        discordance=discordance,
        is_measured=False,
        told=_worst_case(interval, discordance, run, binary=binary),
        binary=binary,
        effect=effect,
    )


def _worst_case(interval: Interval, discordance: float, run: Run, *, binary: bool) -> str:
    worst = (
        "That is the worst case, for runs mostly fail on the same records: choose a second run, "
        "and it is measured instead."
    )
    if binary:
        return (
            f"Assumed: two runs that pass {in_percent(interval.point or 0.0, 1)} of the records "
            f"each, whose answers have nothing to do with each other, differ on 2 · p · (1 − p) = "
            f"{in_percent(discordance, 1)} of them. {worst}"
        )
    of = f", each the mean of {run.trials} tries," if run.trials > 1 else ""
    return (
        f"Assumed: two runs whose values of a record{of} have nothing to do with each other differ "
        f"by {math.sqrt(discordance):.2f} (root mean square, from this run's values). {worst}"
    )
