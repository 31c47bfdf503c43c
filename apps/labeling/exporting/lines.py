"""The form `lines`: every label with all that is known around it, one JSON object a line."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from apps.artifacts.models import Tier
from apps.datasets.formats.csv_text import SCHEMA_VERSION
from apps.datasets.formats.rows import OUR_VERSION
from apps.datasets.models import FacetMember
from apps.labeling.models import Annotation, AnnotationChange, Breach, DeskRecord, Item, Review

from .files import Files, Row
from .of_datasets import label_row, moment
from .source import Answer, Source

LINES = "labels.jsonl"
SPELLED = {"true": True, "false": False}


class Told(NamedTuple):
    """What is known around the labels of a window."""

    changes: dict[int, list[Row]]
    reviews: dict[tuple[int, int], Row]
    breaches: dict[tuple[int, str, str], list[Row]]
    calibration: dict[tuple[int, str], bool]
    slices: dict[int, dict[str, list[str]]]


def write_lines(source: Source, files: Files) -> Row:
    source.will_pass(1)
    files.lines(LINES, _lines(source), tier=Tier.SUMMARY)
    return {}


def _lines(source: Source) -> Iterator[Row]:
    for window in source.windows():
        told = _told(source, window)
        for answer in window:
            for unit in answer.units:
                yield from (_line(source, each, told) for each in _wanted(source, unit.annotations))
            source.beat(answer)


def _wanted(source: Source, annotations: Iterable[Annotation]) -> Iterator[Annotation]:
    return (each for each in annotations if each.label or source.export.include_discarded)


def _line(source: Source, each: Annotation, told: Told) -> Row:
    item, question = each.item, each.question
    row = label_row(each, source.redactor)
    breaches = told.breaches.get((item.pk, question.task_type, each.annotator), [])
    return {
        SCHEMA_VERSION: OUR_VERSION,
        **{name: value for name, value in row.items() if value not in (None, "")},
        "annotated_at": row["annotated_at"],
        "label": SPELLED.get(each.label, row["label"]) if each.label else None,
        "counts": bool(each.label) and not any(one["severity"] == "block" for one in breaches),
        "history": told.changes.get(each.pk, []),
        "settlement": told.reviews.get((item.pk, question.pk)),
        "breaches": breaches,
        "probability": item.probability,
        "stratum": item.stratum,
        "calibration": told.calibration.get((item.pk, question.task_type)),
        "slices": told.slices.get(item.result.ordinal, {}) if _is_of(source, item) else {},
        "item": item.pk,
        "pair_sha256": item.pair_sha256 or None,
        "run_id": item.result.run_id,
        "campaign_id": source.campaign.pk,
    }


def _is_of(source: Source, item: Item) -> bool:
    """Not a hidden gold item, whose record has its place in another dataset."""
    return item.result.run_id == source.campaign.run_id


def _told(source: Source, window: list[Answer]) -> Told:
    """Five queries."""
    return Told(
        changes=_changes(source, window),
        reviews=_reviews(source, window),
        breaches=_breaches(source, window),
        calibration=_calibration(source, window),
        slices=_slices(source, window),
    )


def _changes(source: Source, window: list[Answer]) -> dict[int, list[Row]]:
    """What a label was before, the oldest first."""
    within = {f"annotation__{name}": value for name, value in source.within(window).items()}
    found: defaultdict[int, list[Row]] = defaultdict(list)
    read = source.redactor.text
    for each in AnnotationChange.objects.filter(**within).order_by("pk"):
        said = {
            "label": read(each.label),
            "discard_reason": read(each.discard_reason),
            "notes": read(each.notes),
            "annotated_at": moment(each.annotated_at),
        }
        kept = {name: text for name, text in said.items() if text}
        found[each.annotation_id].append({**kept, "changed_at": moment(each.changed_at)})
    return found


def _reviews(source: Source, window: list[Answer]) -> dict[tuple[int, int], Row]:
    rows = Review.objects.filter(**source.within(window)).exclude(state=Review.State.WITHDRAWN)
    related = rows.select_related("settled_by")
    return {(each.item_id, each.question_id): _settlement(each, source) for each in related}


def _settlement(review: Review, source: Source) -> Row:
    read = source.redactor.text
    return {
        "state": review.state,
        "reason": review.reason,
        "label": read(review.label) or None,
        "blind_label": read(review.blind_label) or None,
        "comment": read(review.comment),
        "settled_by": review.settled_by.get_username() if review.settled_by else None,
        "settled_at": moment(review.settled_at) or None,
        "gold": review.gold_at is not None,
    }


def _breaches(source: Source, window: list[Answer]) -> dict[tuple[int, str, str], list[Row]]:
    found: defaultdict[tuple[int, str, str], list[Row]] = defaultdict(list)
    for each in Breach.objects.filter(**source.within(window)).order_by("constraint"):
        key = each.item_id, each.task_type, each.annotator
        found[key].append(
            {"constraint": each.constraint, "severity": each.severity, "message": each.message}
        )
    return found


def _calibration(source: Source, window: list[Answer]) -> dict[tuple[int, str], bool]:
    rows = DeskRecord.objects.filter(**source.within(window))
    named = rows.values_list("item", "queue__task", "queue__calibration")
    return {(item, task.removesuffix("_full")): shared for item, task, shared in named}


def _slices(source: Source, window: list[Answer]) -> dict[int, dict[str, list[str]]]:
    """By the record's place: the families that it is in a slice of."""
    first, last = window[0].result.ordinal, window[-1].result.ordinal
    version = source.campaign.run.dataset_version_id
    rows = FacetMember.objects.filter(
        facet__version=version, ordinal__gte=first, ordinal__lte=last
    ).order_by("facet__family", "facet__value")
    found: dict[int, dict[str, list[str]]] = {}
    read: Any = source.redactor.text
    for ordinal, family, value in rows.values_list("ordinal", "facet__family", "facet__value"):
        found.setdefault(ordinal, {}).setdefault(family, []).append(read(value))
    return found
