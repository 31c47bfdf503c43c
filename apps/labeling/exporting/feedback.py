"""agentv's feedback.json out of labels: a verdict a record, with the labels as its notes."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import groupby

from django.db.models import Max

from apps.datasets.formats.agentv.feedback import CaseFeedback, Verdict, feedback_json
from apps.datasets.formats.per_task import SPEAKS_AGAINST
from apps.datasets.models import DatasetVersion
from apps.datasets.sight import Sight
from apps.labeling.models import Annotation, Campaign
from apps.labeling.queries import annotations_of, in_order

GOOD = {"true": True, "false": False}
NAMED = 3
"""Reviewers that the file names; of more it says how many they are."""


def feedback(version: DatasetVersion, sight: Sight) -> Iterator[bytes]:
    """Records whose labels are all of scales of their own have no verdict, and are left out."""
    cases = list(_cases(version, sight))
    labelled = annotations_of(version).values("item__result").distinct().count()
    left_out = labelled - len(cases)
    sentence = f"{left_out:,} labelled records have no yes-or-no label and are left out."
    yield feedback_json(
        run_id=_run_of(version),
        reviewer=_reviewer(version),
        timestamp=_timestamp(version),
        cases=cases,
        overall_notes=sentence if left_out else None,
    )


def verdict_of(labels: Iterable[Annotation]) -> Verdict | None:
    """Acceptable where every label speaks for the answer, incorrect where every one speaks
    against it, needs_improvement between; None where no label is true or false."""
    found = {_speaks_for(each) for each in labels if each.label in GOOD}
    if not found:
        return None
    if len(found) > 1:
        return "needs_improvement"
    return "acceptable" if True in found else "incorrect"


def _speaks_for(annotation: Annotation) -> bool:
    """Yes speaks for an answer, but to questions like unsafe_content."""
    return GOOD[annotation.label] != (annotation.question.name in SPEAKS_AGAINST)


def _cases(version: DatasetVersion, sight: Sight) -> Iterator[CaseFeedback]:
    ordered = in_order(annotations_of(version))
    for record_id, group in groupby(ordered, key=lambda each: each.item.result.record.record_id):
        labels = list(group)
        verdict = verdict_of(labels)
        if verdict is not None:
            notes = sight.text(_notes(labels))
            yield CaseFeedback(test_id=record_id, verdict=verdict, notes=notes)


def _notes(labels: list[Annotation]) -> str:
    """`grounding: true (alice), false (bob); relevance: true (alice)`."""
    asked: dict[str, list[str]] = {}
    for each in labels:
        said = each.label or f"discarded, {each.discard_reason}"
        note = f": {each.notes}" if each.notes else ""
        unit = f"{each.question} of chunk {each.item.chunk}" if each.item.chunk else each.question
        asked.setdefault(str(unit), []).append(f"{said} ({each.annotator}{note})")
    return "; ".join(f"{name}: {', '.join(said)}" for name, said in asked.items())


def _run_of(version: DatasetVersion) -> str:
    campaign = Campaign.objects.filter(run__dataset_version=version).first()
    return campaign.run_id if campaign else version.pk


def _reviewer(version: DatasetVersion) -> str:
    names = annotations_of(version).values_list("annotator", flat=True).distinct()
    known = sorted(names)
    return ", ".join(known) if len(known) <= NAMED else f"{len(known)} annotators"


def _timestamp(version: DatasetVersion) -> datetime:
    """Of the newest label; when it was imported, where no label says when it was given."""
    newest = annotations_of(version).aggregate(given=Max("annotated_at"), kept=Max("created_at"))
    found: datetime = newest["given"] or newest["kept"] or version.created_at
    return found
