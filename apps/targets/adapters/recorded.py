"""Answers that are there already: in the record, or in an answers file."""

import hashlib
from collections.abc import Mapping
from typing import Any

import orjson

from apps.targets.contracts import Ask, Reply
from apps.targets.paths import value_or_none
from apps.targets.specs import RecordedSpec


class AnswersError(Exception):
    """A sentence that names the line of an answers file that cannot be read."""


class RecordedAdapter:
    """Nothing is asked: a reply has no latency, no tokens and no cost."""

    def __init__(self, spec: RecordedSpec, answers: Mapping[str, str]) -> None:
        self._spec = spec
        self._answers = answers

    async def ask(self, ask: Ask) -> Reply:
        found = self._found(ask)
        sha256 = hashlib.sha256(f"{ask.record_id}\n{self._where}".encode()).hexdigest()
        if isinstance(found, str) and found.strip():
            return Reply(text=found, model="recorded", request_sha256=sha256)
        detail = f"Record {ask.record_id} has no text in {self._where}."
        return Reply(error_code="no_answer", detail=detail, model="recorded", request_sha256=sha256)

    @property
    def _where(self) -> str:
        return self._spec.field if self._spec.source == "record" else "the answers file"

    def _found(self, ask: Ask) -> Any:
        if self._spec.source == "answers":
            return self._answers.get(ask.record_id)
        return value_or_none(ask.record, self._spec.field)


def read_answers(raw: bytes) -> dict[str, str]:
    """Answers by record id from JSONL lines `{"record_id": …, "response": …}`.

    Raises AnswersError for the first line that is something else or repeats a record.
    """
    answers: dict[str, str] = {}
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").splitlines(), start=1):
        if not line.strip():
            continue
        record_id, response = _answer_of(line, number)
        if record_id in answers:
            raise AnswersError(f"Line {number}: record {record_id} has an answer already.")
        answers[record_id] = response
    return answers


def _answer_of(line: bytes, number: int) -> tuple[str, str]:
    try:
        row = orjson.loads(line)
        record_id, response = row["record_id"], row["response"]
    except (orjson.JSONDecodeError, LookupError, TypeError):
        raise AnswersError(
            f"Line {number}: write a JSON object with record_id and response."
        ) from None
    if not isinstance(record_id, str) or not isinstance(response, str):
        raise AnswersError(f"Line {number}: record_id and response must be strings.")
    return record_id, response
