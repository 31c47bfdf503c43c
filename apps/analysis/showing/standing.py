"""How every candidate stands against the baseline, and one of them in detail."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError

from apps.analysis.comparing import ComparisonUnavailable, Unlike, asked, unlike
from apps.analysis.models import Comparison
from apps.metrics.compared import Difference, PairedRuns

from . import correcting, differing
from .choosing import Chosen, Side
from .differing import Line, Slices, Told
from .moved import ALONE, DIFFERENT
from .wanted import Wanted
from .words import MOVES


@dataclass(frozen=True)
class Against:
    """A candidate: `told` is None while nothing was computed of it yet."""

    side: Side
    comparison: Comparison
    unlike: Sequence[Unlike]
    paired: PairedRuns | None
    told: Told | None

    @property
    def waits(self) -> bool:
        return self.paired is None and self.comparison.is_open

    @property
    def warnings(self) -> list[Unlike]:
        return [each for each in self.unlike if each.is_warning]

    @property
    def facts(self) -> list[Unlike]:
        return [each for each in self.unlike if not each.is_warning]


@dataclass(frozen=True)
class Standing:
    """`refused` says what the address asks for and does not exist; the rest is shown without."""

    all: Sequence[Against]
    detail: Against
    metric: str
    lines: Sequence[Line]
    slices: Slices | None
    refused: str

    @property
    def waits(self) -> bool:
        return any(each.waits for each in self.all)

    @property
    def uncorrected(self) -> list[str]:
        """Why judged numbers stand as the judge gave them."""
        return correcting.reasons(each for line in self.lines for each in line.corrected)


class Chip(NamedTuple):
    """A way to narrow the records, and how many it leaves."""

    move: str
    label: str
    n: int
    tone: str = ""
    icon: str = ""


def standing(chosen: Chosen, comparisons: Sequence[Comparison], wanted: Wanted) -> Standing:
    """A few queries a candidate, for what the runs differ in; none that grows with their size."""
    whole = [_whole(each) for each in comparisons]
    place = chosen.candidates.index(chosen.candidate)
    paired = whole[place]
    metric, refused = _metric(paired, wanted)
    against = [
        _against(chosen, side, comparison, found, metric)
        for side, comparison, found in zip(chosen.candidates, comparisons, whole, strict=True)
    ]
    return Standing(
        all=against,
        detail=against[place],
        metric=metric,
        lines=differing.lines_of(paired, _corrected(chosen, paired)) if paired else (),
        slices=_slices(comparisons[place], metric, wanted) if paired else None,
        refused=refused,
    )


def compared(chosen: Chosen, sides: Sequence[Side]) -> list[Comparison]:
    """One comparison a candidate, with the runs that were fetched already.

    Raises ValidationError with a sentence where these cannot be compared.
    """
    comparisons = asked(chosen.baseline.run, [side.run for side in sides])
    for comparison, side in zip(comparisons, sides, strict=True):
        comparison.baseline, comparison.candidate = chosen.baseline.run, side.run
    return comparisons


def check_computed(comparisons: Sequence[Comparison]) -> None:
    """Raises ComparisonUnavailable where one still waits or has failed."""
    for comparison in comparisons:
        if comparison.body is None:
            raise ComparisonUnavailable(
                comparison.error or "A comparison is not computed yet: ask again in a moment."
            )


def whole_of(comparison: Comparison) -> PairedRuns:
    """Without the slices, of which there may be thousands."""
    check_computed([comparison])
    return PairedRuns.model_validate({**(comparison.body or {}), "slices": ()})


def metric_of(paired: PairedRuns, wanted: Wanted) -> str:
    """What the address names; ValidationError where the runs do not share it."""
    metrics = differing.metrics_of(paired)
    if not metrics:
        raise ValidationError("The runs share no number that could be compared.")
    if wanted.metric and wanted.metric not in metrics:
        raise ValidationError(
            f"These runs have no metric “{wanted.metric[:80]}” in common. Choose one below."
        )
    return wanted.metric or differing.metric_to_tell(paired)


def chips(counts: Mapping[str, int], wanted: Wanted) -> list[Chip]:
    """The moves of what the address names, as `moved.counts` counts them, then what one run lacks.

    Those that leave nothing are left out, except the one that is chosen.
    """
    narrower = [
        *(
            Chip(move, look.word.capitalize(), counts[move], look.tone, look.icon)
            for move, look in MOVES.items()
        ),
        *(Chip(move, label, counts[move]) for move, label in _ALONE.items() if move in counts),
    ]
    return [
        Chip("", "All shared", counts[""]),
        Chip(DIFFERENT, "Only differences", counts[DIFFERENT]),
        *(chip for chip in narrower if chip.n or chip.move == wanted.move),
    ]


def _metric(paired: PairedRuns | None, wanted: Wanted) -> tuple[str, str]:
    """What the comparison is told by, and why that is not what the address names."""
    if paired is None or not paired.whole:
        return wanted.metric, ""
    try:
        return metric_of(paired, wanted), ""
    except ValidationError as error:
        return differing.metric_to_tell(paired), error.messages[0]


_ALONE = {ALONE[0]: "Only in the baseline", ALONE[1]: "Only in the candidate"}


def _against(
    chosen: Chosen, side: Side, comparison: Comparison, paired: PairedRuns | None, metric: str
) -> Against:
    told = None
    if paired is not None:
        shown = metric if paired.of(metric) else differing.metric_to_tell(paired)
        told = differing.told(paired, shown)
    return Against(side, comparison, unlike(chosen.baseline.run, side.run), paired, told)


def _whole(comparison: Comparison) -> PairedRuns | None:
    return None if comparison.body is None else whole_of(comparison)


def _corrected(chosen: Chosen, paired: PairedRuns) -> dict[str, correcting.Pair]:
    return correcting.corrected_pairs(chosen.baseline.run, chosen.candidate.run, paired)


def _slices(comparison: Comparison, metric: str, wanted: Wanted) -> Slices:
    """Only those of the metric are read."""
    body: Mapping[str, Any] = comparison.body or {}
    rows = [row for row in body["slices"] if row["metric"] == metric]
    found = [Difference.model_validate(row) for row in rows]
    return differing.slices_of(metric, found, wanted.family, wanted.number)
