"""What programs are told of a run: identity, counts, moments, headline metrics."""

from typing import Any

from .documents.writing import moment
from .models import Run
from .queries.progress import counts_of

HEADLINES = (
    "pass_rate",
    "failure_rate",
    "score_mean",
    "latency_p50",
    "latency_p95",
    "total_tokens_sum",
    "cost_sum",
)


def run_facts(run: Run) -> dict[str, Any]:
    """A run as JSON; the denominators add up at any time, `waiting_records` counts what is open."""
    counts = counts_of(run).denominators
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
        "counts": {
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
        },
        "spent": run.spent,
        "cost_cap": run.cost_cap,
        "created_by": run.created_by.get_username() if run.created_by else None,
        "created_at": moment(run.created_at),
        "started_at": moment(run.started_at),
        "completed_at": moment(run.completed_at),
        "archived_at": moment(run.archived_at),
        "states": [
            {"state": change.state, "at": moment(change.at), "reason": change.reason}
            for change in run.state_changes.all()
        ],
        "metrics": metrics_facts(run),
    }


def metrics_facts(run: Run) -> dict[str, Any]:
    """The headline metrics as stored last; empty until the first summary."""
    rows = run.summaries.filter(family="", metric__in=HEADLINES)
    return {
        row.metric: {
            "point": row.point,
            "low": row.low,
            "high": row.high,
            "n": row.n,
            "method": row.method,
            "reason": row.reason,
        }
        for row in rows
    }
