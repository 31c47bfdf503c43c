"""A board, computed once by whoever comes first: a worker or a request."""

from collections.abc import Mapping, Sequence
from importlib import import_module

import numpy as np
from django.db import transaction
from django.db.models.functions import Now

from apps.analysis.models import Board
from apps.jobs.leases import Lease
from apps.metrics.contracts import Interval
from apps.metrics.flickering import Asked, flickering
from apps.metrics.ranked import Board as Body
from apps.runs.models import Run, Summary
from apps.runs.queries.figures import interval_of
from apps.runs.queries.listing import target_of

from .sheets import Sheet, sheet_of


def perform(board: Board, lease: Lease) -> None:
    """Store what was computed and end the job, both or neither."""
    known = Run.objects.select_related("contract_version").in_bulk(board.runs)
    body = board_of([known[key] for key in board.runs], board.metric, lease)
    with transaction.atomic():
        lease.require()
        Board.objects.filter(pk=board.pk).update(body=body.model_dump(mode="json"), as_of=Now())
        lease.close(error="")


def warm_up() -> None:
    """The statistics take a second or two to import."""
    import_module("apps.metrics.ranking")


def board_of(runs: Sequence[Run], metric: str, lease: Lease) -> Body:
    """Ranks by the metric and flicker by the verdicts, of the newest run first; raises LeaseLost on
    the way."""
    from apps.metrics.ranking import rank

    sheet = sheet_of(runs, metric, lease.require)
    estimates = _estimates(runs, metric)
    places = [place for place, run in enumerate(runs) if _has_any(sheet, place, run, estimates)]
    ranked = [runs[place].pk for place in places]
    values = sheet.values[places]
    oldest_first = [_asked(run) for run in reversed(runs)]
    flicker = flickering(sheet.passes[::-1], oldest_first, sheet.ordinals)
    return Body(
        metric=metric,
        shared=int((~np.isnan(values)).all(axis=0).sum()) if ranked else 0,
        ranks=rank(values, sheet.clusters, ranked, [estimates[key] for key in ranked]),
        left_out=tuple(run.pk for run in runs if run.pk not in ranked),
        flickers=flicker.listed,
        flickering=flicker.flickering,
        changed=flicker.changed,
        differing=flicker.differing,
        judged=flicker.judged,
        always_passed=flicker.passed,
        always_failed=flicker.failed,
    )


def _asked(run: Run) -> Asked:
    target = target_of(run)
    return Asked(target.name, target.version)


def _has_any(sheet: Sheet, place: int, run: Run, estimates: Mapping[str, Interval]) -> bool:
    return run.pk in estimates and not np.isnan(sheet.values[place]).all()


def _estimates(runs: Sequence[Run], metric: str) -> dict[str, Interval]:
    """As every page tells them: over all records of the run that have a value."""
    rows = Summary.objects.filter(run__in=runs, family="", value="", metric=metric)
    return {row.run_id: interval_of(row) for row in rows if row.point is not None}
