"""Starting runs: everything that decides what a run does is frozen into its plan here."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from math import ceil

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from apps import VERSION
from apps.accounts.models import User, Workspace
from apps.accounts.services import record as audit
from apps.accounts.services.audit import Via
from apps.artifacts.canonical import canonical, sha256_hex
from apps.datasets.models import DatasetVersion, Upload
from apps.grading.models import ContractVersion
from apps.grading.services import lock_version
from apps.runs.advancing import plan_step
from apps.runs.contracts import (
    CHUNK_RECORDS,
    PILOT_RECORDS,
    ContractPlan,
    DatasetPlan,
    Plan,
    SettingsPlan,
    StartOptions,
    TargetPlan,
)
from apps.runs.models import Run, RunState, RunStep, RunTarget
from apps.runs.states import note_state
from apps.targets.models import Target, TargetVersion
from apps.targets.specs import RecordedSpec, parse_spec

from .judging import DEFAULT, judges_for
from .rooms import room

_NO_OPTIONS = StartOptions()


class KeyTaken(ValidationError):
    """The idempotency key belongs to a run that was started with something else."""


@dataclass(frozen=True, slots=True)
class Order:
    """What somebody wants to run."""

    workspace: Workspace
    version: DatasetVersion
    target: TargetVersion
    contract: ContractVersion | None = None
    judges: dict[str, TargetVersion] = field(default_factory=dict)
    answers: Upload | None = None
    options: StartOptions = _NO_OPTIONS
    kind: str = Run.Kind.FRESH
    parent: Run | None = None
    by: User | None = None
    request_id: str = ""
    via: Via = "page"


def order_for(
    *,
    workspace: Workspace,
    version: DatasetVersion,
    target: Target,
    contract: ContractVersion | None,
    judge: Target | None = None,
    options: StartOptions = _NO_OPTIONS,
    by: User | None = None,
    answers: Upload | None = None,
    request_id: str = "",
    via: Via = "page",
) -> Order:
    """An order with each judge that the contract's rules name; raises ValidationError."""
    return Order(
        workspace=workspace,
        version=version,
        target=latest(target),
        contract=contract,
        judges=judges_for(workspace, contract, latest(judge) if judge else None),
        answers=answers,
        options=options,
        by=by,
        request_id=request_id,
        via=via,
    )


def check_parties(
    workspace: Workspace,
    target: Target,
    contract: ContractVersion | None,
    judge: Target | None,
) -> None:
    """Raise ValidationError for what no document can mend: asked before one is uploaded."""
    judges_for(workspace, contract, latest(judge) if judge else None)
    _check_answers(target.current, None)


def start_run(order: Order, *, now: datetime) -> Run:
    """Freeze the plan and queue the run; the same idempotency key gives the same run again.

    Raises ValidationError with a sentence for whoever starts it.
    """
    _check(order)
    try:
        with transaction.atomic():
            run = create_run(_locked(order, now), now)
            plan_step(run.pk, RunStep.Name.PREPARE)
            return run
    except IntegrityError:
        if order.options.idempotency_key is None:
            raise
        return _started_before(order)


def latest(target: Target) -> TargetVersion:
    return target.current


def plan_for(order: Order) -> Plan:
    return Plan(
        evalhub=VERSION,
        kind=order.kind,
        parent=order.parent.pk if order.parent else None,
        dataset=_dataset_plan(order.version),
        contract=_contract_plan(order.contract),
        targets=tuple(_target_plan(role, name, version) for role, name, version in _parties(order)),
        settings=_settings_plan(order),
        answers=order.answers.identity if order.answers else None,
    )


def _locked(order: Order, now: datetime) -> Order:
    """The order with its contract version locked: what it says now is what it will always say."""
    if order.contract is None:
        return order
    return replace(order, contract=lock_version(version=order.contract, now=now))


def create_run(order: Order, now: datetime) -> Run:
    """The row of a queued run with all that it stands on; nothing is planned yet."""
    plan = plan_for(order)
    run = Run.objects.create(
        workspace=order.workspace,
        name=order.options.name,
        note=order.options.note,
        kind=order.kind,
        parent=order.parent,
        dataset_version=order.version,
        contract_version=order.contract,
        answers=order.answers,
        plan=plan.model_dump(mode="json"),
        plan_sha256=plan_sha256(plan),
        idempotency_key=order.options.idempotency_key,
        total_records=_asked(order) if order.options.pilot else order.version.total,
        valid_records=_asked(order),
        planned=_tries(order),
        concurrency=plan.settings.concurrency,
        slots=plan.settings.slots,
        cost_cap=order.options.cost_cap,
        created_by=order.by,
        request_id=order.request_id,
    )
    RunTarget.objects.bulk_create(
        RunTarget(
            run=run,
            role=role,
            name=name or version.target.name,
            target_version=version,
            is_default=name == DEFAULT,
        )
        for role, name, version in _parties(order)
    )
    note_state(run.pk, RunState.QUEUED, at=now, by=order.by)
    audit(
        workspace=order.workspace,
        actor=order.by,
        verb=f"run.started.{order.kind}",
        obj=run,
        request_id=order.request_id,
        via=order.via,
    )
    return run


def plan_sha256(plan: Plan) -> str:
    return sha256_hex(canonical(plan.model_dump(mode="json")))


def _started_before(order: Order) -> Run:
    key = order.options.idempotency_key
    run = Run.objects.filter(workspace=order.workspace, idempotency_key=key).first()
    if run is None:
        raise ValidationError("The run could not be stored; try again.")
    if _wanted(Plan.model_validate(run.plan)) != _wanted(plan_for(order)):
        raise KeyTaken(f"The idempotency key {key} was used for {run.pk}, which is another run.")
    return run


def _wanted(plan: Plan) -> dict[str, object]:
    """What somebody asked for: without what this machine and this version of ours make of it."""
    wanted: dict[str, object] = plan.model_dump(
        exclude={"evalhub": True, "settings": {"concurrency", "slots", "chunk_records"}}
    )
    return wanted


def _check(order: Order) -> None:
    if order.version.accepted == 0:
        raise ValidationError("The dataset version has no accepted record to ask.")
    _check_answers(order.target, order.answers)


def _check_answers(target: TargetVersion, answers: Upload | None) -> None:
    spec = parse_spec(target.spec)
    if isinstance(spec, RecordedSpec) and spec.source == "answers" and answers is None:
        raise ValidationError("This target takes its answers from a file: give an answers file.")


def _parties(order: Order) -> list[tuple[str, str, TargetVersion]]:
    judges = [(RunTarget.Role.JUDGE.value, name, version) for name, version in order.judges.items()]
    return [(RunTarget.Role.TARGET.value, DEFAULT, order.target), *sorted(judges, key=_by_name)]


def _by_name(party: tuple[str, str, TargetVersion]) -> str:
    return party[1]


def _dataset_plan(version: DatasetVersion) -> DatasetPlan:
    return DatasetPlan(
        version=version.pk,
        dataset_id=version.dataset.name,
        dataset_version=version.label,
        format=version.format,
        records_sha256=version.records_sha256,
        total=version.total,
        accepted=version.accepted,
        rejected=version.rejected,
    )


def _contract_plan(version: ContractVersion | None) -> ContractPlan | None:
    if version is None:
        return None
    return ContractPlan(
        version=version.pk,
        name=version.contract.name,
        number=version.number,
        spec_sha256=version.spec_sha256,
    )


def _target_plan(role: str, name: str, version: TargetVersion) -> TargetPlan:
    return TargetPlan.model_validate(
        {
            "version": version.pk,
            "role": role,
            "name": name or version.target.name,
            "kind": version.target.kind,
            "number": version.number,
            "spec_sha256": version.spec_sha256,
        }
    )


def _settings_plan(order: Order) -> SettingsPlan:
    """What the calls of the run may be, divided among the workers and their chunks."""
    target, workers = order.target.parsed, settings.Q_CLUSTER["workers"]
    judges = [version.parsed.concurrency for version in order.judges.values()]
    regrades = order.kind == Run.Kind.REGRADE
    concurrency, slots = room(None if regrades else target.concurrency, judges, workers)
    even = ceil(_tries(order) / (4 * workers))
    return SettingsPlan(
        max_attempts=target.max_attempts,
        pilot=PILOT_RECORDS if order.options.pilot else None,
        trials=order.options.trials,
        data_rules=True,
        concurrency=concurrency,
        slots=slots,
        chunk_records=min(CHUNK_RECORDS, max(slots, even)),
        cost_cap=order.options.cost_cap,
    )


def _asked(order: Order) -> int:
    accepted = order.version.accepted
    return min(accepted, PILOT_RECORDS) if order.options.pilot else accepted


def _tries(order: Order) -> int:
    return _asked(order) * order.options.trials
