"""The metrics artifacts: the whole run, and its slices."""

from collections.abc import Sequence

from apps.artifacts.redaction import Redactor
from apps.metrics.contracts import Metric
from apps.metrics.worst import worst_slice
from apps.runs.ending.checking import checks_of
from apps.runs.models import Run

from .manifest import dataset_fields
from .writing import Row


def summary(run: Run, metrics: Sequence[Metric], redactor: Redactor) -> Row:
    whole = [_nameless(metric, metrics, redactor) for metric in metrics if not metric.family]
    found = {metric.metric: _metric(metric) for metric in whole}
    counts = {
        f"{name}_records": (found.get(name) or {}).get("point")
        for name in ("total", "valid", "invalid", "evaluated", "failed", "skipped")
    }
    checks = checks_of(run, {metric.metric: metric.interval for metric in whole})
    return {
        "run_id": run.pk,
        **dataset_fields(run),
        "trials": run.trials,
        "counted_in": run.counted_in,
        **counts,
        "spent": run.spent,
        "cost_note": "cost_sum is of the target's answers; spent counts every call, judges too.",
        "bootstrap_seed": run.plan["settings"]["bootstrap_seed"],
        "checks": [check.model_dump(mode="json") for check in checks],
        "metrics": found,
    }


def by_slice(run: Run, metrics: Sequence[Metric], redactor: Redactor) -> Row:
    slices: dict[tuple[str, str], Row] = {}
    for metric in metrics:
        if metric.family:
            slices.setdefault((metric.family, metric.value), {})[metric.metric] = _metric(metric)
    return {
        "run_id": run.pk,
        **dataset_fields(run),
        "slices": [
            {"family": family, "value": redactor.text(value), "metrics": found}
            for (family, value), found in slices.items()
        ],
    }


def _nameless(metric: Metric, metrics: Sequence[Metric], redactor: Redactor) -> Metric:
    """The worst slice is named in its reason, and what slices are called is text of the dataset."""
    if metric.metric != "worst_slice":
        return metric
    return worst_slice(
        [
            rate.model_copy(update={"value": redactor.text(rate.value)})
            for rate in metrics
            if rate.family and rate.metric == "pass_rate"
        ]
    )


def _metric(metric: "Metric") -> Row:
    body = metric.interval.model_dump(mode="json")
    body["too_few"] = metric.too_few
    if metric.shape is not None:
        body["distribution"] = metric.shape.model_dump(mode="json")
    return body
