"""The one way annotations are written: what is overwritten leaves what it said before."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone

from apps.datasets.models import Upload
from apps.labeling.models import Annotation, AnnotationChange
from apps.runs.recorded.imported import Counted
from apps.runs.working.upserts import upsert

BATCH = 1_000
CONTENT = ("label", "discard_reason", "notes", "extra")
"""What somebody said; when they said it again is no change."""

SAID = (*CONTENT, "annotated_at")
ANNOTATION_KEY = ("item", "question", "annotator")

Key = tuple[int, int, str]
Standing = Mapping[Key, Annotation]


def key_of(annotation: Annotation) -> Key:
    return annotation.item_id, annotation.question_id, annotation.annotator


def write_annotations(
    given: Sequence[Annotation], standing: Standing, *, upload: Upload | None = None
) -> Counted:
    """Insert what is new, overwrite what stands; the caller's transaction holds the campaign."""
    new = [each for each in given if key_of(each) not in standing]
    pairs = [(standing[key_of(each)], each) for each in given if key_of(each) in standing]
    changes = [(old, each) for old, each in pairs if _differ(old, each, CONTENT)]
    AnnotationChange.objects.bulk_create(
        [AnnotationChange(annotation=old, upload=upload, **_said(old)) for old, _ in changes],
        batch_size=BATCH,
    )
    _put(new, [(old, each) for old, each in pairs if _differ(old, each, SAID)])
    return Counted(len(new), len(changes), len(pairs) - len(changes))


def _put(new: Sequence[Annotation], pairs: Sequence[tuple[Annotation, Annotation]]) -> None:
    now = timezone.now()
    for each in new:
        each.created_at = now
    for old, each in pairs:
        each.created_at = old.created_at
    upsert([*new, *(each for _, each in pairs)], key=ANNOTATION_KEY)


def _differ(old: Annotation, new: Annotation, names: Sequence[str]) -> bool:
    return any(getattr(old, name) != getattr(new, name) for name in names)


def _said(annotation: Annotation) -> dict[str, Any]:
    return {name: getattr(annotation, name) for name in SAID}
