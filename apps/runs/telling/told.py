"""What programs are told of a run: identity, counts, moments, headline metrics."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q

from apps.grading.checks import METRICS
from apps.metrics.contracts import Interval
from apps.runs.documents.writing import moment
from apps.runs.ending.checking import checks_of
from apps.runs.models import Run, Summary
from apps.runs.queries.figures import interval_of
from apps.runs.queries.progress import counts_of

HEADLINES = (
    "pass_rate",
    "failure_rate",
    "score_mean",
    "latency_p50",
    "latency_p95",
    "total_tokens_sum",
    "cost_sum",
    "record_pass_rate",
    "record_score_mean",
    "flaky_records",
)
OF_TRIALS = ("pass@", "pass^")
"""How the names of further headlines begin."""


def run_facts(run: Run) -> dict[str, Any]:
    """A run as JSON; the denominators add up at any time, `waiting_records` counts what is open."""
    rows = _measured(run)
    return {
        **_identity(run),
        "counts": _counts(run),
        "spent": run.spent,
        "cost_cap": run.cost_cap,
        "created_by": run.created_by.get_username() if run.created_by else None,
        **_moments(run),
        "metrics": {name: _metric(row) for name, row in rows.items() if is_headline(name)},
        "checks": [check.model_dump(mode="json") for check in checks_of(run, _intervals(rows))],
    }


def is_headline(metric: str) -> bool:
    return metric in HEADLINES or metric.startswith(OF_TRIALS)


def _identity(run: Run) -> dict[str, Any]:
    """Which run it is, how it stands, and what it is about."""
    return {
        "run_id": run.pk,
        "name": run.name,
        "note": run.note,
        "kind": run.kind,
        "parent_run_id": run.parent_id,
        "status": run.state,
        "reason": run.reason,
        "dataset_version_id": run.dataset_version_id,
        "dataset": run.plan["dataset"],
        "contract": run.plan["contract"],
        "targets": run.plan["targets"],
        "plan_sha256": run.plan_sha256,
        "manifest_sha256": run.bundle.manifest_sha256 if run.bundle else None,
        "trials": run.trials,
        "counted_in": run.counted_in,
    }


def _counts(run: Run) -> dict[str, int]:
    counts = counts_of(run).denominators
    return {
        "total_records": counts.total,
        "valid_records": counts.valid,
        "invalid_records": counts.invalid,
        "evaluated_records": counts.evaluated,
        "failed_records": counts.failed,
        "skipped_records": counts.skipped,
        "waiting_records": counts.waiting,
        "passed_records": counts.passed,
        "failed_contract_records": counts.failed_contract,
        "unjudged_records": counts.unjudged,
    }


def _moments(run: Run) -> dict[str, Any]:
    return {
        "created_at": moment(run.created_at),
        "started_at": moment(run.started_at),
        "completed_at": moment(run.completed_at),
        "archived_at": moment(run.archived_at),
        "states": [
            {"state": change.state, "at": moment(change.at), "reason": change.reason}
            for change in run.state_changes.all()
        ],
    }


def _measured(run: Run) -> dict[str, Summary]:
    """The headlines and what thresholds are about, as stored last; none until the first summary."""
    wanted = Q(metric__in={*HEADLINES, *METRICS.values()})
    for beginning in OF_TRIALS:
        wanted |= Q(metric__startswith=beginning)
    return {row.metric: row for row in run.summaries.filter(wanted, family="").order_by("pk")}


def _intervals(rows: Mapping[str, Summary]) -> dict[str, Interval]:
    return {name: interval_of(row) for name, row in rows.items()}


def _metric(row: Summary) -> dict[str, Any]:
    return {
        "point": row.point,
        "low": row.low,
        "high": row.high,
        "n": row.n,
        "method": row.method,
        "reason": row.reason,
    }
