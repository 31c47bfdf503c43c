"""The form `tasks`: a file a task with a row a response, as the annotation tool exports them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from apps.artifacts.models import Tier
from apps.datasets.formats import per_task
from apps.labeling.models import Breach, Campaign, DeskRecord, Question
from apps.labeling.syncing.constraints import Broken

from .files import Files, Row
from .panels import NOT_REQUESTED, Completeness, Panel, completeness_of
from .responses import RETRIEVAL, Around, Response, TaskFile, checks_of
from .source import Answer, Source

META = "annotation_export.meta.json"
MERGED = "retrieval_merged.csv"
ANY = tuple(f"{name}_any" for name in per_task.QUESTIONS[RETRIEVAL])
MERGED_COLUMNS = ("record_uuid", "query", "n_retrieved_chunks", *ANY, *per_task.PANEL)


@dataclass
class Told:
    """What the sidecar says of the rows, gathered while they are written."""

    annotators: set[str] = field(default_factory=set)
    constraints: Counter[str] = field(default_factory=Counter)
    panels: dict[int, Panel] = field(default_factory=dict)


def write_tasks(source: Source, files: Files) -> Row:
    found = files_of(source.campaign, source.questions)
    retrieval = next((each for each in found if each.has_panel), None)
    source.will_pass(len(found) + bool(retrieval))
    told = Told()
    for file in found:
        files.table(file.name, file.columns, _rows(source, file, told), tier=Tier.RAW)
    if retrieval:
        merged = _merged(source, retrieval, told)
        files.table(MERGED, MERGED_COLUMNS, merged, tier=Tier.RAW)
    completeness = completeness_of(told.panels.values()) if retrieval else NOT_REQUESTED
    files.document(META, lambda: _meta(source, files, found, told, completeness))
    return {"annotators": len(told.annotators), "constraints": dict(told.constraints)}


def files_of(campaign: Campaign, questions: Iterable[Question]) -> list[TaskFile]:
    """The annotation tool's tasks with its columns; every other task with columns of its own."""
    by_task: defaultdict[str, dict[str, Question]] = defaultdict(dict)
    for each in questions:
        by_task[each.task_type][each.name] = each
    found = []
    for task_type, named in by_task.items():
        spec = per_task.QUESTIONS.get(task_type, ())
        if spec and named.keys() >= set(spec):
            found.append(_spec_file(campaign, task_type, [named.pop(name) for name in spec]))
        if named:
            found.append(_own_file(campaign, task_type, list(named.values()), len(found)))
    return found


def _spec_file(campaign: Campaign, task_type: str, questions: list[Question]) -> TaskFile:
    return TaskFile(
        name=f"{task_type}.csv",
        task_type=task_type,
        questions=tuple(questions),
        columns=per_task.spec_columns(task_type),
        spec=True,
        checks=checks_of(campaign.planned if campaign.plan else None, task_type),
    )


def _own_file(
    campaign: Campaign, task_type: str, questions: list[Question], number: int
) -> TaskFile:
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", task_type)[:60]
    unlike = f"_{number}" if plain != task_type else ""
    asked = campaign.items.filter(annotations__question__in=[each.pk for each in questions])
    return TaskFile(
        name=f"task_{plain or 'criteria'}{unlike}.csv",
        task_type=task_type,
        questions=tuple(questions),
        columns=per_task.own_columns(
            [each.name for each in questions], chunks=asked.exclude(chunk="").exists()
        ),
    )


def _rows(source: Source, file: TaskFile, told: Told) -> Iterator[Row]:
    for window in source.windows():
        around = around_of(source, window)
        for answer in window:
            panel = _panel(answer, file) if file.has_panel else None
            for row, response in _of_answer(source, file, answer, around):
                told.annotators.add(response.annotator)
                told.constraints.update(each.id for each in response.broken(around))
                yield {**row, **_told_of(panel)}
            source.beat(answer)


def _of_answer(
    source: Source, file: TaskFile, answer: Answer, around: Around
) -> Iterator[tuple[Row, Response]]:
    for unit in answer.units:
        for said in unit.responses(file.keys).values():
            response = Response(file, answer, unit, said)
            if source.export.include_discarded or not response.discarded:
                yield response.row(source, around), response


def _merged(source: Source, file: TaskFile, told: Told) -> Iterator[Row]:
    """A row a query: yes where anybody said so of any of its passages."""
    for answer in source.answers():
        panel = _panel(answer, file)
        if panel.seen:
            told.panels[answer.result.pk] = panel
        if panel.annotated:
            yield {
                "record_uuid": source.uuid(answer),
                "query": answer.query,
                "n_retrieved_chunks": panel.retrieved,
                **_any(answer, file),
                **_told_of(panel),
            }


def _any(answer: Answer, file: TaskFile) -> Row:
    """None where nobody has answered, but for discards."""
    labels: dict[str, set[str]] = {each.name: set() for each in file.questions}
    for each in (each for unit in answer.units for each in unit.annotations):
        if each.question_id in file.keys and each.label:
            labels[each.question.name].add(each.label)
    return {f"{name}_any": "true" in said if said else None for name, said in labels.items()}


def _panel(answer: Answer, file: TaskFile) -> Panel:
    units = [unit for unit in answer.units if unit.item.chunk]
    said = [[each for each in unit.annotations if each.question_id in file.keys] for unit in units]
    return Panel(
        retrieved=len(answer.chunks),
        seen=len(units),
        submitted=sum(any(each.label for each in one) for one in said),
        discarded=sum(bool(one) and not any(each.label for each in one) for one in said),
    )


def _told_of(panel: Panel | None) -> Row:
    if panel is None:
        return {}
    counts = (panel.complete, panel.annotated, panel.submitted, panel.discarded, panel.seen)
    return dict(zip(per_task.PANEL, counts, strict=True))


def around_of(source: Source, window: list[Answer]) -> Around:
    """Two queries."""
    within = source.within(window)
    records = DeskRecord.objects.filter(**within).select_related("queue")
    breaches: defaultdict[tuple[int, str, str], list[Broken]] = defaultdict(list)
    for each in Breach.objects.filter(**within).order_by("constraint"):
        key = each.item_id, each.task_type, each.annotator
        breaches[key].append(
            Broken(id=each.constraint, severity=each.severity, message=each.message)
        )
    by_task = {(each.item_id, each.queue.task.removesuffix("_full")): each for each in records}
    return Around(by_task, breaches)


def _meta(
    source: Source, files: Files, found: list[TaskFile], told: Told, completeness: Completeness
) -> Row:
    """The tool's sidecar: its keys, and which file each task is in."""
    export, version = source.export, source.campaign.run.dataset_version
    dataset = str(version.header.get("dataset_id", version.dataset.name))
    calibrated = source.campaign.queues.filter(calibration=True).exists()
    return {
        "export_id": f"{dataset}_{export.created_at:%Y%m%dT%H%M%S}",
        "created_at": source.as_of.isoformat(),
        "dataset_id": dataset,
        "tasks": list(dict.fromkeys(file.task_type for file in found)),
        "include_discarded": export.include_discarded,
        "row_counts": {file.name.removesuffix(".csv"): files.rows[file.name] for file in found},
        "n_annotators": len(told.annotators),
        "calibration_enabled": calibrated,
        "constraint_summary": dict(sorted(told.constraints.items())),
        "completeness_summary": completeness.summary,
        "completeness_status": completeness.status,
    }
