"""Query-response pairs, as graders see them: the passages as chunks, with the labels they have."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from apps.grading.subjects import Chunk

from .given import Given, asked

LABELS = {
    "relevant": ("relevant", "topically_relevant"),
    "sufficient": ("sufficient", "evidence_sufficient"),
    "misleading": ("misleading",),
}
"""The fields of a chunk that hold a label: ours, then the annotation tool's."""
SPELLED = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}

Row = Mapping[str, Any]


def given(payload: Mapping[str, Any]) -> Given:
    row = payload["row"]
    fields = {
        **asked(payload),
        "context": "\n\n".join(row["context"]),
        "chunks": tuple(_chunks(row)),
        "relevant_chunk_ids": _relevant_ids(row.get("metadata") or {}),
    }
    return Given(fields=fields)


def _chunks(row: Row) -> Iterator[Chunk]:
    """The row's chunks, else its passages as chunk-1, chunk-2; without a rank they come last."""
    last = 0
    for place, chunk in enumerate(row.get("chunks") or _passages(row["context"]), 1):
        last = chunk.get("chunk_rank") or max(last + 1, place)
        labels = {label: _label(chunk, names) for label, names in LABELS.items()}
        yield Chunk(id=chunk["chunk_id"], text=chunk["text"], rank=last, **labels)


def _passages(context: list[str]) -> list[Row]:
    return [{"chunk_id": f"chunk-{place}", "text": text} for place, text in enumerate(context, 1)]


def _label(chunk: Row, names: tuple[str, ...]) -> bool | None:
    said = (SPELLED.get(str(chunk[name]).strip().lower()) for name in names if name in chunk)
    return next((label for label in said if label is not None), None)


def _relevant_ids(metadata: Row) -> tuple[str, ...]:
    """What the pair lists as relevant, in CSV as JSON text."""
    found = metadata.get("relevant_chunk_ids")
    if isinstance(found, str):
        found = _read(found)
    return tuple(each for each in found if isinstance(each, str)) if isinstance(found, list) else ()


def _read(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
