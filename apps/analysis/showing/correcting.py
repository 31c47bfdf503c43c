"""What people's labels make of judged numbers, for the cells beside the raw ones."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from apps.analysis.calibration.known import (
    Corrected,
    corrected_of_many,
    corrected_of_metrics,
)
from apps.metrics.compared import Difference, PairedRuns
from apps.runs.models import Run
from apps.web.templatetags import formats


class Beside(NamedTuple):
    """The corrected number, or that there is none; `why` in a sentence."""

    text: str
    why: str
    address: str
    applies: bool


Pair = tuple[Beside | None, Beside | None]
"""Of the baseline and the candidate; None where no judge decides."""

NOTHING: Pair = (None, None)


def corrected(runs: Sequence[Run], metric: str) -> dict[str, Beside | None]:
    return {key: _beside(found) for key, found in corrected_of_many(runs, metric).items()}


def corrected_pairs(baseline: Run, candidate: Run, paired: PairedRuns) -> dict[str, Pair]:
    """By metric; those that no judge can have decided are left out."""
    metrics = [each.metric for each in paired.whole if _may_be_judged(each)]
    return {
        metric: (_beside(said[baseline.pk]), _beside(said[candidate.pk]))
        for metric, said in corrected_of_metrics([baseline, candidate], metrics).items()
    }


def reasons(found: Iterable[Beside | None]) -> list[str]:
    """Why numbers stand uncorrected, each reason once."""
    return list(dict.fromkeys(each.why for each in found if each and not each.applies))


def _may_be_judged(found: Difference) -> bool:
    return found.metric == "pass_rate" or found.metric.startswith("rule:")


def _beside(found: Corrected | None) -> Beside | None:
    if found is None:
        return None
    if found.interval is None or found.interval.point is None:
        return Beside("not corrected", found.why, found.address, applies=False)
    told = f"corrected {formats.point(found.interval)} ({formats.interval(found.interval)})"
    return Beside(told, found.why, found.address, applies=True)
