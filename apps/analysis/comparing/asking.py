"""Asking for a comparison: the stored one, or one that is computed by whoever comes first."""

import time
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db.models import Q

from apps.analysis.models import Comparison
from apps.artifacts.canonical import canonical, sha256_hex
from apps.jobs.asking import by_a_worker, done_here, try_again
from apps.jobs.models import JobState
from apps.metrics.compared import PairedRuns
from apps.runs.models import TERMINAL, Run, RunStep

from .arrays import PairArrays, unpacked

ALGORITHM = 3
"""A higher number makes every comparison anew."""

IN_REQUEST = 150_000
"""So many results a request compares by itself; what is more, workers do."""

MOST_CANDIDATES = 7
"""Beside the baseline."""

WAIT_SECONDS = 30.0
"""The longest that we wait for somebody else who is at it."""

_LOOK_SECONDS = 0.1
NOT_YET = "The comparison is not computed yet: ask again in a moment."


class ComparisonUnavailable(ValidationError):
    """It cannot be had right now: a worker is still at it, or it failed."""


def comparison_of(baseline: Run, candidate: Run, *, in_request: bool = False) -> Comparison:
    """The comparison with its body: stored for what the runs look like now, or computed here.

    In a request a worker computes what is heavy. Raises ValidationError where a run has not ended,
    both are the same or of different workspaces; ComparisonUnavailable where a worker is at it for
    longer than we wait, or where it failed.
    """
    [comparison] = standing(baseline, [candidate])
    deadline = time.monotonic() + WAIT_SECONDS
    by_others = in_request and baseline.planned + candidate.planned > IN_REQUEST
    if by_others and comparison.is_open:
        by_a_worker(Comparison)
    while comparison.body is None:
        tried = not by_others and done_here(comparison)
        comparison.refresh_from_db(fields=_LOOKED_AT)
        _refuse_failed(comparison, tried=tried)
        if comparison.body is None and time.monotonic() > deadline:
            raise ComparisonUnavailable(NOT_YET)
        time.sleep(0 if tried else _LOOK_SECONDS)
    return comparison


def asked(baseline: Run, candidates: Sequence[Run]) -> list[Comparison]:
    """One comparison a candidate, in their order; raises ValidationError as `comparison_of`.

    What is light is computed here; where there is more, `body` is None until a worker has come, and
    `state` and `error` tell how it stands.
    """
    found = standing(baseline, candidates)
    results = {run.pk: run.planned for run in candidates}
    left = IN_REQUEST
    for comparison in sorted(found, key=lambda each: results[each.candidate_id]):
        left -= 0 if comparison.body else baseline.planned + results[comparison.candidate_id]
        if comparison.body is None and comparison.is_open and left >= 0:
            done_here(comparison)
            comparison.refresh_from_db(fields=_LOOKED_AT)
    if any(comparison.is_open for comparison in found):
        by_a_worker(Comparison)
    return found


def standing(baseline: Run, candidates: Sequence[Run]) -> list[Comparison]:
    """The rows of what the runs look like now, computed or not; those that lack are made.

    Asked for twice, or by two at once, they are the same rows.
    """
    for candidate in candidates:
        _check(baseline, candidate)
    scored = _scored_at([baseline, *candidates])
    keys = {run.pk: _key(baseline, run, scored) for run in candidates}
    found = _rows(baseline, keys)
    if missing := keys.keys() - found.keys():
        Comparison.objects.bulk_create(
            [
                Comparison(baseline=baseline, candidate_id=run, key=keys[run])
                for run in sorted(missing)
            ],
            ignore_conflicts=True,
        )
        found = _rows(baseline, keys)
    _try_again(found.values())
    for run in candidates:
        found[run.pk].baseline, found[run.pk].candidate = baseline, run
    return [found[run.pk] for run in candidates]


def body_of(comparison: Comparison) -> PairedRuns:
    """What was computed; ComparisonUnavailable where nothing was yet."""
    if comparison.body is None:
        raise ComparisonUnavailable(NOT_YET)
    return PairedRuns.model_validate(comparison.body)


def arrays_of(comparison: Comparison, metric: str | None = None) -> PairArrays:
    """The arrays behind it, an entry per shared record; of one metric alone where it is named."""
    if comparison.pairs is None:
        raise ComparisonUnavailable(NOT_YET)
    return unpacked(bytes(comparison.pairs), metric)


_LOOKED_AT = ("state", "error", "deliveries", "body", "as_of", "finished_at")


def _check(baseline: Run, candidate: Run) -> None:
    if baseline.pk == candidate.pk:
        raise ValidationError(
            f"{baseline.title} cannot be compared with itself: choose another run."
        )
    if baseline.workspace_id != candidate.workspace_id:
        raise ValidationError("Runs of different workspaces cannot be compared.")
    for run in (baseline, candidate):
        if run.state not in TERMINAL:
            raise ValidationError(f"{run.title} is {run.state}: wait until it has ended.")


def _key(baseline: Run, candidate: Run, scored: dict[str, datetime]) -> str:
    told = [
        [run.pk, run.dataset_version_id, scored[run.pk].isoformat() if run.pk in scored else None]
        for run in (baseline, candidate)
    ]
    return sha256_hex(canonical([ALGORITHM, *told]))


def _scored_at(runs: Iterable[Run]) -> dict[str, datetime]:
    """When scores last came in: they do on recorded runs long after these have ended.

    Whoever writes some asks for new numbers in the same transaction, at that moment.
    """
    recorded = [run.pk for run in runs if run.kind == Run.Kind.RECORDED]
    steps = RunStep.objects.filter(run__in=recorded, name=RunStep.Name.SUMMARISE)
    return dict(steps.values_list("run", "not_before")) if recorded else {}


def _rows(baseline: Run, keys: dict[str, str]) -> dict[str, Comparison]:
    """By candidate; without the arrays, which only some ask for."""
    wanted = Q(candidate__in=keys.keys(), key__in=keys.values())
    rows = Comparison.objects.filter(wanted, baseline=baseline).defer("pairs")
    return {row.candidate_id: row for row in rows}


def _try_again(comparisons: Iterable[Comparison]) -> None:
    failed = [each for each in comparisons if each.state == JobState.FAILED]
    if failed:
        try_again(Comparison.objects.filter(pk__in=[each.pk for each in failed]))
    for each in failed:
        each.refresh_from_db(fields=_LOOKED_AT)


def _refuse_failed(comparison: Comparison, *, tried: bool) -> None:
    """It will not be tried again, or was by us, and broke."""
    given_up = comparison.state in (JobState.FAILED, JobState.CANCELLED)
    if comparison.body is None and (given_up or (tried and comparison.error)):
        raise ComparisonUnavailable(
            f"The runs could not be compared: {comparison.error or comparison.state}."
        )
