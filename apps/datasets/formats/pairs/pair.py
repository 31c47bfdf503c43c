"""One query-response pair out of the fields of a row, in whichever shape it came."""

from collections.abc import Mapping
from typing import Any

from apps.artifacts.canonical import sha256_hex
from apps.datasets.formats import cells
from apps.datasets.formats.building import Problem

Fields = Mapping[str, Any]
Row = dict[str, Any]

FIELDS = ("id", "query", "response", "context", "source")
NEEDED = 3
CHUNK = ("chunk_id", "doc_id", "chunk_rank", "text")
CHUNK_TEXT = "chunk_text"
KNOWN = frozenset({*FIELDS, "answer", "chunks"})


def missing_fields(columns: tuple[str, ...]) -> list[str]:
    """The required fields that no column has; pairs with chunks may do without an id."""
    has = set(columns)
    if {"chunks", CHUNK_TEXT} & has:
        has.add("id")
    if "answer" in has:
        has.add("response")
    return [field for field in FIELDS[:NEEDED] if field not in has]


def pair_of(fields: Fields, problems: cells.Problems) -> Row:
    """The pair's row: id, query, response, context, source; chunks and metadata where any are.

    What is wrong is added to the problems; the row is of no use then.
    """
    chunks = _chunks(fields, problems)
    query = cells.required_text(fields, "query", problems)
    response = cells.required_text(fields, response_field(fields), problems)
    context = cells.texts(fields, "context", problems) or [chunk["text"] for chunk in chunks]
    metadata = cells.further(fields, KNOWN)
    row: Row = {
        "id": _id(fields, chunks, problems),
        "query": query,
        "response": response,
        "context": context,
        "source": cells.optional_text(fields, "source", problems),
    }
    if chunks:
        row["chunks"] = chunks
    if metadata:
        row["metadata"] = metadata
    return row


def response_field(fields: Fields) -> str:
    return "answer" if "answer" in fields and "response" not in fields else "response"


def content_id(query: str, response: str, context_set: str, chunk_ids: list[str]) -> str:
    """The id of a pair that has none: the same content has the same one."""
    whole = "\0".join((query, response, context_set, "|".join(sorted(chunk_ids))))
    return sha256_hex(whole.encode("utf-8", "replace"))


def _id(fields: Fields, chunks: list[Row], problems: cells.Problems) -> str:
    given = fields.get("id")
    if not chunks or (given is not None and given != ""):
        return cells.required_text(fields, "id", problems)
    said = (fields.get(name) for name in ("query", response_field(fields), "context_set"))
    query, response, context_set = (text if isinstance(text, str) else "" for text in said)
    return content_id(query, response, context_set, [chunk["chunk_id"] for chunk in chunks])


def _chunks(fields: Fields, problems: cells.Problems) -> list[Row]:
    """The chunks by their rank, those without one last in their order."""
    given = cells.objects(fields, "chunks", problems) or []
    chunks = [_chunk(chunk, place, problems) for place, chunk in enumerate(given)]
    seen: set[str] = set()
    for place, chunk in enumerate(chunks):
        if chunk["chunk_id"] in seen:
            sentence = "Two chunks of the pair have the same chunk_id."
            path = f"chunks[{place}].chunk_id"
            problems.append(Problem("duplicate_chunk_id", sentence, path, chunk["chunk_id"]))
        seen.add(chunk["chunk_id"])
    return sorted(chunks, key=lambda chunk: (chunk["chunk_rank"] is None, chunk["chunk_rank"] or 0))


def _chunk(given: Fields, place: int, problems: cells.Problems) -> Row:
    found: cells.Problems = []
    own = {**given, "chunk_id": given.get("chunk_id") or f"chunk-{place + 1}"}
    chunk = {
        "chunk_id": cells.name_text(own, "chunk_id", found, most=200),
        "doc_id": cells.optional_text(own, "doc_id", found),
        "chunk_rank": _rank(own, found),
        "text": cells.required_text(own, "text", found),
        **{name: value for name, value in given.items() if name not in CHUNK},
    }
    problems += [
        Problem(each.code, each.message, f"chunks[{place}].{each.path}", each.value, each.hint)
        for each in found
    ]
    return chunk


def _rank(given: Fields, problems: cells.Problems) -> int | None:
    value = given.get("chunk_rank")
    if value is None or value == "":
        return None
    spelled = isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 9
    rank = int(value) if spelled else value
    if isinstance(rank, int) and not isinstance(rank, bool) and 1 <= rank < 10**9:
        return rank
    sentence = "chunk_rank must be a whole number from 1."
    problems.append(Problem("value_out_of_range", sentence, "chunk_rank", value))
    return None
