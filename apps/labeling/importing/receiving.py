"""What becomes of uploaded annotations: labels of one import campaign on the recorded run."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import orjson
from django.urls import reverse

from apps.artifacts.redaction import Redactor
from apps.datasets.formats.annotations import spelled
from apps.datasets.formats.cells import moment_of
from apps.datasets.models import Upload
from apps.datasets.purposes import Received
from apps.datasets.uploading.reading import Reading
from apps.labeling.models import Annotation, Campaign, CampaignStep, Item, Question
from apps.labeling.nudging import ask_for
from apps.labeling.sending.subjects import Subjects
from apps.labeling.sending.units import pair_sha256
from apps.labeling.syncing.writing import BATCH, key_of, write_annotations
from apps.runs.models import Result, Run
from apps.runs.recorded.imported import Counted
from apps.runs.recorded.receiving import run_about
from apps.runs.walking import batches
from apps.runs.working.carrying import is_answered
from apps.runs.working.loading import redactor_of
from apps.runs.working.rows import stored, stored_value

from .recognising import recognised

NAME = "Imported labels of {}"

Row = dict[str, Any]
Results = dict[tuple[str, int], int]
"""Their keys, by the record's id and the try."""


def receive_annotations(upload: Upload, reading: Reading) -> Received:
    """Write each label about its result; the same file again changes nothing."""
    run = run_about(recognised(upload, reading), reading)
    _turn_down_unanswered(run, reading)
    reading.refuse_if_unfit(valid_only=bool(upload.options.get("valid_only")))
    rows = [orjson.loads(record.payload)["row"] for record in reading.records]
    campaign = _campaign(run, upload)
    counted = write_labels(campaign, rows, upload=upload)
    ask_for(campaign.pk, CampaignStep.Name.ANALYSE)
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
    found = Annotation.objects.filter(item__campaign=campaign)
    standing = {key_of(each): each for each in found}
    return write_annotations(_annotations(campaign, list(rows)), standing, upload=upload)


def _turn_down_unanswered(run: Run, reading: Reading) -> None:
    """Labels of a try that the run does not have are errors of the file."""
    known = _results(run)
    rows = ((each.ordinal, orjson.loads(each.payload)["row"]) for each in reading.records)
    reasons = {
        ordinal: f"{run.dataset_version} has no answer {row.get('trial', 0)} to {row['id']}."
        for ordinal, row in rows
        if (row["id"], row.get("trial", 0)) not in known
    }
    if reasons:
        reading.turn_down(reasons, "unknown_trial")


class _Names(NamedTuple):
    """The keys of what labels refer to."""

    results: Results
    questions: dict[tuple[str, str], int]
    items: dict[tuple[int, str], int]


def _campaign(run: Run, upload: Upload) -> Campaign:
    name = NAME.format(run.dataset_version.dataset.name)
    campaign, _created = Campaign.objects.get_or_create(
        run=run,
        kind=Campaign.Kind.IMPORT,
        defaults={"workspace": run.workspace, "name": name, "created_by": upload.created_by},
    )
    return campaign


def _annotations(campaign: Campaign, rows: list[Row]) -> list[Annotation]:
    results = _results(campaign.run)
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
        begun_at=moment_of(row.get("begun_at", "")),
        annotated_at=moment_of(row["annotated_at"]),
        extra=stored_value(metadata, redactor) if metadata else None,
    )


def _results(run: Run) -> Results:
    rows = Result.objects.filter(run=run).values_list("record__record_id", "trial", "pk")
    return {(record_id, trial): pk for record_id, trial, pk in rows}


def _questions(campaign: Campaign, rows: Iterable[Row]) -> dict[tuple[str, str], int]:
    wanted = {_asked(row) for row in rows}
    known = {(each.task_type, each.name) for each in campaign.questions.all()}
    Question.objects.bulk_create(
        Question(campaign=campaign, task_type=task, name=name)
        for task, name in sorted(wanted - known)
    )
    return {(each.task_type, each.name): each.pk for each in campaign.questions.all()}


def _items(campaign: Campaign, rows: Iterable[Row], results: Results) -> dict[tuple[int, str], int]:
    wanted = {_unit(row, results) for row in rows}
    new = sorted(wanted - set(campaign.items.values_list("result_id", "chunk")))
    pairs = _pairs({result for result, _chunk in new})
    Item.objects.bulk_create(
        (
            Item(
                campaign=campaign, result_id=result, chunk=chunk, pair_sha256=pairs.get(result, "")
            )
            for result, chunk in new
        ),
        batch_size=BATCH,
    )
    units = campaign.items.values_list("result_id", "chunk", "pk")
    return {(result, chunk): pk for result, chunk, pk in units}


def _pairs(results: Iterable[int]) -> dict[int, str]:
    """By result, the hash of its pair: of one without an answer there is none."""
    subjects = Subjects()
    found: dict[int, str] = {}
    for batch in batches(sorted(results)):
        rows = Result.objects.filter(pk__in=batch).select_related("record", "run")
        found |= {row.pk: pair_sha256(subjects.of(row)) for row in rows if is_answered(row)}
    return found


def _asked(row: Row) -> tuple[str, str]:
    return row.get("task_type", ""), row.get("criterion", "")


def _unit(row: Row, results: Results) -> tuple[int, str]:
    return results[row["id"], row.get("trial", 0)], row.get("chunk_id", "")
