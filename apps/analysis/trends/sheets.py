"""What several runs of one dataset version found out, as runs × records."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from apps.analysis.comparing.columns import (
    NONE,
    Column,
    Row,
    batches,
    floats,
    integers,
    joined,
    positions,
    ratio,
)
from apps.analysis.comparing.matching import clusters_of
from apps.datasets.models import Record
from apps.grading.trials import record_passes
from apps.runs.models import Result, ResultStatus, Run

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

_COLUMNS = {"pass_rate": "verdict", "score_mean": "score"}
METRICS = tuple(_COLUMNS)
"""What runs are ranked by."""

_OUTCOMES = {"passed": 1.0, "failed": 0.0}


@dataclass(frozen=True)
class Sheet:
    """Shapes: `ordinals` and `clusters` records, `values` and `passes` runs × records.

    A value is the mean over a record's trials; `passes` is 1 or 0 as the run's contract makes one
    verdict of them. NaN where a run has none.
    """

    ordinals: Integers
    clusters: Integers
    values: Floats
    passes: Floats


def sheet_of(runs: Sequence[Run], metric: str, renew: Callable[[], None]) -> Sheet:
    """Two queries, and one a run; `renew` is called after each."""
    records = Record.objects.filter(version=runs[0].dataset_version_id).order_by("ordinal")
    found = ([integers(batch, 0)] for batch in batches(records.values_list("ordinal")))
    ordinals = joined(found, 1)[0].astype(np.int64)
    values, passes = np.full((2, len(runs), len(ordinals)), NONE)
    for place, run in enumerate(runs):
        values[place], passes[place] = _row(run, metric, ordinals)
        renew()
    return Sheet(ordinals, clusters_of(runs[0], ordinals), values, passes)


def _row(run: Run, metric: str, ordinals: Integers) -> tuple[Floats, Floats]:
    wanted = ("ordinal", "verdict", _COLUMNS[metric])
    results = Result.objects.filter(run=run, status=ResultStatus.COMPLETED)
    fetched = batches(results.order_by().values_list(*dict.fromkeys(wanted)))
    ordinal, outcome, value = joined((_columns(batch) for batch in fetched), 3)
    known, places = positions(ordinals, ordinal.astype(np.int64))
    passed, judged = _sums(places, outcome[known], len(ordinals))
    means = ratio(*_sums(places, value[known], len(ordinals)))
    return means, _verdicts(passed, judged, run)


def _columns(batch: Sequence[Row]) -> list[Column]:
    outcomes = np.array([_OUTCOMES.get(row[1], NONE) for row in batch])
    return [integers(batch, 0), outcomes, floats(batch, 2) if len(batch[0]) > 2 else outcomes]


def _sums(places: Integers, values: Floats, records: int) -> tuple[Floats, Floats]:
    """Per record: the sum of what is known, and how many are."""
    known = ~np.isnan(values)
    sums = np.bincount(places[known], weights=values[known], minlength=records)
    counts = np.bincount(places[known], minlength=records)
    return sums.astype(np.float64), counts.astype(np.float64)


def _verdicts(passed: Floats, judged: Floats, run: Run) -> Floats:
    if run.trials == 1:
        return ratio(passed, judged)
    pairs, place = np.unique(np.column_stack([passed, judged]), axis=0, return_inverse=True)
    made = [
        record_passes([True] * int(hits) + [False] * int(n - hits), run.over_trials)
        for hits, n in pairs
    ]
    each = np.array([NONE if one is None else float(one) for one in made], dtype=np.float64)
    return each[place.reshape(-1)]
