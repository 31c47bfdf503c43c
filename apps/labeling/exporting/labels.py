"""The form `labels`: the package contracts' annotation export, and every label in our dialect."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

from apps.artifacts.models import Tier
from apps.datasets.formats.annotation_rows import FIELDS
from apps.datasets.formats.csv_text import SCHEMA_VERSION
from apps.datasets.formats.rows import OUR_VERSION
from apps.labeling.models import Annotation

from .files import Files, Row
from .of_datasets import further_columns, label_row
from .source import Answer, Source

CONTRACT = "annotations.csv"
LABELS = "labels.csv"
META = "labels_export.meta.json"
TASKS = ("retrieval", "grounding", "relevance")
SPELLED = ("true", "false")
LONG_AGO = datetime.min.replace(tzinfo=UTC)

Said = dict[tuple[str, str], Annotation]


def write_labels(source: Source, files: Files) -> Row:
    """`annotations.csv` has exactly the contract's columns, `labels.csv` says everything."""
    source.will_pass(2)
    left_out: Counter[str] = Counter()
    contract = _contract_rows(source, left_out)
    files.table(CONTRACT, FIELDS, contract, tier=Tier.SUMMARY)
    columns = (*FIELDS, *further_columns(source.annotations()), SCHEMA_VERSION)
    files.table(LABELS, columns, _label_rows(source), tier=Tier.SUMMARY)
    files.document(META, lambda: _meta(source, files, left_out))
    return {"left_out": dict(left_out)}


def _label_rows(source: Source) -> Iterator[Row]:
    for answer in source.answers():
        for unit in answer.units:
            for each in unit.annotations:
                if each.label or source.export.include_discarded:
                    yield {**label_row(each, source.redactor), SCHEMA_VERSION: OUR_VERSION}


def _contract_rows(source: Source, left_out: Counter[str]) -> Iterator[Row]:
    """One row a pair, task and person, in words that the contract has."""
    for answer in source.answers():
        folded = _folded(answer, left_out)
        for (_task, _annotator), each in sorted(folded.items()):
            yield label_row(each, source.redactor)


def _folded(answer: Answer, left_out: Counter[str]) -> Said:
    """What each person said of the pair: of passages it is acceptable where one of them is."""
    found: Said = {}
    for each in (each for unit in answer.units for each in unit.annotations):
        if why := _unfit(each):
            left_out[why] += 1
            continue
        key = each.question.task_type, each.annotator
        if key in found:
            left_out["one of several passages"] += 1
        found[key] = _either(found.get(key), each)
    return found


def _either(first: Annotation | None, other: Annotation) -> Annotation:
    if first is None:
        return other
    newest = max((first, other), key=lambda each: each.annotated_at or LONG_AGO)
    said = "true" if "true" in (first.label, other.label) else "false"
    return Annotation(
        item=newest.item,
        question=newest.question,
        annotator=newest.annotator,
        label=said,
        annotated_at=newest.annotated_at,
    )


def _unfit(each: Annotation) -> str:
    """Why the contract has no words for it; empty where it has."""
    if each.discard_reason:
        return "discarded"
    if each.question.name or each.question.task_type not in TASKS:
        return "not one of the contract's tasks"
    if each.label not in SPELLED:
        return "neither true nor false"
    return "another try of the record" if each.item.result.trial else ""


def _meta(source: Source, files: Files, left_out: Counter[str]) -> Row:
    return {
        "files": {name: {"rows": files.rows[name]} for name in (CONTRACT, LABELS)},
        "include_discarded": source.export.include_discarded,
        "not_in_annotations_csv": dict(sorted(left_out.items())),
    }
