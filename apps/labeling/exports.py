"""The labels of a dataset version as files."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q

from apps.datasets.formats import annotations
from apps.datasets.models import DatasetVersion
from apps.datasets.sight import Sight

from .models import Annotation
from .queries import annotations_of, in_order

_FILLED = {
    "criterion": ~Q(question__name=""),
    "chunk_id": ~Q(item__chunk=""),
    "discard_reason": ~Q(discard_reason=""),
    "notes": ~Q(notes=""),
    "metadata": Q(extra__isnull=False),
}
"""The columns beside the contract's are there only where something stands in them."""


def annotations_csv(version: DatasetVersion, sight: Sight) -> Iterator[bytes]:
    """The package contracts' annotation export of every label."""
    found = annotations_of(version)
    further = tuple(name for name in annotations.FURTHER if found.filter(_FILLED[name]).exists())
    yield from annotations.write((_row(each, sight) for each in in_order(found)), further=further)


def _row(annotation: Annotation, sight: Sight) -> dict[str, Any]:
    return {
        "id": annotation.item.result.record.record_id,
        "task_type": annotation.question.task_type,
        "criterion": annotation.question.name,
        "label": sight.text(annotation.label),
        "annotator_id": annotation.annotator,
        "annotated_at": _moment(annotation.annotated_at),
        "chunk_id": annotation.item.chunk,
        "discard_reason": sight.text(annotation.discard_reason),
        "notes": sight.text(annotation.notes),
        "metadata": sight.value(annotation.extra),
    }


def _moment(moment: datetime | None) -> str:
    return "" if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
