"""What a subject is made of beside texts: choices, rubrics, chunks, runs, events."""

import re
from collections.abc import Iterator, Mapping
from string import ascii_uppercase
from typing import Any

from apps.grading.subjects import (
    Choice,
    Chunk,
    RubricItem,
    SessionRun,
    ToolCall,
    TraceEvent,
    VerifierOutput,
)

from .messages import tool_calls
from .values import (
    SubjectError,
    first_of,
    flag,
    listed,
    mapping,
    number,
    said,
    share,
    text,
    texts,
    whole,
)

RUN_TEXTS = {
    "user_input": ("user_input", "input", "prompt"),
    "output_text": ("output_text", "response", "output"),
    "status": ("status", "latest_status"),
    "failure_reason": ("failure_reason",),
    "trace_id": ("trace_id",),
    "release_identity": ("release_identity",),
    "approval_id": ("approval_id",),
    "approval_status": ("approval_status", "capability_session_status"),
    "capability_name": ("capability_name",),
    "idempotency_key": ("idempotency_key",),
    "side_effect_status": ("side_effect_status",),
}
"""The texts of a run of a session, each by the names that it goes by."""
OF_A_RUN = frozenset(RUN_TEXTS) - {"user_input", "output_text"} | {
    "latest_status",
    "capability_session_status",
}
"""What tells that an answer without a session is a run of an agent."""
_BAND = re.compile(r"[0-9]{1,2}-[0-9]{1,2}")


def choices(value: Any, place: str) -> tuple[Choice, ...]:
    """Objects with id and text, texts alone (A, B, C …), or an object of id to text."""
    if isinstance(value, Mapping):
        return tuple(
            Choice(id=str(name), text=text(each, f"{place}.{name}")) for name, each in value.items()
        )
    return tuple(_choice(each, at, f"{place}[{at}]") for at, each in enumerate(listed(value)))


def rubric(value: Any, place: str) -> tuple[RubricItem, ...]:
    """Objects, texts, pairs of id and weight, or an object of id to weight."""
    if isinstance(value, Mapping) and isinstance(value.get("criteria"), list):
        value = value["criteria"]
    if isinstance(value, Mapping):
        value = [[name, weight] for name, weight in value.items()]
    return tuple(_criterion(each, at, f"{place}[{at}]") for at, each in enumerate(listed(value)))


def chunks(value: Any, place: str) -> tuple[Chunk, ...]:
    return tuple(_chunk(each, at, f"{place}[{at}]") for at, each in enumerate(listed(value)))


def events(value: Any, place: str) -> tuple[TraceEvent, ...]:
    return tuple(_event(each, f"{place}[{at}]") for at, each in enumerate(listed(value)))


def runs(value: Any, place: str) -> tuple[SessionRun, ...]:
    """A list of runs, one run, or an object that holds them under `runs`."""
    if isinstance(value, Mapping) and "runs" in value:
        value = value["runs"]
    return tuple(run(each, f"{place}[{at}]") for at, each in enumerate(listed(value)))


def run(value: Any, place: str) -> SessionRun:
    given = mapping(value, place)
    _, latency = first_of(given, "latency_ms", "duration_ms")
    said_texts = {
        name: text(first_of(given, *names)[1], f"{place}.{name}")
        for name, names in RUN_TEXTS.items()
    }
    _, found = first_of(given, "trace", "events")
    return SessionRun(
        **said_texts,
        tool_calls=tool_calls(given.get("tool_calls"), f"{place}.tool_calls"),
        trace=events(found, f"{place}.trace"),
        latency_ms=whole(latency, f"{place}.latency_ms"),
    )


def verifier_outputs(value: Any, place: str) -> tuple[VerifierOutput, ...]:
    return tuple(_verifier(each, f"{place}[{at}]") for at, each in enumerate(listed(value)))


def called(value: Any, place: str) -> tuple[ToolCall, ...]:
    """The calls among the steps of a trace that are neither events nor messages."""
    return tool_calls([step for step in listed(value) if _is_call(step)], place)


def _choice(value: Any, at: int, place: str) -> Choice:
    if not isinstance(value, Mapping):
        return Choice(id=_letter(at), text=text(value, place))
    _, words = first_of(value, "text", "label", "value")
    _, name = first_of(value, "id", "key")
    return Choice(id=text(name, f"{place}.id") or _letter(at), text=text(words, f"{place}.text"))


def _letter(at: int) -> str:
    return ascii_uppercase[at] if at < len(ascii_uppercase) else str(at + 1)


def _criterion(value: Any, at: int, place: str) -> RubricItem:
    if isinstance(value, list | tuple):
        return _pair(value, place)
    if not isinstance(value, Mapping):
        words = text(value, place)
        return RubricItem(id=f"criterion_{at + 1}", title=words, description=words)
    _, described = first_of(value, "description", "outcome", "expected_outcome", "text")
    name = text(value.get("id"), f"{place}.id") or f"criterion_{at + 1}"
    return RubricItem(
        id=name,
        title=text(value.get("title"), f"{place}.title"),
        description=text(described, f"{place}.description"),
        weight=_weight(value.get("weight"), f"{place}.weight"),
        required=bool(flag(value.get("required"), f"{place}.required")),
        operator=text(value.get("operator"), f"{place}.operator"),
        min_score=number(value.get("min_score"), f"{place}.min_score"),
        score_ranges=dict(_bands(value.get("score_ranges"), f"{place}.score_ranges")),
    )


def _pair(value: Any, place: str) -> RubricItem:
    if len(value) != 2 or not isinstance(value[0], str):
        raise SubjectError(f"{place} must be a pair of id and weight, not {said(value)}.")
    return RubricItem(id=value[0], title=value[0], weight=_weight(value[1], f"{place}[1]"))


def _weight(value: Any, place: str) -> float:
    if value is None:
        return 1.0
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e9:
        raise SubjectError(f"{place} must be a number, not {said(value)}.")
    return float(value)


def _bands(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """Bands as "0-3": text, or as a list of {score_range: [0, 3], outcome}."""
    if isinstance(value, Mapping):
        for band, words in value.items():
            yield _band(band, place), text(words, place)
        return
    for at, each in enumerate(listed(value)):
        given = mapping(each, f"{place}[{at}]")
        _, words = first_of(given, "outcome", "expected_outcome", "description")
        _, ends = first_of(given, "score_range", "range")
        yield _band(ends, f"{place}[{at}]"), text(words, f"{place}[{at}]")


def _band(value: Any, place: str) -> str:
    band = "-".join(str(end) for end in value) if isinstance(value, list) else str(value)
    if not _BAND.fullmatch(band):
        raise SubjectError(f"{place} has bands like 0-3, not {said(value)}.")
    return band


def _chunk(value: Any, at: int, place: str) -> Chunk:
    if not isinstance(value, Mapping):
        return Chunk(id=str(at + 1), text=text(value, place), rank=at + 1)
    _, words = first_of(value, "text", "content", "page_content", "chunk")
    _, name = first_of(value, "id", "chunk_id", "document_id", "doc_id")
    rank = whole(value.get("rank"), f"{place}.rank")
    labels = {
        label: flag(value.get(label), f"{place}.{label}")
        for label in ("relevant", "sufficient", "misleading")
    }
    return Chunk(
        id=text(name, f"{place}.id") or str(at + 1),
        text=text(words, f"{place}.text"),
        rank=at + 1 if rank is None else rank,
        **labels,
    )


def _event(value: Any, place: str) -> TraceEvent:
    event = mapping(value, place)
    _, kind = first_of(event, "event_type", "type", "name")
    if not isinstance(kind, str) or not kind:
        raise SubjectError(f"{place}.event_type must be a text, not {said(kind)}.")
    payload = event.get("payload")
    return TraceEvent(
        event_type=kind,
        trace_id=text(event.get("trace_id"), f"{place}.trace_id"),
        payload=dict(mapping({} if payload is None else payload, f"{place}.payload")),
    )


def _is_call(step: Any) -> bool:
    if not isinstance(step, Mapping) or "event_type" in step:
        return False
    return step.get("type") in ("tool_call", "function", "tool") or "function" in step


def _verifier(value: Any, place: str) -> VerifierOutput:
    given = mapping(value, place)
    _, evidence = first_of(given, "verifier_evidence_refs", "evidence_refs", "evidence")
    return VerifierOutput(
        verifier_id=text(given.get("verifier_id"), f"{place}.verifier_id"),
        verifier_contract_version=text(
            given.get("verifier_contract_version"), f"{place}.verifier_contract_version"
        ),
        process_score=share(given.get("process_score"), f"{place}.process_score"),
        outcome_score=share(given.get("outcome_score"), f"{place}.outcome_score"),
        failure_attribution=text(given.get("failure_attribution"), f"{place}.failure_attribution"),
        verifier_evidence_refs=texts(evidence, f"{place}.verifier_evidence_refs"),
    )
