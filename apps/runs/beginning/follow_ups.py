"""Going on with a run that has ended: a resume of what it left, a retry of what failed."""

from datetime import datetime

from django.core.exceptions import ValidationError

from apps.accounts.models import User
from apps.accounts.services.audit import Via
from apps.naming import shown_name
from apps.runs.contracts import Plan, StartOptions
from apps.runs.models import TERMINAL, Run, RunTarget
from apps.runs.working.carrying import kept_results
from apps.targets.models import TargetVersion

from .judging import DEFAULT
from .starting import Order, start_run

_NOTHING_LEFT = {
    Run.Kind.RESUME: "Every record of the run has its result: there is nothing to resume.",
    Run.Kind.RETRY: "No record of the run failed: there is nothing to retry.",
}

_ASKS_NOBODY = (
    "This run grades the answers of another one and asks nobody for new ones: press Grade again "
    "(`evalhub regrade`) to have all of them judged anew."
)


def follow_up(
    parent: Run,
    *,
    kind: str,
    by: User | None,
    now: datetime,
    via: Via = "page",
    request_id: str = "",
) -> Run:
    """A resume or a retry: the same plan, the parent's answers carried, the rest asked.

    Asked for twice before the first has ended, it is the same run; ValidationError where nothing
    is left to ask, and of a regrade.
    """
    _check_parent(parent, kind)
    target, judges = parties_of(parent)
    plan = Plan.model_validate(parent.plan)
    options = StartOptions(
        name=shown_name(parent.name),
        note=parent.note,
        pilot=plan.settings.pilot is not None,
        trials=plan.settings.trials,
        cost_cap=parent.cost_cap,
        idempotency_key=_follow_up_key(parent, kind),
    )
    order = Order(
        workspace=parent.workspace,
        version=parent.dataset_version,
        target=target,
        contract=parent.contract_version,
        judges=judges,
        answers=parent.answers,
        options=options,
        kind=kind,
        parent=parent,
        by=by,
        request_id=request_id,
        via=via,
    )
    return start_run(order, now=now)


def parties_of(parent: Run) -> tuple[TargetVersion, dict[str, TargetVersion]]:
    """Who answered in a run, and who judged by the name that its rules use."""
    rows = list(parent.targets.select_related("target_version__target"))
    answering = next(row for row in rows if row.role == RunTarget.Role.TARGET)
    judges = {
        DEFAULT if row.is_default else row.name: row.target_version
        for row in rows
        if row.role == RunTarget.Role.JUDGE
    }
    return answering.target_version, judges


def _check_parent(parent: Run, kind: str) -> None:
    if parent.state not in TERMINAL:
        raise ValidationError(f"The run is {parent.state}; wait until it has ended.")
    if parent.kind == Run.Kind.REGRADE:
        raise ValidationError(_ASKS_NOBODY)
    if kept_results(parent.pk, kind).count() >= parent.planned:
        raise ValidationError(_NOTHING_LEFT[Run.Kind(kind)])


def _follow_up_key(parent: Run, kind: str) -> str:
    """The same until a follow-up of this kind has ended: pressing twice starts one."""
    ended = Run.objects.filter(parent=parent, kind=kind, state__in=TERMINAL).count()
    return f"{kind}:{parent.pk}:{ended}"
