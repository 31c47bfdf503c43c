"""Which traces a record names, and in which words. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

MOST = 200
EVIDENCE = "trace:"
Payload = Mapping[str, Any]


def traces_of(payload: Payload) -> list[str]:
    """The ids of the traces that a scenario or a session names, each once, in its order."""
    row = payload.get("row", {})
    found = _of_session(row) if payload.get("kind") == "session" else _of_scenario(row)
    return [each for each in dict.fromkeys(found) if each][:MOST]


def _of_session(row: Payload) -> Iterator[str]:
    yield from (str(run.get("trace_id", "")).strip() for run in row.get("runs", ()))
    yield from (str(each).strip() for each in row.get("session", {}).get("traces", ()))


def _of_scenario(row: Payload) -> Iterator[str]:
    yield from row.get("source_trace_ids", ())
    outputs = row.get("verifier_outputs", ())
    for output in outputs if isinstance(outputs, list) else [outputs or {}]:
        yield from _in_evidence(output.get("verifier_evidence_refs", ()))
    yield from _in_evidence(row.get("verifier_evidence_refs", ()))


def _in_evidence(references: Iterable[str]) -> Iterator[str]:
    for reference in references:
        if reference.startswith(EVIDENCE):
            yield reference.removeprefix(EVIDENCE).strip()
