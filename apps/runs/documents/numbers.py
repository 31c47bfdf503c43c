"""The metrics artifacts: the whole run, and its slices."""

from apps.metrics.contracts import Metric
from apps.runs.checking import checks_of
from apps.runs.models import Run

from .manifest import dataset_fields
from .writing import Row


def summary(run: Run, metrics: list[Metric]) -> Row:
    found = {metric.metric: _metric(metric) for metric in metrics}
    counts = {
        f"{name}_records": (found.get(name) or {}).get("point")
        for name in ("total", "valid", "invalid", "evaluated", "failed", "skipped")
    }
    checks = checks_of(run, {metric.metric: metric.interval for metric in metrics})
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


def by_slice(run: Run, metrics: list[Metric]) -> Row:
    slices: dict[tuple[str, str], Row] = {}
    for metric in metrics:
        slices.setdefault((metric.family, metric.value), {})[metric.metric] = _metric(metric)
    return {
        "run_id": run.pk,
        **dataset_fields(run),
        "slices": [
            {"family": family, "value": value, "metrics": found}
            for (family, value), found in slices.items()
        ],
    }


def _metric(metric: "Metric") -> Row:
    body = metric.interval.model_dump(mode="json")
    body["too_few"] = metric.too_few
    if metric.shape is not None:
        body["distribution"] = metric.shape.model_dump(mode="json")
    return body
