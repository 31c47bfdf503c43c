"""The verifier output of a stored result: of its scores, what came with the data, and people."""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from apps.datasets import subjects
from apps.grading.subjects import VerifierOutput
from apps.grading.verifying import output_of
from apps.runs.models import Run

RECORDED = "recorded"
AGENTS = ("scenario", "session")
"""The kinds of records that verifier outputs come with."""


def came_along(run: Run) -> bool:
    """Whether the answers of the run are those of its data, which its verifiers spoke of."""
    targets = run.plan["targets"]
    recorded = any(each["role"] == "target" and each["kind"] == RECORDED for each in targets)
    return recorded and run.answers_id is None


def contract_name(run: Run) -> str:
    """As name@number; empty for a run that was judged by the rules of its data alone."""
    contract = run.plan["contract"]
    return f"{contract['name']}@{contract['number']}" if contract else ""


def verified(
    run: Run,
    *,
    process_score: float | None,
    outcome_score: float | None,
    raws: Iterable[Any],
    payload: str | None = None,
    attribution: str = "",
) -> VerifierOutput:
    """`raws` are those of the result's scores; `payload` its record's where outputs came along."""
    return output_of(
        process_score=process_score,
        outcome_score=outcome_score,
        evidence=(ref for raw in raws for ref in _evidence(raw)),
        came_with=_came_with(payload) if payload is not None else (),
        contract=contract_name(run),
        attribution=attribution,
    )


def _evidence(raw: Any) -> list[str]:
    found = raw.get("evidence") if isinstance(raw, Mapping) else None
    return [ref for ref in found if isinstance(ref, str)] if isinstance(found, list) else []


def _came_with(payload: str) -> tuple[VerifierOutput, ...]:
    found = subjects.given(orjson.loads(payload)).fields.get("verifier_outputs", ())
    outputs: tuple[VerifierOutput, ...] = found
    return outputs
