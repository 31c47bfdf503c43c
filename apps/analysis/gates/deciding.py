"""The gate's answer about a run: every check of the policy, and what they come to."""

from dataclasses import dataclass
from datetime import datetime
from typing import Unpack

from django.core.exceptions import ValidationError
from django.db import transaction

from apps.accounts.models import User
from apps.accounts.services import record
from apps.accounts.services.audit import Door
from apps.analysis.comparing import ComparisonUnavailable, comparison_of, unlike
from apps.analysis.gates.checking.concluding import checks_of, judgment_of
from apps.analysis.gates.checking.looking import grounds_of
from apps.analysis.gates.contracts import Decided, DecidedPolicy
from apps.analysis.gates.messages.announcing import announce
from apps.analysis.gates.policies.baselines import current_run
from apps.analysis.gates.policies.changing import current_version
from apps.analysis.gates.policies.spec import PolicySpec, stored_policy
from apps.analysis.models import Comparison, GateDecision, GatePolicy, GatePolicyVersion
from apps.jobs.models import OPEN
from apps.runs.models import Run, RunStep

LONGEST_CHANGE = 200
_REQUESTS = ("page", "api")
"""Doors behind which somebody waits for an answer: what is heavy is left to workers."""


@dataclass(frozen=True)
class _Sides:
    """What is held to what: the run by a policy version, against a baseline where it asks one."""

    run: Run
    version: GatePolicyVersion
    spec: PolicySpec
    baseline: Run | None
    comparison: Comparison | None
    unasked: Run | None = None
    """A baseline that was named and that the policy has no use for."""
    approved: Run | None = None
    """The policy's own baseline, whichever run was named."""

    @property
    def is_approved(self) -> bool | None:
        return None if self.baseline is None else self.baseline == self.approved


def decide(
    run: Run,
    *,
    policy: GatePolicy,
    baseline: Run | None = None,
    change_id: str = "",
    by: User | None,
    now: datetime,
    **door: Unpack[Door],
) -> GateDecision:
    """Hold the run to the policy as it stands now, against the given baseline or the approved one.

    What it said is kept for good; `change_id` names what is to be released, else the run does.
    Raises ValidationError where the gate cannot look: the run or the baseline is still open, is
    of another workspace, or both are the same; ComparisonUnavailable where workers still compare.
    """
    change_id = clean_change(change_id) or run.pk
    sides = _sides(run, policy, baseline, in_request=door.get("via", "page") in _REQUESTS)
    found = _decided(sides, change_id, now)
    return _keep(sides, found, by=by, now=now, **door)


def clean_change(change_id: str) -> str:
    """As it is kept: one line of printable characters."""
    change_id = " ".join(change_id.split())
    if len(change_id) > LONGEST_CHANGE or not change_id.isprintable():
        raise ValidationError(
            f"A change id has at most {LONGEST_CHANGE} characters, all of them printable."
        )
    return change_id


def _sides(run: Run, policy: GatePolicy, given: Run | None, *, in_request: bool) -> _Sides:
    if policy.archived_at is not None:
        raise ValidationError(f"{policy} is archived. Restore it before it decides.")
    _check(run, policy)
    version = current_version(policy)
    spec = stored_policy(version.spec)
    approved = current_run(policy) if spec.needs_baseline else None
    baseline = (given or approved) if spec.needs_baseline else None
    if baseline is not None:
        _check(baseline, policy)
        _check_other(baseline, run)
    comparison = comparison_of(baseline, run, in_request=in_request) if baseline else None
    unasked = None if spec.needs_baseline else given
    return _Sides(run, version, spec, baseline, comparison, unasked, approved)


def _check(run: Run, policy: GatePolicy) -> None:
    if run.workspace_id != policy.workspace_id:
        raise ValidationError("There is no such run in this workspace.")
    if run.is_open:
        raise ValidationError(
            f"{run} is {run.state}: the gate looks at runs that have ended. Ask again when it "
            "has, or about another run."
        )
    steps = RunStep.objects.filter(run=run, name=RunStep.Name.SUMMARISE, state__in=OPEN)
    if steps.exists():
        raise ValidationError(f"The numbers of {run} are being computed: ask again in a moment.")


def _check_other(baseline: Run, run: Run) -> None:
    if baseline == run:
        raise ValidationError(
            f"{run} is the baseline itself: name another one, or approve another run first."
        )


def _decided(sides: _Sides, change_id: str, now: datetime) -> Decided:
    grounds = grounds_of(sides.spec, sides.run, sides.baseline, sides.comparison)
    policy = sides.version.policy
    checks = checks_of(grounds)
    judgment = judgment_of(
        checks,
        change_id=change_id,
        policy=policy.name,
        run=sides.run.title,
        needs_baseline=sides.spec.needs_baseline,
    )
    return Decided(
        answer=judgment.verdict,
        judgment=judgment,
        checks=checks,
        policy=DecidedPolicy(
            id=policy.pk,
            name=policy.name,
            version=sides.version.number,
            sha256=sides.version.spec_sha256,
        ),
        run=grounds.run,
        baseline=grounds.baseline,
        baseline_is_approved=sides.is_approved,
        approved_baseline=_approved_instead(sides),
        comparison=sides.comparison.pk if sides.comparison else None,
        shared=grounds.paired.shared if grounds.paired else None,
        warnings=_warnings(sides),
        decided_at=now,
    )


def _approved_instead(sides: _Sides) -> str | None:
    """The run that would have been the baseline, had no other been named."""
    if sides.approved is None or sides.is_approved is not False:
        return None
    return sides.approved.pk


def _warnings(sides: _Sides) -> tuple[str, ...]:
    found = unlike(sides.baseline, sides.run) if sides.baseline else []
    told = [each.says for each in found if each.is_warning]
    if sides.is_approved is False:
        # without the approved one's name: who reads this may not be allowed to see that run
        none = "" if sides.approved else ", for the policy has none"
        told.insert(0, f"{sides.baseline} is not the approved baseline{none}.")
    dataset = sides.version.policy.dataset
    if dataset is not None and dataset.pk != sides.run.dataset_version.dataset_id:
        told.append(f"The policy is for runs of {dataset}, and this one is of another dataset.")
    if sides.unasked is not None:
        told.append(f"The policy asks for no baseline: {sides.unasked} was not looked at.")
    return tuple(told)


def _hold(comparison: Comparison) -> None:
    """Against `clearing`, until the decision that rests on it is stored."""
    held = Comparison.objects.select_for_update().filter(pk=comparison.pk)
    if not held.values_list("pk", flat=True):
        raise ComparisonUnavailable("The comparison has just been cleared away: ask again.")


@transaction.atomic
def _keep(
    sides: _Sides, found: Decided, *, by: User | None, now: datetime, **door: Unpack[Door]
) -> GateDecision:
    if sides.comparison:
        _hold(sides.comparison)
    decision = GateDecision.objects.create(
        workspace=sides.run.workspace,
        policy_version=sides.version,
        run=sides.run,
        baseline=sides.baseline,
        comparison=sides.comparison,
        change_id=found.judgment.change_id,
        answer=found.answer,
        body=found.model_dump(mode="json"),
        decided_by=by,
        via=door.get("via", "page"),
        request_id=door.get("request_id", ""),
        decided_at=now,
    )
    record(
        workspace=sides.run.workspace,
        actor=by,
        verb="gate.decided",
        obj=decision,
        changes={"answer": [None, found.answer]},
        **door,
    )
    announce(decision)
    return decision
