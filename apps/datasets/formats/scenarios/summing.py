"""What an export says of its runs, counted again from the runs themselves."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Row = Mapping[str, Any]
Run = Mapping[str, str]

WAITING = "waiting for human approval"
GUARD_LABEL, GUARD_RULE = "duplicate_ticket_eval_passed", "duplicate_ticket_guard"
LISTS = (
    "trace_ids",
    "failed_trace_ids",
    "idempotency_keys",
    "approval_ids",
    "approval_capability_names",
    "pending_approval_ids",
    "pending_approval_capability_names",
)
COUNTS = ("failed_runs", "traceable_failed_runs")
REPEATED = ("total_runs", *COUNTS, *LISTS, "approval_status_counts", "latest_trace_id")
"""What stands in a session's summary and once more beside it."""


class Mismatch(NamedTuple):
    path: str
    stands: Any
    computed: Any

    @property
    def sentence(self) -> str:
        return f"{self.path} says {_short(self.stands)}, the runs give {_short(self.computed)}."


def summary_of(runs: Iterable[Run]) -> dict[str, Any]:
    """A session's summary, in the order of the export."""
    runs = list(runs)
    failed = [run for run in runs if _is(run, "status", "failed")]
    approved = [run for run in runs if run.get("approval_id")]
    pending = [run for run in approved if _is(run, "capability_session_status", "pending")]
    return {
        "total_runs": len(runs),
        "success_runs": sum(_is(run, "status", "success") for run in runs),
        "approval_wait_runs": sum(WAITING in run.get("output_text", "").lower() for run in runs),
        "denied_runs": sum(_is(run, "status", "denied") for run in runs),
        "failed_runs": len(failed),
        "traceable_failed_runs": sum(map(_is_traceable, failed)),
        "trace_ids": _each(runs, "trace_id"),
        "failed_trace_ids": _each(failed, "trace_id"),
        "idempotency_keys": _each(runs, "idempotency_key"),
        "approval_ids": _each(approved, "approval_id"),
        "approval_capability_names": _each(approved, "capability_name"),
        "pending_approval_ids": _each(pending, "approval_id"),
        "pending_approval_capability_names": _each(pending, "capability_name"),
        "approval_status_counts": dict(Counter(map(_approval_status, approved))),
        "latest_trace_id": runs[-1]["trace_id"] if runs else None,
        "latest_status": runs[-1]["status"] if runs else None,
    }


def latest_failure_reason(runs: Iterable[Run]) -> str:
    reasons = [run.get("failure_reason", "") for run in runs if _is(run, "status", "failed")]
    return reasons[-1] if reasons else ""


def mismatches(row: Row) -> list[Mismatch]:
    """Where a session does not say what its runs give."""
    computed = summary_of(row["runs"])
    beside = {name: computed[name] for name in REPEATED}
    beside["latest_failure_reason"] = latest_failure_reason(row["runs"])
    found = []
    if isinstance(row.get("summary"), dict):
        found += _compared(row["summary"], computed, "summary.")
    return found + _compared({key: row[key] for key in beside if key in row}, beside, "")


@dataclass
class Totals:
    """The same over all sessions, taken one after the other."""

    sessions: int = 0
    runs: int = 0
    reason: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    lists: dict[str, dict[str, None]] = field(
        default_factory=lambda: {
            name: {} for name in ("session_ids", *LISTS, "duplicate_ticket_scenarios")
        }
    )

    def add(self, row: Row) -> None:
        summary = summary_of(row["runs"])
        self.sessions += 1
        self.runs += summary["total_runs"]
        self.reason = latest_failure_reason(row["runs"]) or self.reason
        self.counts.update({name: summary[name] for name in COUNTS})
        self.statuses.update(summary["approval_status_counts"])
        self.lists["session_ids"][row["session"]["session_id"]] = None
        for name in LISTS:
            self.lists[name].update(dict.fromkeys(summary[name]))
        self.lists["duplicate_ticket_scenarios"].update(dict.fromkeys(_guarded(row)))

    def mismatches(self, fields: Row) -> list[Mismatch]:
        computed = {
            "session_count": self.sessions,
            "run_count": self.runs,
            **{name: self.counts[name] for name in COUNTS},
            **{name: list(values) for name, values in self.lists.items()},
            "approval_status_counts": dict(self.statuses),
            "latest_failure_reason": self.reason,
        }
        return _compared({key: fields[key] for key in computed if key in fields}, computed, "")


def _compared(stands: Row, computed: Row, path: str) -> list[Mismatch]:
    return [
        Mismatch(f"{path}{name}", stands.get(name), value)
        for name, value in computed.items()
        if (name in stands or path) and not _same(stands.get(name), value)
    ]


def _same(stands: Any, computed: Any) -> bool:
    """True is no 1; nothing said and nothing found are the same."""
    if computed is None:
        return stands in (None, "")
    return type(stands) is type(computed) and bool(stands == computed)


def _guarded(row: Row) -> list[str]:
    """The session's scenario, where it is about a ticket that must not be made twice."""
    spec = row.get("eval") or {}
    rules = [rule.get("type") for rule in spec.get("grading_rules", ())]
    is_about_it = GUARD_LABEL in spec.get("labels", ()) or GUARD_RULE in rules
    name = str(spec.get("scenario", "")).strip()
    return [name] if is_about_it and name else []


def _is(run: Run, name: str, value: str) -> bool:
    return run.get(name) == value


def _is_traceable(run: Run) -> bool:
    return all(run.get(name) for name in ("trace_id", "output_text", "failure_reason"))


def _approval_status(run: Run) -> str:
    return run.get("capability_session_status") or run["status"]


def _each(runs: Iterable[Run], name: str) -> list[str]:
    return [value for value in dict.fromkeys(run.get(name, "") for run in runs) if value]


def _short(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else text[:199] + "…"
