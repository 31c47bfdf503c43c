"""Comparisons as files: a table of pairs, everything as JSON, and agentv's shape."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

import numpy as np

from apps.analysis.models import Comparison
from apps.datasets.formats.agentv.scores import OVERALL
from apps.datasets.models import Record
from apps.metrics.compared import MOVES
from apps.runs.documents.writing import moment
from apps.runs.models import ResultStatus, Run
from apps.runs.recorded.imported import imported_scores
from apps.web.csv import csv_stream

from . import agentv
from .arrays import PairArrays, Values
from .asking import arrays_of
from .columns import batches
from .unlike import unlike

PAIRS = 1_000
_PLACE = ("baseline", "candidate", "record_id", "candidate_record_id", "index", "candidate_index")
_PARTS = ("baseline", "candidate", "move")

Row = list[Any]


def pairs_csv(baseline: Run, comparisons: Sequence[Comparison]) -> Iterator[str]:
    """A line a pair: where it is, then of each metric both values and what became of it.

    A value that a run does not have is empty. Raises ComparisonUnavailable before the first line.
    """
    found = [(comparison.candidate, arrays_of(comparison)) for comparison in comparisons]
    metrics = list(dict.fromkeys(name for _, arrays in found for name in arrays.metrics))
    header = [*_PLACE, *(f"{metric}.{part}" for metric in metrics for part in _PARTS)]
    rows = (row for run, arrays in found for row in _pair_rows(baseline, run, arrays, metrics))
    return csv_stream(header, rows)


def told(baseline: Run, comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """All of it as JSON: the runs, in what they differ beside, and what was computed."""
    return {
        "baseline": facts_of(baseline),
        "comparisons": [_told(baseline, comparison) for comparison in comparisons],
    }


def agentv_json(baseline: Run, comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """As `agentv compare` answers: of one candidate its pairs, of several a matrix.

    By the score of each record, which what failed does not have: it is unmatched.
    """
    ours, names = scores_of(baseline), record_ids(baseline)
    theirs = {each.candidate_id: scores_of(each.candidate) for each in comparisons}
    pairs = {each.candidate_id: _pairs(arrays_of(each)) for each in comparisons}
    paired = {run: _paired(names, ours, theirs[run], pairs[run]) for run in pairs}
    if len(paired) == 1:
        return agentv.compared(next(iter(paired.values())))
    matrix: dict[str, dict[str, float]] = {
        names[ordinal]: {baseline.pk: score} for ordinal, score in ours.items()
    }
    for run, each in paired.items():
        for test, _, score in each.matched:
            matrix[test][run] = score
    return agentv.compared_with_all(baseline.pk, matrix, paired)


def scores_of(run: Run) -> dict[int, float]:
    """By ordinal the mean score of a record's tries; imported results have what they came with."""
    scored = run.results.filter(status=ResultStatus.COMPLETED, score__isnull=False)
    rows = list(scored.values_list("ordinal", "score"))
    if run.kind == Run.Kind.RECORDED and not rows:
        given = imported_scores(run).filter(rule=OVERALL, verifier=OVERALL, value__isnull=False)
        rows = list(given.values_list("result__ordinal", "value"))
    found: dict[int, list[float]] = {}
    for ordinal, score in rows:
        found.setdefault(ordinal, []).append(score or 0.0)
    return {ordinal: fmean(found[ordinal]) for ordinal in sorted(found)}


def record_ids(run: Run) -> dict[int, str]:
    """By ordinal, of the run's dataset version."""
    rows = Record.objects.filter(version=run.dataset_version_id).order_by("ordinal")
    found = batches(rows.values_list("ordinal", "record_id"))
    return {ordinal: record_id for batch in found for ordinal, record_id in batch}


def _pair_rows(
    baseline: Run, candidate: Run, arrays: PairArrays, metrics: Iterable[str]
) -> Iterator[Row]:
    ours, theirs = record_ids(baseline), record_ids(candidate)
    for start in range(0, len(arrays), PAIRS):
        part = slice(start, start + PAIRS)
        cells = [column for metric in metrics for column in _columns(arrays, metric, part)]
        for (old, new), *values in zip(_pairs(arrays, part), *cells, strict=True):
            yield [baseline.pk, candidate.pk, ours[old], theirs[new], old, new, *values]


def _columns(arrays: PairArrays, metric: str, part: slice) -> list[list[Any]]:
    """Both values and the move of each pair; empty where this comparison has no such metric."""
    if metric not in arrays.moves:
        return [[None] * len(arrays.baseline_ordinals[part])] * len(_PARTS)
    before, after = (_numbers(side[part]) for side in arrays.values[metric])
    return [before, after, [MOVES[code] for code in arrays.moves[metric][part].tolist()]]


def _numbers(values: Values) -> list[float | None]:
    """As many digits as they were kept with."""
    known = ~np.isnan(values)
    shown = zip(values.tolist(), known.tolist(), strict=True)
    return [float(f"{value:.7g}") if is_known else None for value, is_known in shown]


def _pairs(arrays: PairArrays, part: slice = slice(None)) -> list[tuple[int, int]]:
    ordinals = arrays.baseline_ordinals[part].tolist(), arrays.candidate_ordinals[part].tolist()
    return list(zip(*ordinals, strict=True))


def _paired(
    names: Mapping[int, str],
    ours: Mapping[int, float],
    theirs: Mapping[int, float],
    pairs: Iterable[tuple[int, int]],
) -> agentv.Paired:
    matched = [
        (names[old], ours[old], theirs[new]) for old, new in pairs if old in ours and new in theirs
    ]
    return agentv.Paired(matched, len(ours) - len(matched), len(theirs) - len(matched))


def _told(baseline: Run, comparison: Comparison) -> dict[str, Any]:
    candidate = comparison.candidate
    return {
        "comparison_id": comparison.pk,
        "run": facts_of(candidate),
        "state": comparison.state,
        "error": comparison.error,
        "as_of": moment(comparison.as_of),
        "unlike": [each.model_dump(mode="json") for each in unlike(baseline, candidate)],
        "body": comparison.body,
    }


def facts_of(run: Run) -> dict[str, Any]:
    """What programs are told of a run that is held against others."""
    plan = run.plan
    return {
        "run_id": run.pk,
        "name": run.name,
        "kind": run.kind,
        "status": run.state,
        "dataset_version_id": run.dataset_version_id,
        "dataset": plan["dataset"],
        "contract": plan["contract"],
        "targets": plan["targets"],
        "trials": run.trials,
    }
