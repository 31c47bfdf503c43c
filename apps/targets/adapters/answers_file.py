"""Answers files: one answer a record, or those of several candidates to choose from."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

BOM = b"\xef\xbb\xbf"
OURS = ("record_id", "response")
PREFILLED = ("example_id", "candidate_name", "response_text")
NOBODY = ""
LISTED = 10

Answers = dict[str, str]
Row = tuple[int, Any]


class AnswersError(Exception):
    """A sentence that names the line of an answers file that cannot be read."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A line that is no JSON."""

    reason: str


@dataclass(frozen=True, slots=True)
class AnswersFile:
    """The answers by candidate and record; `prefilled` files have to answer all that is asked.

    A file that names no candidates has its answers under the empty name.
    """

    candidates: dict[str, Answers]
    prefilled: bool = False

    def candidate(self, named: str = NOBODY) -> str:
        """Whose answers are taken; raises AnswersError where that has to be said, or is wrong."""
        names = list(self.candidates)
        if named in names:
            return named
        if names == [NOBODY]:
            raise AnswersError("The answers file names no candidates: leave the candidate empty.")
        if named:
            raise AnswersError(f"The answers file has no candidate {named}: {_told(names)}.")
        if len(names) == 1:
            return names[0]
        raise AnswersError(
            f"The answers file has answers of {len(names)} candidates, name one: {_told(names)}."
        )


def read_answers(raw: bytes, candidate: str = NOBODY) -> Answers:
    """The answers by record id, of one candidate where the file has those of several.

    Raises AnswersError for the first line that is no answer or that repeats one.
    """
    found = read_answers_file(raw)
    return found.candidates[found.candidate(candidate)]


def read_answers_file(raw: bytes) -> AnswersFile:
    """Lines or an array of `{"record_id", "response"}` or of `{"example_id", "candidate_name",
    "response_text"}`, or one object of texts by record id."""
    text = raw.removeprefix(BOM).strip()
    document = _document(text)
    if isinstance(document, dict) and _is_mapping(document):
        return AnswersFile({NOBODY: document}, prefilled=True)
    rows = enumerate(document, 1) if isinstance(document, list) else _lines(raw.removeprefix(BOM))
    first = next(rows, None)
    if first is None:
        return AnswersFile({NOBODY: {}})
    if isinstance(first[1], dict) and not first[1].keys().isdisjoint(PREFILLED):
        return AnswersFile(_by_candidate(chain([first], rows)), prefilled=True)
    return AnswersFile({NOBODY: _by_record(chain([first], rows))})


def _document(text: bytes) -> Any:
    """The one JSON value that the file is; None where it is lines."""
    if not text.startswith((b"[", b"{")):
        return None
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return None


def _is_mapping(document: dict[str, Any]) -> bool:
    """Whether it is one object of texts by record id, and no row of either kind."""
    if all(key in document for key in OURS) or not document.keys().isdisjoint(PREFILLED):
        return False
    return bool(document) and all(isinstance(text, str) for text in document.values())


def _lines(raw: bytes) -> Iterator[Row]:
    for number, line in enumerate(raw.splitlines(), start=1):
        if line.strip():
            yield number, _value(line)


def _value(line: bytes) -> Any:
    try:
        return json.loads(line, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        return Broken(getattr(error, "msg", "") or str(error))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise AnswersError("A key is repeated in one of the file's objects: keep one of them.")
    return found


# -- record_id, response --------------------------------------------------------------------


def _by_record(rows: Iterator[Row]) -> Answers:
    answers: Answers = {}
    for number, row in rows:
        record_id, response = _answer_of(row, number)
        if record_id in answers:
            raise AnswersError(f"Line {number}: record {record_id} has an answer already.")
        answers[record_id] = response
    return answers


def _answer_of(row: Any, number: int) -> tuple[str, str]:
    if not isinstance(row, dict) or not all(name in row for name in OURS):
        raise AnswersError(f"Line {number}: write a JSON object with record_id and response.")
    record_id, response = row["record_id"], row["response"]
    if not isinstance(record_id, str) or not isinstance(response, str):
        raise AnswersError(f"Line {number}: record_id and response must be strings.")
    return record_id, response


# -- example_id, candidate_name, response_text ----------------------------------------------


def _by_candidate(rows: Iterator[Row]) -> dict[str, Answers]:
    found: dict[str, Answers] = {}
    for number, row in rows:
        example_id, candidate, response = _prefilled(row, number)
        answers = found.setdefault(candidate, {})
        if example_id in answers:
            raise AnswersError(
                f"Duplicate prefilled response for example_id={example_id}, "
                f"candidate_name={candidate} at line {number}."
            )
        answers[example_id] = response
    return found


def _prefilled(row: Any, number: int) -> tuple[str, str, str]:
    if isinstance(row, Broken):
        raise AnswersError(f"Invalid JSON in prefilled responses at line {number}: {row.reason}")
    invalid = f"Invalid prefilled response row at line {number}:"
    if not isinstance(row, dict):
        raise AnswersError(f"{invalid} must be an object.")
    example_id, candidate = _name(row, "example_id"), _name(row, "candidate_name")
    if not example_id or not candidate:
        raise AnswersError(f"{invalid} `example_id` and `candidate_name` are required.")
    response = row.get("response_text")
    if not isinstance(response, str):
        raise AnswersError(f"{invalid} `response_text` must be a string.")
    return example_id, candidate, response


def _name(row: dict[str, Any], field: str) -> str:
    named = row.get(field)
    return named.strip() if isinstance(named, str) else ""


def _told(names: list[str]) -> str:
    told = ", ".join(name[:100] for name in names[:LISTED])
    return told if len(names) <= LISTED else f"{told}, … (+{len(names) - LISTED} more)"
