"""Answers to grade, made in one line."""

from typing import Any

from apps.grading.contracts import Subject


def answered(
    response: str,
    *,
    reference: str | None = None,
    prompt: str = "What is it?",
    latency_ms: int | None = None,
    expected: dict[str, Any] | None = None,
) -> Subject:
    return Subject(
        record_id="q_0001",
        prompt=prompt,
        response=response,
        reference_answers=() if reference is None else (reference,),
        record={"expected": expected} if expected is not None else {},
        latency_ms=latency_ms,
    )
