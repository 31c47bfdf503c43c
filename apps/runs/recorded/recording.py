"""The run of the answers that came with a dataset: what labels, scores and comparisons hang on.

Scenarios bring no answers; theirs are the traces that were imported, one try after the other.
"""

from collections.abc import Iterator
from datetime import datetime

import orjson
from django.core.exceptions import ValidationError
from django.db import transaction

from apps.accounts.models import User, Workspace
from apps.accounts.services.audit import Via
from apps.artifacts.canonical import sha256_hex
from apps.artifacts.redaction import Redactor
from apps.datasets import prompting
from apps.datasets.models import DatasetVersion
from apps.runs.advancing import begin_finalising
from apps.runs.beginning.starting import Order, create_run
from apps.runs.contracts import StartOptions
from apps.runs.models import Result, ResultStatus, Run, RunState
from apps.runs.states import move
from apps.runs.walking import windows
from apps.runs.working.loading import redactor_of
from apps.runs.working.rows import stored
from apps.runs.working.upserts import RESULT_KEY, upsert
from apps.targets.models import TargetVersion
from apps.targets.services import create_target
from apps.targets.specs import RecordedSpec, spec_text

from .imported import scores_of_results, write_scores
from .traces import Recorded, Row, add_events, recorded_tries

TARGET = "Answers in the data"
TRACES = "Imported traces"
SPEC = RecordedSpec(source="data")
NO_ANSWER = "no_answer"


def recorded_run(
    version: DatasetVersion,
    *,
    by: User | None,
    now: datetime,
    via: Via = "page",
    request_id: str = "",
) -> Run:
    """The one recorded run of a version, made when first somebody asks for it.

    Its results stand at once; numbers and artifacts come with its finalise step, as of any run.
    Traces that are imported later do not change it. Raises ValidationError where no record came
    with an answer and no trace is of one of them.
    """
    found = _standing(version)
    if found is not None:
        return found
    with transaction.atomic():
        workspace = version.dataset.workspace
        Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)
        found = _standing(version)  # whoever held the workspace before us may have made it
        if found is not None:
            return found
        recorded = recorded_tries(version)
        return _record(_order(version, recorded, by, via, request_id), recorded, now)


def _standing(version: DatasetVersion) -> Run | None:
    return Run.objects.filter(dataset_version=version, kind=Run.Kind.RECORDED).first()


def _order(
    version: DatasetVersion, recorded: Recorded, by: User | None, via: Via, request_id: str
) -> Order:
    workspace = version.dataset.workspace
    name = TRACES if recorded.trials else TARGET
    return Order(
        workspace=workspace,
        version=version,
        target=_target(workspace, by, via, request_id),
        options=StartOptions(name=name, trials=max(1, recorded.trials)),
        kind=Run.Kind.RECORDED,
        by=by,
        request_id=request_id,
        via=via,
    )


def _target(workspace: Workspace, by: User | None, via: Via, request_id: str) -> TargetVersion:
    """The workspace's target that takes answers from the data, by what it does, not by its name."""
    own = sha256_hex(spec_text(SPEC).encode())
    versions = TargetVersion.objects.filter(target__workspace=workspace, spec_sha256=own)
    found = versions.select_related("target").order_by("pk").first()
    if found is not None:
        return found
    taken = set(workspace.targets.values_list("name", flat=True))
    numbers = (f"{TARGET} {number}" for number in range(2, len(taken) + 3))
    name = next(name for name in (TARGET, *numbers) if name not in taken)
    return create_target(
        workspace=workspace, name=name, spec=SPEC, by=by, via=via, request_id=request_id
    ).current


def _record(order: Order, recorded: Recorded, now: datetime) -> Run:
    run = create_run(order, now)
    move(run.pk, RunState.VALIDATING, by=order.by)
    redactor = redactor_of(run, [])
    answered = 0
    for window in _windows(order.version):
        results = _results(run, order.target.pk, window, recorded, redactor)
        answered += sum(result.status == ResultStatus.COMPLETED for result in results)
        upsert(results, key=RESULT_KEY)
    if not answered:
        raise ValidationError(
            f"No record of {order.version} came with an answer, and no trace is of one of them: "
            "there is nothing to score or to label. Start a run first, or import traces."
        )
    write_scores(run, scores_of_results(run, redactor))
    begin_finalising(run.pk, since=(RunState.VALIDATING,))
    run.refresh_from_db()
    return run


def _windows(version: DatasetVersion) -> Iterator[list[Row]]:
    rows = version.records.values_list(*Row._fields)
    for window in windows(rows, "ordinal", version.total):
        yield [Row(*each) for each in window]


def _results(
    run: Run, target: str, rows: list[Row], recorded: Recorded, redactor: Redactor
) -> list[Result]:
    if recorded.trials:
        return list(recorded.results(run, target, rows, redactor))
    results = [_result(run, target, row, redactor) for row in rows]
    add_events(results, rows, redactor)
    return results


def _result(run: Run, target: str, record: Row, redactor: Redactor) -> Result:
    answer = prompting.answer_of(orjson.loads(record.payload)) or ""
    result = Result(run=run, record_id=record.pk, ordinal=record.ordinal, target_version_id=target)
    if answer.strip():
        result.status = ResultStatus.COMPLETED
        result.response = stored(answer, redactor)
        result.extra = {"model": "recorded", "finish_reason": ""}
    else:
        result.status = ResultStatus.EVALUATION_ERROR
        result.cause = NO_ANSWER
        result.detail = f"Record {record.record_id} came without an answer."
    return result
