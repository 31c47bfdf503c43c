"""The stored numbers of a run: computed by a job, read by pages, never by a request."""

import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from apps.datasets.models import FacetMember
from apps.grading.trials import over_trials, record_passes
from apps.jobs.leases import Lease
from apps.jobs.models import JobState
from apps.metrics.contracts import Metric
from apps.runs.contracts import Plan
from apps.runs.models import ASKING, TERMINAL, Result, Run, RunStep, Score, Summary
from apps.runs.recorded.imported import label_of

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from apps.metrics.trials import Trials

REFRESH_SECONDS = 5
MOST_RULES = 60
"""Those with the most scores get numbers: records may bring rules with names of their own."""
REST = 10
"""A refresh may take a tenth of the worker's time at most."""

_RESULT_FIELDS = (
    "ordinal",
    "trial",
    "status",
    "verdict",
    "score",
    "latency_ms",
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cost",
    "record__group",
)


def summarise(step: RunStep, lease: Lease) -> None:
    """Refresh the summaries of an open run, and wait for the next turn while it is open."""
    started = time.monotonic()
    run = Run.objects.get(pk=step.run_id)
    if run.kind == Run.Kind.RECORDED:
        _summarise_recorded(run, lease)
        return
    if run.state in TERMINAL:
        return
    metrics, now = metrics_of(run), timezone.now()
    with transaction.atomic():
        if not Run.objects.filter(pk=run.pk, state__in=ASKING).hold():
            return  # the finaliser's numbers are the last ones
        store_summaries(run, metrics, as_of=now)
    pause = max(REFRESH_SECONDS, REST * (time.monotonic() - started))
    lease.close(JobState.PENDING, not_before=Now() + timedelta(seconds=pause))


def _summarise_recorded(run: Run, lease: Lease) -> None:
    """Scores are imported when such a run has long ended; its artifacts stay as they are."""
    if run.state not in TERMINAL:
        lease.close(JobState.PENDING, not_before=Now() + timedelta(seconds=REFRESH_SECONDS))
        return
    metrics, now = metrics_of(run), timezone.now()
    with transaction.atomic():
        lease.require()
        store_summaries(run, metrics, as_of=now)


def metrics_of(run: Run) -> list[Metric]:
    """Every number of the run, from its rows as they are now."""
    from apps.metrics.summary import summarise as summary  # pandas takes most of a second

    return summary(
        _results(run),
        _scores(run),
        _slices(run),
        invalid=run.rejected * run.trials,
        trials=_trials(run),
        seed=Plan.model_validate(run.plan).settings.bootstrap_seed,
    )


def store_summaries(run: Run, metrics: Iterable[Metric], *, as_of: datetime) -> None:
    """Replace the run's summaries, all in one transaction."""
    with transaction.atomic():
        Summary.objects.filter(run=run).delete()
        Summary.objects.bulk_create(
            [_row(run, metric, as_of) for metric in metrics], batch_size=500
        )


def _row(run: Run, metric: Metric, as_of: datetime) -> Summary:
    interval = metric.interval
    return Summary(
        run=run,
        family=metric.family,
        value=metric.value,
        metric=metric.metric,
        n=interval.n,
        point=interval.point,
        low=interval.low,
        high=interval.high,
        method=interval.method,
        reason=interval.reason,
        shape=metric.shape.model_dump(mode="json") if metric.shape else None,
        as_of=as_of,
    )


def _trials(run: Run) -> "Trials | None":
    """What several trials make of a record, as the contract says; None where each has but one."""
    from apps.metrics.trials import Trials

    if run.trials == 1:
        return None
    how = run.over_trials
    return Trials(
        planned=run.trials,
        score=lambda values: over_trials(values, how),
        passes=lambda passes: record_passes(passes, how),
    )


def _results(run: Run) -> "pd.DataFrame":
    import pandas as pd

    rows = Result.objects.filter(run=run).values_list(*_RESULT_FIELDS)
    frame = pd.DataFrame.from_records(list(rows), columns=list(_RESULT_FIELDS))
    return frame.rename(columns={"verdict": "outcome", "record__group": "group"})


def _scores(run: Run) -> "pd.DataFrame":
    import pandas as pd

    fields = ("result__ordinal", "result__trial", "rule", "value", "verdict")
    rows = Score.objects.filter(run=run).values_list(*fields, "method", "verifier")
    named = (
        (*row[:2], row[2] if row[4] else label_of(row[2], *row[5:]), *row[3:5]) for row in rows
    )
    frame = pd.DataFrame.from_records(
        list(named), columns=["ordinal", "trial", "rule", "value", "verdict"]
    )
    counted = frame["rule"].value_counts()
    return frame[frame["rule"].isin(counted.index[:MOST_RULES])]


def _slices(run: Run) -> "dict[tuple[str, str], np.ndarray]":
    import numpy as np

    members: dict[tuple[str, str], list[int]] = {}
    rows = FacetMember.objects.filter(facet__version=run.dataset_version_id)
    for family, value, ordinal in rows.values_list("facet__family", "facet__value", "ordinal"):
        members.setdefault((family, value), []).append(ordinal)
    return {slice_: np.array(ordinals) for slice_, ordinals in members.items()}
