"""From the items of a file to records: scenarios, or the sessions of an export."""

from collections.abc import Iterator, Mapping
from typing import Any

from apps.datasets import prompting
from apps.datasets.contracts import AcceptedRecord, Document, Header, Rejected, RejectedRecord
from apps.datasets.formats.base import Progress
from apps.datasets.formats.building import (
    Facet,
    Problem,
    accept,
    clean,
    length_facet,
    reject,
)
from apps.datasets.uploading.bundles import Bundle

from . import exporting, scenario, session
from .document import read_items
from .items import Found, Item
from .summing import Totals, mismatches

Read = AcceptedRecord | RejectedRecord
Row = Mapping[str, Any]

MOST_TOLD = 200
LONGEST_VERSION = 64


def read(bundle: Bundle, progress: Progress | None) -> Document:
    found = read_items(bundle, progress)
    warnings: list[str] = []
    if found.holder == "sessions":
        exporting.check_specs(found.around)
        return Document(exporting.header_of(found.around), _sessions(found, warnings), warnings)
    return Document(_header(bundle, found, warnings), _scenarios(found), warnings)


def _header(bundle: Bundle, found: Found, warnings: list[str]) -> Header:
    around = {key: value for key, value in found.around.items() if key != found.holder}
    said = around.get("dataset_name") or around.get("dataset_id")
    name = said if isinstance(said, str) else bundle.stem
    version = str(around.get("dataset_version") or found.version)
    if len(version) > LONGEST_VERSION or not version.isprintable():
        warnings.append("dataset_version is no name for a version: the next number is taken.")
        version = ""
    return Header(
        dataset_id=exporting.printable(name) or "scenarios",
        dataset_version=version.strip(),
        metadata=exporting.kept(around),
    )


# -- scenarios ------------------------------------------------------------------------------


def _scenarios(found: Found) -> Iterator[Read]:
    seen: dict[str, str] = {}
    for item in _some(found.items):
        yield _scenario(item, seen)


def _scenario(item: Item, seen: dict[str, str]) -> Read:
    row, problems = item.row, [item.problem] if item.problem else scenario.problems_of(item.row)
    record_id = _text(row.get("scenario_id"))
    if not problems and record_id in seen:
        problems = [_duplicate("scenario_id", record_id, seen[record_id])]
    if problems:
        return reject(item.place, record_id or None, problems)
    seen[record_id] = _where(item)
    payload = {"record_id": record_id, "kind": "scenario", "row": row}
    first = prompting.messages(payload)[0].content
    return accept(
        item.place,
        record_id=record_id,
        kind="scenario",
        row=row,
        head=first,
        facets=_facets(row, first),
        warnings=scenario.warnings_of(row),
    )


def _facets(row: Row, first: str) -> Iterator[Facet]:
    yield from (("label", label) for label in row["labels"])
    yield "risk_class", _text(row.get("risk_class"))
    yield "scenario_owner", _text(row.get("scenario_owner"))
    yield length_facet(first)


# -- sessions -------------------------------------------------------------------------------


def _sessions(found: Found, warnings: list[str]) -> Iterator[Read]:
    """Each session; then what the top level says is held against all of them."""
    totals, known, all_good = Totals(), exporting.Known(), True
    for item in _some(found.items):
        record = _session(item, known)
        if isinstance(record, AcceptedRecord):
            totals.add(item.row)
        else:
            all_good = False
        yield record
    if all_good:
        told = [each.sentence for each in totals.mismatches(found.around)]
        told += known.unknown_specs(found.around)
        warnings += [clean(sentence) for sentence in told[:MOST_TOLD]]


def _session(item: Item, known: exporting.Known) -> Read:
    row, problems = item.row, [item.problem] if item.problem else session.problems_of(item.row)
    about = row.get("session") if isinstance(row.get("session"), dict) else {}
    record_id = _text(about.get("session_id")) if about else ""
    if not problems:
        problems = known.clashes(row)
    if problems:
        return reject(item.place, record_id or None, problems)
    known.add(row)
    payload = {"record_id": record_id, "kind": "session", "row": row}
    first = prompting.messages(payload)[0].content
    return accept(
        item.place,
        record_id=record_id,
        kind="session",
        row=row,
        head=first,
        group=f"{_text(about.get('tenant_id'))}/{record_id}" if about else "",
        facets=_session_facets(row, first),
        warnings=[*session.warnings_of(row), *map(_mismatch, mismatches(row))],
    )


def _mismatch(found: Any) -> Problem:
    hint = "The file is kept as it says; runs are measured by what the runs give."
    return Problem("aggregate_mismatch", found.sentence, found.path, found.stands, hint)


def _session_facets(row: Row, first: str) -> Iterator[Facet]:
    spec = row.get("eval") or {}
    yield from (("label", label) for label in spec.get("labels", ()))
    if row["runs"]:
        yield "latest_status", row["runs"][-1]["status"]
    yield length_facet(first)


# -- both -----------------------------------------------------------------------------------


def _some(items: Iterator[Item]) -> Iterator[Item]:
    """The items; raises Rejected when there are none."""
    first = next(items, None)
    if first is None:
        raise Rejected("The file has no scenarios.")
    yield first
    yield from items


def _duplicate(field: str, value: str, where: str) -> Problem:
    sentence = f"{field} {value[:128]} is that of {where} already."
    return Problem("duplicate_record_id", sentence, field, value)


def _where(item: Item) -> str:
    return f"line {item.place.line:,}" if item.place.line else f"item {item.place.index}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
