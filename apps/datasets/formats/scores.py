"""Scores: what metrics and judges elsewhere said of query-response pairs, one score a row."""

import re
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from typing import Any

from apps.datasets.contracts import AcceptedRecord, Document, Header, RejectedRecord
from apps.datasets.uploading.bundles import Bundle

from . import cells
from .base import Progress, Purpose
from .building import Problem, accept, reject
from .csv_text import SCHEMA_VERSION
from .rows import (
    OUR_VERSION,
    Given,
    Rows,
    csv_lines,
    header_of,
    names_of,
    read_rows,
    require_columns,
    row_of,
)

Row = dict[str, Any]
Read = AcceptedRecord | RejectedRecord

KIND = "score"
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
FIELDS = ("id", "metric_family", "score", "method")
NEEDED = 4
FAMILIES = ("retrieval", "grounding", "relevance", "generation")
METHODS = ("reference_based", "reference_free", "model_based")
FURTHER = ("verifier", "rule", "reason")
COLUMNS = (SCHEMA_VERSION, *FIELDS, *FURTHER, "metadata")
KNOWN = frozenset({*FIELDS, *FURTHER})
LONGEST_FAMILY, LONGEST_METHOD = 80, 40
TEMPLATE = b"""\
id,metric_family,score,method
returns-30-days,grounding,1.0,model_based
returns-30-days,relevance,0.87,reference_based
parcel-lost,grounding,0.5,model_based
"""


class Scores:
    id = "scores"
    title = "Scores of query-response pairs"
    hint = "CSV or JSON lines: scores from 0 to 1, by pair, metric family and method."
    endings: tuple[str, ...] = (".csv", ".jsonl", ".json")
    media_types: tuple[str, ...] = ("text/csv", "application/x-ndjson", "application/json")
    template_name = "scores.csv"
    template = TEMPLATE
    purpose: Purpose = "scores"
    partial = False
    refers_to_files = False
    columns: tuple[str, ...] = FIELDS
    required_columns = NEEDED

    def detect(self, name: str, head: bytes) -> bool:
        return names_of(name, head) >= {"metric_family", "score"}

    def read(self, bundle: Bundle, *, progress: Progress | None = None) -> Document:
        rows = read_rows(bundle, progress)
        has = {"id" if column == "pair_id" else column for column in rows.columns}
        require_columns(rows, FIELDS, [each for each in FIELDS if each not in has], of="scores")
        warnings: list[str] = []
        header = header_of(bundle, rows, warnings)
        return Document(header, _records(rows, warnings), warnings)

    def write(self, header: Header, payloads: Iterable[bytes]) -> Iterator[bytes]:
        rows = (row_of(payload, KIND) for payload in payloads)
        return write(rows, schema_version=header.schema_version)

    def json_schema(self) -> dict[str, Any]:
        return SCHEMA


def write(rows: Iterable[Row], *, schema_version: str = "") -> Iterator[bytes]:
    """A CSV with the contract's columns, and who verified, by which rule, why there is none."""
    version = schema_version or OUR_VERSION
    yield from csv_lines(COLUMNS, ([version, *_cells(row)] for row in rows))


def key_of(row: Mapping[str, Any]) -> tuple[str, ...]:
    """What there is one score of: pair, family, rule, method, verifier."""
    names = ("id", "metric_family", "rule", "method", "verifier")
    return tuple(str(row.get(name, "")) for name in names)


def _records(rows: Rows, warnings: list[str]) -> Iterator[Read]:
    seen: dict[tuple[str, ...], int] = {}
    strange: dict[str, dict[str, int]] = {"metric_family": {}, "method": {}}
    for given in rows.items:
        found = _record(given, seen, strange)
        yield found
    warnings += _told(strange)


def _record(given: Given, seen: dict[tuple[str, ...], int], strange: Any) -> Read:
    problems = [given.problem] if given.problem else []
    row = {} if problems else _score(given.fields, problems)
    if problems:
        return reject(given.place, row.get("id") or None, problems)
    key = key_of(row)
    if key in seen:
        sentence = (
            f"The {row['metric_family']} score of {row['id']} by {row['method']} is on line "
            f"{seen[key]:,} already."
        )
        return reject(given.place, row["id"], [Problem("duplicate_score", sentence, "id")])
    seen[key] = given.place.line or 0
    for name, known in (("metric_family", FAMILIES), ("method", METHODS)):
        if row[name] not in known:
            strange[name][row[name]] = strange[name].get(row[name], 0) + 1
    head = f"{row['metric_family']}: {_number(row['score']) or 'no score'}"
    return accept(given.place, record_id=cells.joined_id(*key), kind=KIND, row=row, head=head)


def _told(strange: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    for name, known in (("metric_family", FAMILIES), ("method", METHODS)):
        found = list(strange[name])
        if found:
            yield (
                f"{name} {', '.join(found[:5])}{', …' if len(found) > 5 else ''} is none of "
                f"{', '.join(known)}: kept as it is."
            )


def _score(given: Mapping[str, Any], problems: cells.Problems) -> Row:
    fields = {"id": given["pair_id"], **given} if "pair_id" in given else given
    family = cells.name_text(fields, "metric_family", problems, most=LONGEST_FAMILY)
    reason = cells.optional_text(fields, "reason", problems)
    rule = cells.name_text(fields, "rule", problems, most=LONGEST_FAMILY, needed=False)
    said = {
        "verifier": cells.name_text(fields, "verifier", problems, needed=False),
        "rule": "" if rule == family else rule,
        "reason": reason,
        "metadata": cells.further(fields, {*KNOWN, "pair_id"}),
    }
    return {
        "id": cells.name_text(fields, "id", problems, most=128),
        "metric_family": family,
        "score": _value(fields, reason, problems),
        "method": cells.name_text(fields, "method", problems, most=LONGEST_METHOD),
        **{name: value for name, value in said.items() if value},
    }


def _value(fields: Mapping[str, Any], reason: str, problems: cells.Problems) -> float | None:
    """From 0 to 1; none only where a reason says why."""
    given = fields.get("score")
    if (given is None or given == "") and reason.strip():
        return None
    value = _float(given)
    if value is None:
        sentence = "score must be a number from 0 to 1."
        hint = "Where there is none, leave it empty and say why in a column reason."
        problems.append(Problem("invalid_score", sentence, "score", given, hint))
    elif not 0 <= value <= 1:
        sentence = f"score must lie between 0 and 1, not {_number(value)}."
        hint = "Divide marks of another scale by its highest one."
        problems.append(Problem("value_out_of_range", sentence, "score", given, hint))
    return value


def _float(given: Any) -> float | None:
    if isinstance(given, bool) or not isinstance(given, int | float | str):
        return None
    if isinstance(given, str) and not NUMBER.fullmatch(given.strip()):
        return None
    try:
        value = float(given)
    except OverflowError:
        return None
    return value if isfinite(value) else None


def _number(value: float | None) -> str:
    return "" if value is None else repr(value)


def _cells(row: Row) -> Iterator[str]:
    for name in COLUMNS[1:]:
        value = row.get(name)
        if name == "score":
            yield _number(value)
        elif name == "metadata":
            yield cells.json_text(value)
        else:
            yield value or ""


SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Score of a query-response pair",
    "type": "object",
    "required": list(FIELDS),
    "properties": {
        "id": {"type": "string", "minLength": 1, "maxLength": 128, "description": "The pair's."},
        "metric_family": {"type": "string", "minLength": 1, "maxLength": LONGEST_FAMILY},
        "score": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
        "method": {"type": "string", "minLength": 1, "maxLength": LONGEST_METHOD},
        "verifier": {"type": "string", "maxLength": cells.LONGEST_NAME},
        "rule": {"type": "string", "maxLength": LONGEST_FAMILY},
        "reason": {"type": "string", "description": "Why there is no score."},
        "schema_version": {"type": "string"},
    },
}
