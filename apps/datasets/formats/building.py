"""From a row that a dialect has read to an accepted or a rejected record."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from apps.artifacts.canonical import canonical, sha256_hex
from apps.datasets import prompting
from apps.datasets.contracts import AcceptedRecord, Issue, RejectedRecord
from apps.datasets.uploading.limits import LISTED_PER_RECORD, MAX_ID, MAX_RECORD_BYTES

Facet = tuple[str, str]

CLIPPED = 200
HEAD = 200
LONGEST_FACET = 200
LONGEST_FAMILY = 80
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row stands: its index among the rows, its bytes, its line (counted from 1)."""

    index: int
    offset: int
    length: int
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about one row; `path` names the field, `value` is what stands there."""

    code: str
    message: str
    path: str = ""
    value: Any = ""
    hint: str = ""


def accept(
    place: Place,
    *,
    record_id: str,
    kind: str,
    row: Mapping[str, Any],
    head: str,
    resolved: Mapping[str, Any] | None = None,
    facets: Iterable[Facet] = (),
    group: str = "",
    warnings: Sequence[Problem] = (),
) -> AcceptedRecord | RejectedRecord:
    """The record of a row that its dialect calls good.

    Its payload is `{"record_id", "kind", "row", "resolved"}`: `row` is what the file said, in the
    file's order, `resolved` what reading added (texts of files, defaults), left out when there is
    nothing. `head` stands for it in lists. It is rejected all the same when it is too large, has
    an id that is none, or holds what JSON cannot say.
    """
    problem = _id_problem(record_id)
    payload: dict[str, Any] = {"record_id": record_id, "kind": kind, "row": row}
    if resolved:
        payload["resolved"] = resolved
    try:
        spelled = canonical(payload)
    except ValueError as error:
        problem = problem or Problem("invalid_value", f"The record cannot be kept: {error}.")
        spelled = b""
    if len(spelled) > MAX_RECORD_BYTES:
        size = f"The record must be at most {MAX_RECORD_BYTES:,} bytes, not {len(spelled):,}."
        problem = problem or Problem("record_too_large", size)
    if problem is not None:
        return reject(place, record_id, [problem])
    return AcceptedRecord(
        index=place.index,
        record_id=record_id,
        payload=_in_order(payload),
        sha256=sha256_hex(spelled),
        input_sha256=sha256_hex(canonical(prompting.asked(payload))),
        head=clean(head)[:HEAD],
        facets=tuple(_facets(facets)),
        offset=place.offset,
        length=place.length,
        kind=kind,
        group=clean(group)[:200],
        warnings=tuple(_issue(place, record_id, each, "warning") for each in warnings),
        line=place.line,
    )


def reject(place: Place, record_id: str | None, problems: Sequence[Problem]) -> RejectedRecord:
    """The record of a row with what is wrong with it, the first 100 problems listed."""
    named = None if record_id is None or _id_problem(record_id) else record_id
    listed = problems[:LISTED_PER_RECORD]
    return RejectedRecord(
        index=place.index,
        record_id=named,
        issues=tuple(_issue(place, named, each, "error") for each in listed),
        issue_count=len(problems),
        offset=place.offset,
        length=place.length,
    )


def clean(text: str) -> str:
    """One line without control characters, for lists and names."""
    return CONTROL.sub(" ", text)


def length_facet(text: str) -> Facet:
    """The slice `length` of a prompt, in words."""
    words = 1 + text.count(" ") + text.count("\n")
    for last, name in ((20, "1-20"), (100, "21-100"), (500, "101-500")):
        if words <= last:
            return "length", name
    return "length", "over 500"


def metadata_facets(metadata: Mapping[str, Any]) -> Iterable[Facet]:
    """A slice for each key whose value is single."""
    for key, value in metadata.items():
        if isinstance(value, str):
            yield f"metadata.{key}", value
        elif isinstance(value, bool | int | float):
            yield f"metadata.{key}", json.dumps(value)


def _facets(facets: Iterable[Facet]) -> Iterable[Facet]:
    for family, value in dict.fromkeys(facets):
        fits = value and len(value) <= LONGEST_FACET and len(family) <= LONGEST_FAMILY
        if fits and not CONTROL.search(family + value):
            yield family, value


def _id_problem(record_id: str) -> Problem | None:
    if not record_id or record_id != record_id.strip():
        return Problem("invalid_field_value", "The id must not be empty or end in spaces.", "id")
    if len(record_id) > MAX_ID:
        sentence = f"The id must be at most {MAX_ID} characters, not {len(record_id)}."
        return Problem("invalid_field_value", sentence, "id", record_id)
    if CONTROL.search(record_id):
        return Problem("invalid_field_value", "The id must not have control characters.", "id")
    return None


def _in_order(payload: dict[str, Any]) -> bytes:
    """Compact JSON with the keys as they came."""
    try:
        return orjson.dumps(payload)
    except TypeError:  # an integer of more than 64 bits
        return json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()


def _issue(place: Place, record_id: str | None, problem: Problem, severity: Any) -> Issue:
    return Issue(
        index=place.index,
        line=place.line,
        record_id=record_id,
        code=problem.code,
        message=clean_text(problem.message),
        path=clean_text(problem.path)[:400],
        severity=severity,
        value=_clipped(problem.value),
        hint=problem.hint,
    )


def clean_text(text: str) -> str:
    """A text that any database keeps: without null characters and unpaired surrogates."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def _clipped(value: Any) -> str:
    if value == "":
        return ""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return ""
    return clean_text(text if len(text) <= CLIPPED else text[: CLIPPED - 1] + "…")
