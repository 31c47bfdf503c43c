"""One person's response to one task on one item, as a row of the annotation tool's export."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple

from django.core.exceptions import ValidationError

from apps.datasets.formats import per_task
from apps.datasets.formats.csv_text import SCHEMA_VERSION
from apps.datasets.formats.rows import OUR_VERSION
from apps.labeling.models import Annotation, DeskRecord, Question
from apps.labeling.plans import Plan
from apps.labeling.syncing.constraints import Broken, broken
from apps.labeling.task_types import task
from apps.labeling.task_types.base import Task

from .files import Row
from .of_datasets import moment
from .source import Answer, Source, Unit

DISCARDED = "discarded"
RETRIEVAL = "retrieval"
FULL: dict[str, str] = {
    "retrieval": "retrieval_full",
    "grounding": "grounding_full",
    "generation": "generation",
}


class TaskFile(NamedTuple):
    """A file: the questions that are its columns, and what may contradict what.

    `spec` where it is one of the annotation tool's tasks, with exactly its columns.
    """

    name: str
    task_type: str
    questions: tuple[Question, ...]
    columns: tuple[str, ...]
    spec: bool = False
    checks: Task | None = None

    @property
    def has_panel(self) -> bool:
        """Whether its rows tell of all the passages of their query."""
        return self.spec and self.task_type == RETRIEVAL

    @property
    def keys(self) -> frozenset[int]:
        return frozenset(each.pk for each in self.questions)


class Around(NamedTuple):
    """What is known of an item beside what people said: its records at the desk, its breaches."""

    records: Mapping[tuple[int, str], DeskRecord]
    """By item and task type."""
    breaches: Mapping[tuple[int, str, str], list[Broken]]
    """By item, task type and annotator: those that were found when the answers came."""


class Response:
    """What somebody said; raises ValidationError, with the place, where a label is missing."""

    def __init__(self, file: TaskFile, answer: Answer, unit: Unit, said: list[Annotation]) -> None:
        self.annotator = said[0].annotator
        self._file, self._answer, self._unit = file, answer, unit
        self._by_name = {each.question.name: each for each in said}
        self.discarded = not any(each.label for each in said)
        if not self.discarded:
            self._require_labels()

    def row(self, source: Source, around: Around) -> Row:
        wrong = self.broken(around)
        read = source.redactor.text
        return {
            "record_uuid": source.uuid(self._answer),
            **self._about(around),
            **_texts(self._answer, self._unit),
            **{per_task.column_of(name): self._cell(name, read) for name in self._names},
            "discard_reason": read(self._first("discard_reason")) or None,
            "discard_notes" if self.discarded else "notes": read(self._first("notes")) or None,
            "constraint_violated": None if self.discarded else bool(wrong),
            "constraint_details": ";".join(each.message for each in wrong) or None,
            SCHEMA_VERSION: OUR_VERSION,
        }

    def broken(self, around: Around) -> list[Broken]:
        """Checked again, and what was found when the answer came; a discard contradicts nothing."""
        if self.discarded:
            return []
        labels = {name: each.label for name, each in self._by_name.items()}
        found = broken(labels, self._file.checks) if self._file.checks else []
        key = self._unit.item.pk, self._file.task_type, self.annotator
        known = {each.id for each in found}
        return [*found, *(each for each in around.breaches.get(key, []) if each.id not in known)]

    @property
    def _names(self) -> list[str]:
        return [each.name for each in self._file.questions]

    def _about(self, around: Around) -> Row:
        newest = max(self._by_name.values(), key=_given)
        record = around.records.get((self._unit.item.pk, self._file.task_type))
        extra = newest.extra or {}
        return {
            "annotator_id": self.annotator,
            "task": self._file.task_type,
            "language": extra.get("language") or language_of(self._answer),
            "calibration": record.queue.calibration if record else extra.get("calibration"),
            "inserted_at": moment((record and record.pushed_at) or newest.created_at),
            "created_at": moment(newest.annotated_at),
            "record_status": _status(record),
            "response_status": DISCARDED if self.discarded else "submitted",
        }

    def _cell(self, name: str, read: Callable[[str], str]) -> object:
        """true, false or the text; a discard has none, but for the word where the task is ours."""
        said = self._by_name.get(name)
        if self.discarded:
            return DISCARDED if said and not self._file.spec else None
        return read(said.label) if said else None

    def _first(self, field: str) -> str:
        said = (getattr(each, field) for each in self._by_name.values())
        return next((text for text in said if text), "")

    def _require_labels(self) -> None:
        """All labels of the tool's tasks, and no discard beside labels in any."""
        given = [name for name, each in self._by_name.items() if each.label]
        wanted = self._names if self._file.spec else self._by_name
        missing = [name for name in wanted if name not in given]
        if missing:
            item = self._unit.item
            chunk = f", passage {item.chunk}," if item.chunk else ""
            raise ValidationError(
                f"{self._file.task_type or 'criteria'}: the answer of {self.annotator} to "
                f"{self._answer.result.record.record_id}{chunk} has no label for "
                f"{', '.join(missing)}. A file of tasks holds whole responses: complete it, or "
                "export the labels."
            )


def language_of(answer: Answer) -> str | None:
    metadata = answer.subject.record.get("metadata")
    said = metadata.get("language") if isinstance(metadata, dict) else None
    return said if isinstance(said, str) else None


def checks_of(plan: Plan | None, task_type: str) -> Task:
    """The task of the annotation tool with the constraints as severe as the plan says."""
    task_id = FULL[task_type]
    return task(plan or Plan(tasks=(task_id,)), task_id)  # type: ignore[arg-type]


def _texts(answer: Answer, unit: Unit) -> Row:
    chunk = answer.chunks.get(unit.item.chunk)
    return {
        "query": answer.query,
        "answer": answer.answer,
        "context_set": answer.context,
        "chunk": answer.chunk(unit) if unit.item.chunk else None,
        "chunk_id": unit.item.chunk or None,
        "doc_id": answer.documents.get(unit.item.chunk) or None,
        "chunk_rank": chunk.rank if chunk else None,
        "n_retrieved_chunks": len(answer.chunks),
    }


def _given(each: Annotation) -> tuple[bool, datetime]:
    return each.annotated_at is not None, each.annotated_at or each.created_at


def _status(record: DeskRecord | None) -> str:
    """Completed where nobody is asked any more; what was imported is."""
    if record is None:
        return "completed"
    return "completed" if record.submitted >= record.queue.min_submitted else "pending"
