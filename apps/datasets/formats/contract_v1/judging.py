"""One item of the records array becomes an accepted or a rejected record."""

import unicodedata
from typing import Any

from pydantic import ValidationError

from apps.artifacts.canonical import canonical, sha256_hex
from apps.datasets.contracts import AcceptedRecord, Issue, RejectedRecord
from apps.datasets.formats.contract_v1 import limits, shape
from apps.datasets.formats.contract_v1.checks import (
    Problem,
    Problems,
    check_oddities,
    check_record,
    size_of,
)
from apps.datasets.formats.contract_v1.facets import facets, head_of
from apps.datasets.formats.contract_v1.items import Item
from apps.datasets.formats.contract_v1.json_text import JsonText, too_deep
from apps.datasets.formats.contract_v1.values import (
    ESCAPED,
    FORBIDDEN,
    Normaliser,
    deeper_than,
    may_hide_forbidden,
)

QUOTE, ESCAPED_QUOTE, PLUS = b'"', b"\\u0022", b"+"
DIGITS_TO_ZERO = bytes(ord("0") if chr(byte).isdecimal() else byte for byte in range(256))
LONG_NUMBER = b"0" * 20


class Judge:
    """Checks records in order and remembers their ids: a later record may not repeat one."""

    def __init__(self, text: JsonText, normaliser: Normaliser, task_type: str | None) -> None:
        self._text = text
        self._normaliser = normaliser
        self._task_type = task_type
        self._seen: dict[str, int] = {}
        self._listed = 0

    def judge(self, index: int, item: Item) -> AcceptedRecord | RejectedRecord:
        problems = Problems(self._most())
        if item.text is None:
            _add_too_large(f"it takes {item.length:,} in the file", problems)
            return self._rejected(index, item, item.value, problems)
        value, spelled = self._settled(index, item, item.text)
        if spelled is None or may_hide_forbidden(spelled):
            _look_closely(value, spelled, problems)
        elif not _fits(value, spelled):
            _add_what_is_wrong(value, len(spelled), problems)
        if not problems.count:
            self._check_unique(value["record_id"], problems)
        if problems.count or spelled is None:
            return self._rejected(index, item, value, problems)
        self._seen[value["record_id"]] = index
        return self._accepted(index, item, value, spelled)

    def _most(self) -> int:
        return limits.LISTED_PER_RECORD if self._listed < limits.LISTED_PER_DOCUMENT else 1

    def _settled(self, index: int, item: Item, text: bytes) -> tuple[Any, bytes | None]:
        """The item's exact value in NFC, and its canonical JSON where it has one."""
        value = item.value
        spelled = _spelling(value, finite=not item.exact)
        if not item.exact and not _is_exact(text, spelled):
            value = self._text.exact(item.start, text)
            spelled = _spelling(value)
        if spelled is None:
            if deeper_than(value, limits.MAX_LEVELS):
                raise too_deep(f"records[{index}]")
        elif not _is_normal(spelled):
            value = self._normaliser.apply(value, f"records[{index}]")
            spelled = _spelling(value)
        return value, spelled

    def _check_unique(self, record_id: str, problems: Problems) -> None:
        first = self._seen.get(record_id)
        if first is not None:
            sentence = f"is already used by records[{first}]"
            problems.add("duplicate_record_id", ("record_id",), sentence, record_id)

    def _accepted(
        self, index: int, item: Item, value: dict[str, Any], spelled: bytes
    ) -> AcceptedRecord:
        return AcceptedRecord(
            index=index,
            record_id=value["record_id"],
            payload=spelled,
            sha256=sha256_hex(spelled),
            input_sha256=sha256_hex(canonical(value["input"], finite=True)),
            head=head_of(value["input"]["prompt"]),
            facets=facets(value, self._task_type),
            offset=item.start,
            length=item.length,
        )

    def _rejected(self, index: int, item: Item, value: Any, problems: Problems) -> RejectedRecord:
        record_id = _name(value)
        issues = tuple(_issue(index, record_id, problem) for problem in problems.listed)
        self._listed += len(issues)
        return RejectedRecord(
            index=index,
            record_id=record_id,
            issues=issues,
            issue_count=problems.count,
            offset=item.start,
            length=item.length,
        )


def _spelling(value: Any, *, finite: bool = False) -> bytes | None:
    """Canonical JSON; an unpaired surrogate, an infinite number or too many levels prevent it."""
    try:
        return canonical(value, finite=finite)
    except ValueError:
        return None


def _is_exact(text: bytes, spelled: bytes | None) -> bool:
    """Whether the fast parser lost nothing: it drops repeated keys and rounds long integers.

    A dropped key takes its quotes along, so the canonical JSON has fewer of them than the text,
    unless the text spells other quotes as \\u0022. A rounded integer is spelled 1.2e+20.
    """
    if spelled is None or spelled.count(QUOTE) != text.count(QUOTE):
        return False
    if ESCAPED.search(text) and ESCAPED_QUOTE in text:
        return False
    return PLUS not in spelled or LONG_NUMBER not in text.translate(DIGITS_TO_ZERO)


def _look_closely(value: Any, spelled: bytes | None, problems: Problems) -> None:
    """Also look for what the canonical JSON may hide, or what kept the value from having one."""
    size = size_of(value) if spelled is None else len(spelled)
    if size <= limits.MAX_RECORD_BYTES:
        check_oddities(value, problems)
    _add_what_is_wrong(value, size, problems)


def _add_what_is_wrong(value: Any, size: int, problems: Problems) -> None:
    if size > limits.MAX_RECORD_BYTES:
        _add_too_large(f"not {size:,}", problems)
    else:
        check_record(value, problems)


def _is_normal(spelled: bytes) -> bool:
    return spelled.isascii() or unicodedata.is_normalized("NFC", spelled.decode())


def _fits(value: Any, spelled: bytes) -> bool:
    """Whether a record keeps every limit and has every field as it must be."""
    if len(spelled) > limits.MAX_RECORD_BYTES:
        return False
    try:
        shape.RECORD.validate_python(value)
    except ValidationError:
        return False
    metadata = value.get("metadata", {})
    small = len(spelled) <= limits.MAX_RECORD_METADATA_BYTES
    return (small or size_of(metadata) <= limits.MAX_RECORD_METADATA_BYTES) and not deeper_than(
        metadata, limits.MAX_METADATA_LEVELS
    )


def _add_too_large(size: str, problems: Problems) -> None:
    sentence = f"must be at most {limits.MAX_RECORD_BYTES:,} bytes as compact JSON, {size}"
    problems.add("record_too_large", (), sentence)


def _name(value: Any) -> str | None:
    """The record's id where it is fit to be one."""
    found = value.get("record_id") if isinstance(value, dict) else None
    if not isinstance(found, str) or not 1 <= len(found) <= 128 or FORBIDDEN.search(found):
        return None
    return found


def _issue(index: int, record_id: str | None, problem: Problem) -> Issue:
    place = problem.place
    dot = "." if place and not place.startswith("[") else ""
    return Issue(
        index=index,
        record_id=record_id,
        code=problem.code,
        message=problem.message,
        path=f"records[{index}]{dot}{place}",
        value=problem.value,
    )
