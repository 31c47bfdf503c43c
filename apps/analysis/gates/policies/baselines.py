"""The run that a policy compares with: approved, replaced, taken back, with its history."""

from collections.abc import Collection
from datetime import datetime
from typing import Unpack

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, QuerySet

from apps.accounts.models import User
from apps.accounts.services import record
from apps.accounts.services.audit import Door
from apps.analysis.models import Baseline, GatePolicy
from apps.runs.models import Result, Run, RunState, Score
from apps.runs.recorded.imported import NO_VERDICT

MOST_REASON = 2_000
UNFIT = (RunState.FAILED, RunState.CANCELLED)
"""States of runs that did not ask every record."""


def approve(
    policy: GatePolicy,
    run: Run,
    *,
    reason: str,
    by: User | None,
    now: datetime,
    **door: Unpack[Door],
) -> Baseline:
    """The run is the policy's baseline from now on; the one before stays in the history.

    Approving again what stands changes nothing. Raises ValidationError for a run that has not
    ended, that failed or was cancelled, that is a pilot, that nobody judged or that is of another
    workspace, and where the reason is missing.
    """
    _check(policy, run)
    return _replace(policy, run, said_reason(reason), by=by, now=now, **door)


def withdraw(
    policy: GatePolicy, *, reason: str, by: User | None, now: datetime, **door: Unpack[Door]
) -> Baseline | None:
    """The policy has no baseline any more; None where it had none before."""
    reason = said_reason(reason)
    with transaction.atomic():
        if current_run(policy) is None:
            return None
        return _replace(policy, None, reason, by=by, now=now, **door)


def current(policy: GatePolicy) -> Baseline | None:
    """What was said last; its run is None where the baseline was taken back."""
    found = policy.baselines.filter(is_current=True)
    return found.select_related("run", "approved_by").first()


def current_run(policy: GatePolicy) -> Run | None:
    found = current(policy)
    return found.run if found else None


def history(policy: GatePolicy) -> QuerySet[Baseline]:
    """The newest first."""
    rows = policy.baselines.select_related("run", "approved_by")
    return rows.order_by("-seq")


def said_reason(reason: str) -> str:
    """The reason as it is kept; ValidationError where there is none."""
    reason = reason.strip()
    if not reason:
        raise ValidationError("Say why: the reason stays with the decision.")
    if len(reason) > MOST_REASON or "\0" in reason:
        raise ValidationError(
            f"A reason has at most {MOST_REASON:,} characters and no null character."
        )
    return reason


def _check(policy: GatePolicy, run: Run) -> None:
    if run.workspace_id != policy.workspace_id:
        raise ValidationError("There is no such run in this workspace.")
    if policy.archived_at is not None:
        raise ValidationError(f"{policy} is archived. Restore it before you approve a baseline.")
    if run.is_open:
        raise ValidationError(f"{run} is {run.state}: only a run that has ended can be a baseline.")
    if run.state in UNFIT:
        raise ValidationError(f"{run} is {run.state}: a baseline has been asked every record.")
    if others := left_out(run):
        asked = run.valid_records
        raise ValidationError(
            f"{run} is a pilot: it asked {asked:,} of {asked + others:,} valid records, and a "
            "baseline has been asked every record."
        )
    if not judged_among([run]):
        raise ValidationError(
            f"No answer of {run} was judged, so it has no scores: nothing can be compared with it."
        )


def left_out(run: Run) -> int:
    """Valid records of the dataset version that are not in the run's plan: a pilot's."""
    return max(0, run.dataset_version.accepted - run.valid_records)


def judged_among(runs: Collection[Run]) -> set[str]:
    """The keys of those that were judged, by the contract or by scores that were given elsewhere.

    One query however many they are.
    """
    verdicts = Result.objects.filter(run=OuterRef("pk"), verdict__in=("passed", "failed"))
    given = Score.objects.filter(run=OuterRef("pk"), verdict=NO_VERDICT).exclude(value=None)
    found = Run.objects.filter(pk__in=[run.pk for run in runs])
    return set(found.filter(Exists(verdicts) | Exists(given)).values_list("pk", flat=True))


@transaction.atomic
def _replace(
    policy: GatePolicy,
    run: Run | None,
    reason: str,
    *,
    by: User | None,
    now: datetime,
    **door: Unpack[Door],
) -> Baseline:
    """Whoever comes second waits for the policy's row and replaces what the first one said."""
    GatePolicy.objects.select_for_update(no_key=True).get(pk=policy.pk)
    before = current(policy)
    if before is not None and before.run == run:
        return before
    policy.baselines.stand_down()
    last = policy.baselines.aggregate(last=Max("seq"))["last"]
    said = Baseline.objects.create(
        policy=policy,
        seq=0 if last is None else last + 1,
        run=run,
        reason=reason,
        approved_by=by,
        approved_at=now,
    )
    record(
        workspace=policy.workspace,
        actor=by,
        verb="gate_policy.baseline_approved" if run else "gate_policy.baseline_withdrawn",
        obj=policy,
        changes={"baseline": [before.run_id if before else None, run.pk if run else None]},
        **door,
    )
    return said
