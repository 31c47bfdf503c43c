"""Labels as rows of our own dialect, and those of a dataset version as a file."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Protocol

from django.db.models import Q, QuerySet

from apps.datasets.formats import annotations
from apps.datasets.formats.annotation_rows import FURTHER
from apps.datasets.models import DatasetVersion
from apps.datasets.sight import Sight
from apps.labeling.models import Annotation
from apps.labeling.queries import annotations_of, in_order

_FILLED = {
    "criterion": ~Q(question__name=""),
    "chunk_id": ~Q(item__chunk=""),
    "trial": Q(item__result__trial__gt=0),
    "discard_reason": ~Q(discard_reason=""),
    "notes": ~Q(notes=""),
    "begun_at": Q(begun_at__isnull=False),
    "metadata": Q(extra__isnull=False),
}
"""The columns beside the contract's are there only where something stands in them."""


class Reads(Protocol):
    """How texts and JSON are shown to those who read the file."""

    def text(self, text: str) -> str: ...

    def value(self, value: Any) -> Any: ...


def annotations_csv(version: DatasetVersion, sight: Sight) -> Iterator[bytes]:
    """The package contracts' annotation export of every label."""
    found = annotations_of(version).standing()
    rows = (label_row(each, sight) for each in in_order(found))
    yield from annotations.write(rows, further=further_columns(found))


def further_columns(found: QuerySet[Annotation]) -> tuple[str, ...]:
    return tuple(name for name in FURTHER if found.filter(_FILLED[name]).exists())


def label_row(annotation: Annotation, sight: Reads) -> dict[str, Any]:
    """One label by the columns of the dialect; its item, result and record are at hand."""
    result = annotation.item.result
    return {
        "id": result.record.record_id,
        "task_type": annotation.question.task_type,
        "criterion": annotation.question.name,
        "label": sight.text(annotation.label),
        "annotator_id": annotation.annotator,
        "annotated_at": moment(annotation.annotated_at),
        "chunk_id": annotation.item.chunk,
        "trial": result.trial or None,
        "discard_reason": sight.text(annotation.discard_reason),
        "notes": sight.text(annotation.notes),
        "begun_at": moment(annotation.begun_at),
        "metadata": sight.value(annotation.extra),
    }


def moment(at: datetime | None) -> str:
    """UTC with a Z; empty for none."""
    return "" if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")
