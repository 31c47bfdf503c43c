"""What becomes of uploaded annotations: labels of one import campaign on the recorded run."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import orjson
from django.urls import reverse
from django.utils import timezone

from apps.artifacts.redaction import Redactor
from apps.datasets.formats.annotations import spelled
from apps.datasets.formats.cells import moment_of
from apps.datasets.models import Upload
from apps.datasets.purposes import Received
from apps.datasets.reading import Reading
from apps.runs.imported import Counted
from apps.runs.loading import redactor_of
from apps.runs.models import Run
from apps.runs.receiving import results_by_record, run_about
from apps.runs.rows import stored, stored_value
from apps.runs.upserts import upsert

from .models import Annotation, AnnotationChange, Campaign, Item, Question

NAME = "Imported labels"
BATCH = 1_000
SAID = ("label", "discard_reason", "notes", "annotated_at", "extra")
"""What somebody said; the rest of an annotation is about whom and what."""

ANNOTATION_KEY = ("item", "question", "annotator")

Row = dict[str, Any]
Key = tuple[int, int, str]


def receive_annotations(upload: Upload, reading: Reading) -> Received:
    """Write each label about its result; the same file again changes nothing."""
    run = run_about(upload, reading)
    rows = [orjson.loads(record.payload)["row"] for record in reading.records]
    counted = write_labels(_campaign(run, upload), rows, upload=upload)
    version = run.dataset_version
    return Received(
        told=f"Annotations of {version}: {counted.told}.",
        address=reverse("labeling:annotations", args=[upload.workspace.slug, version.pk]),
        version=version,
    )


def write_labels(campaign: Campaign, rows: Iterable[Row], *, upload: Upload | None) -> Counted:
    """Insert what is new; what changed is overwritten, and what it said before is kept.

    The campaign is locked until the caller's transaction ends: one import at a time.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    given = _annotations(campaign, list(rows))
    standing = {_key(each): each for each in Annotation.objects.filter(item__campaign=campaign)}
    new = [each for each in given if _key(each) not in standing]
    pairs = [(standing[_key(each)], each) for each in given if _key(each) in standing]
    changes = [(old, each) for old, each in pairs if _said(old) != _said(each)]
    AnnotationChange.objects.bulk_create(
        [AnnotationChange(annotation=old, upload=upload, **_said(old)) for old, _ in changes],
        batch_size=BATCH,
    )
    for old, each in changes:
        each.created_at = old.created_at
    upsert([*new, *(each for _, each in changes)], key=ANNOTATION_KEY)
    return Counted(len(new), len(changes), len(pairs) - len(changes))


class _Names(NamedTuple):
    """The keys of what labels refer to."""

    results: dict[str, int]
    questions: dict[tuple[str, str], int]
    items: dict[tuple[int, str], int]


def _campaign(run: Run, upload: Upload) -> Campaign:
    campaign, _created = Campaign.objects.get_or_create(
        run=run,
        kind=Campaign.Kind.IMPORT,
        defaults={"workspace": run.workspace, "name": NAME, "created_by": upload.created_by},
    )
    return campaign


def _annotations(campaign: Campaign, rows: list[Row]) -> list[Annotation]:
    results = results_by_record(campaign.run)
    names = _Names(results, _questions(campaign, rows), _items(campaign, rows, results))
    redactor = redactor_of(campaign.run, [])
    return [_annotation(row, names, redactor) for row in rows]


def _annotation(row: Row, names: _Names, redactor: Redactor) -> Annotation:
    label = row["label"]
    metadata = row.get("metadata")
    return Annotation(
        item_id=names.items[_unit(row, names.results)],
        question_id=names.questions[_asked(row)],
        annotator=row["annotator_id"],
        label=spelled(label) if isinstance(label, bool) else stored(label or "", redactor)[:1_000],
        discard_reason=stored(row.get("discard_reason", ""), redactor)[:120],
        notes=stored(row.get("notes", ""), redactor),
        annotated_at=moment_of(row["annotated_at"]),
        extra=stored_value(metadata, redactor) if metadata else None,
        created_at=timezone.now(),
    )


def _questions(campaign: Campaign, rows: Iterable[Row]) -> dict[tuple[str, str], int]:
    wanted = {_asked(row) for row in rows}
    known = {(each.task_type, each.name) for each in campaign.questions.all()}
    Question.objects.bulk_create(
        Question(campaign=campaign, task_type=task, name=name)
        for task, name in sorted(wanted - known)
    )
    return {(each.task_type, each.name): each.pk for each in campaign.questions.all()}


def _items(
    campaign: Campaign, rows: Iterable[Row], results: dict[str, int]
) -> dict[tuple[int, str], int]:
    wanted = {_unit(row, results) for row in rows}
    known = set(campaign.items.values_list("result_id", "chunk"))
    Item.objects.bulk_create(
        (
            Item(campaign=campaign, result_id=result, chunk=chunk)
            for result, chunk in sorted(wanted - known)
        ),
        batch_size=BATCH,
    )
    units = campaign.items.values_list("result_id", "chunk", "pk")
    return {(result, chunk): pk for result, chunk, pk in units}


def _asked(row: Row) -> tuple[str, str]:
    return row.get("task_type", ""), row.get("criterion", "")


def _unit(row: Row, results: dict[str, int]) -> tuple[int, str]:
    return results[row["id"]], row.get("chunk_id", "")


def _key(annotation: Annotation) -> Key:
    return annotation.item_id, annotation.question_id, annotation.annotator


def _said(annotation: Annotation) -> dict[str, Any]:
    return {name: getattr(annotation, name) for name in SAID}
