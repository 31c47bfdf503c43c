"""Answers that are there already: in the record, in its data, or in an answers file."""

import hashlib
from collections.abc import Mapping
from typing import Any

from apps.targets.contracts import Ask, Reply
from apps.targets.paths import value_or_none
from apps.targets.specs import RecordedSpec


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
        if self._spec.source == "record":
            return self._spec.field
        return "the answers file" if self._spec.source == "answers" else "the data as its answer"

    def _found(self, ask: Ask) -> Any:
        if self._spec.source == "record":
            return value_or_none(ask.record, self._spec.field)
        return self._answers.get(ask.record_id)
