"""`feedback.json`: what people said of a run's answers, as upstream reads it."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, Literal

import orjson
from pydantic import Field

from apps.contract import Contract

Verdict = Literal["acceptable", "needs_improvement", "incorrect", "flaky"]


class CaseFeedback(Contract):
    """What a person said of one answer; `evaluator_overrides` are notes by `type:name`."""

    test_id: str = Field(min_length=1)
    verdict: Verdict
    notes: str | None = None
    evaluator_overrides: dict[str, str] | None = None
    workspace_notes: str | None = None


def feedback_json(
    run_id: str,
    reviewer: str,
    timestamp: datetime,
    cases: Iterable[CaseFeedback],
    overall_notes: str | None = None,
) -> bytes:
    """The file: `run_id, reviewer, timestamp, overall_notes?, per_case`; what is not said is
    left out. `timestamp` knows its time zone."""
    told: dict[str, Any] = {
        "run_id": run_id,
        "reviewer": reviewer,
        "timestamp": _spelled(timestamp),
    }
    if overall_notes:
        told["overall_notes"] = overall_notes
    told["per_case"] = [case.model_dump(exclude_none=True) for case in cases]
    return orjson.dumps(told, option=orjson.OPT_INDENT_2) + b"\n"


def _spelled(moment: datetime) -> str:
    if moment.tzinfo is None:
        raise ValueError("the timestamp must know its time zone")
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
