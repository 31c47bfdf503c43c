"""Grading the answers of a run again: a new run that asks judges at most, never the target."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db.models import Q

from apps.accounts.models import User
from apps.accounts.services.audit import Via
from apps.artifacts.canonical import canonical, sha256_hex
from apps.grading.models import ContractVersion
from apps.naming import shown_name
from apps.runs.contracts import Plan, StartOptions
from apps.runs.models import TERMINAL, ResultStatus, Run
from apps.runs.working.carrying import BROKE
from apps.targets.models import Target, TargetVersion

from .follow_ups import parties_of
from .judging import judges_for
from .starting import Order, start_run

_LONGEST_NAME = 200
NOTHING_TO_GRADE = "No record of the run has an answer: there is nothing to grade."


@dataclass(frozen=True, slots=True)
class Regrade:
    """What somebody wants graded again: by which contract, None for the rules of the data alone,
    by which judge, None for the one of the run, and under which name, empty for one that tells
    the run and the contract."""

    parent: Run
    contract: ContractVersion | None
    judge: Target | None = None
    name: str = ""
    by: User | None = None
    request_id: str = ""
    via: Via = "page"


def regrade(wanted: Regrade, *, now: datetime) -> Run:
    """A run of kind regrade: the parent's answers are judged anew, what has none stays as it is.

    Of a regrade that lost answers on its way, those of the run that it graded are taken.
    Asked for twice before the first has ended, it is the same run; ValidationError where the
    parent has not ended, has no answer, or a judge is missing.
    """
    check_parent(wanted.parent)
    return start_run(order_for_regrade(wanted), now=now)


def check_parent(parent: Run) -> None:
    if parent.state not in TERMINAL:
        raise ValidationError(f"The run is {parent.state}; wait until it has ended.")
    if not _has_answers(run_with_answers(parent)):
        raise ValidationError(NOTHING_TO_GRADE)


def run_with_answers(run: Run) -> Run:
    """The run itself, or the one that it graded where it ended without some of the answers.

    All results of a regrade are carried but those that a cancellation or a lost worker left.
    """
    while run.kind == Run.Kind.REGRADE and run.parent and _lost_some(run):
        run = run.parent
    return run


def order_for_regrade(wanted: Regrade) -> Order:
    """The parent's plan with another contract and other judges; raises ValidationError."""
    parent = wanted.parent
    target, known = parties_of(parent)
    judge = wanted.judge.current if wanted.judge else None
    judges = judges_for(parent.workspace, wanted.contract, judge, known)
    settings = Plan.model_validate(parent.plan).settings
    return Order(
        workspace=parent.workspace,
        version=parent.dataset_version,
        target=target,
        contract=wanted.contract,
        judges=judges,
        answers=parent.answers,
        options=StartOptions(
            name=wanted.name or _name(wanted),
            note=parent.note,
            pilot=settings.pilot is not None,
            trials=settings.trials,
            cost_cap=parent.cost_cap,
            idempotency_key=_key(wanted, judges),
        ),
        kind=Run.Kind.REGRADE,
        parent=run_with_answers(parent),
        by=wanted.by,
        request_id=wanted.request_id,
        via=wanted.via,
    )


def order_so_far(wanted: Regrade) -> Order:
    """The order, or one without judges where one is still to be chosen: for the estimate."""
    try:
        return order_for_regrade(wanted)
    except ValidationError:
        return replace(order_for_regrade(replace(wanted, contract=None)), contract=wanted.contract)


def _name(wanted: Regrade) -> str:
    """The run that asked, however often it was graded since, and by what it is graded now."""
    asked = wanted.parent
    while asked.kind == Run.Kind.REGRADE and asked.parent:
        asked = asked.parent
    by = f", graded by {wanted.contract or 'the rules of the data'}"
    return shown_name(asked.title[: _LONGEST_NAME - len(by)] + by)


def _has_answers(parent: Run) -> bool:
    """Answers of their own, or those whose judging broke."""
    answered = Q(status=ResultStatus.COMPLETED) | Q(cause__in=BROKE, extra__isnull=False)
    return parent.results.filter(answered).exists()


def _lost_some(run: Run) -> bool:
    return run.results.filter(carried=False).exists()


def _key(wanted: Regrade, judges: dict[str, TargetVersion]) -> str:
    """The same until a regrade with these choices has ended: pressing twice starts one."""
    parent, contract = run_with_answers(wanted.parent), wanted.contract
    chosen = sorted((name, version.pk) for name, version in judges.items())
    digest = sha256_hex(canonical([contract.pk if contract else "", chosen]))[:24]
    mine = parent.children.filter(kind=Run.Kind.REGRADE, idempotency_key__contains=digest)
    return f"regrade:{parent.pk}:{digest}:{mine.filter(state__in=TERMINAL).count()}"
