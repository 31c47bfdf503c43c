"""Releases of one assistant, their gate, and what it said: by the services that doors call."""

from datetime import datetime
from itertools import pairwise

from django.db.models import QuerySet
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.analysis.gates.deciding import decide
from apps.analysis.gates.policies.baselines import approve
from apps.analysis.gates.policies.changing import create_policy
from apps.analysis.gates.policies.spec import MetricCheck, PolicySpec, SliceCheck
from apps.analysis.models import GateDecision, GatePolicy
from apps.runs.following import wait_for
from apps.runs.models import Run
from apps.targets import services as targets
from apps.targets.specs import TargetSpec

from . import parties, seeding

POLICY = "Support desk release"
ABOUT = "What a release of the support desk's assistant has to hold."
SPEC = PolicySpec(
    metrics=(
        MetricCheck(metric="pass_rate", at_least=0.7, margin=0.03),
        MetricCheck(metric="latency_p95", at_most=1_300),
    ),
    slices=(SliceCheck(families=("task_type", "metadata.language"), margin=0.05),),
    failure_budget=0.04,
)


def seed(workspace: Workspace) -> None:
    """The releases are run here and now, so that there is something to decide at once."""
    specs = parties.releases(seeding.mistakes())
    if _decisions(workspace, list(specs)[-1]).exists():
        return
    begun = [_run(workspace, release, spec) for release, spec in specs.items()]
    runs = dict(zip(specs, [wait_for(run) for run in begun], strict=True))
    _decide(workspace, runs, User.objects.get(username="alice"), timezone.now())


def _run(workspace: Workspace, release: str, spec: TargetSpec) -> Run:
    """The target is what the release is; the run keeps it so."""
    name = f"Support desk, {parties.RELEASED} {release}"
    wanted = seeding.Start(parties.RELEASED, parties.EXACT, name, release=release)
    if found := seeding.started(workspace, wanted):
        return found  # an earlier start came as far as this
    _release(workspace, spec)
    return seeding.start(workspace, wanted)


def _release(workspace: Workspace, spec: TargetSpec) -> None:
    """The next version of the one target, as a team makes it."""
    ada = User.objects.get(username="ada")
    target = workspace.targets.filter(name=parties.RELEASED).first()
    if target is None:
        targets.create_target(
            workspace=workspace, name=parties.RELEASED, spec=spec, by=ada, via="command"
        )
    else:
        targets.edit_target(target=target, spec=spec, by=ada, via="command")


def _decide(workspace: Workspace, runs: dict[str, Run], alice: User, now: datetime) -> None:
    """Each release is held against the last one that was approved."""
    policy = _policy(workspace, alice, now)
    for (last, before), (release, run) in pairwise(runs.items()):
        if _decisions(workspace, release).exists():
            continue  # an earlier start came as far as this
        reason = f"{last} was released."
        approve(policy, before, reason=reason, by=alice, now=now, via="command")
        decide(run, policy=policy, change_id=release, by=alice, now=now, via="command")


def _decisions(workspace: Workspace, release: str) -> QuerySet[GateDecision]:
    return workspace.gate_decisions.filter(change_id=release, policy_version__policy__name=POLICY)


def _policy(workspace: Workspace, alice: User, now: datetime) -> GatePolicy:
    found = workspace.gate_policies.filter(name=POLICY).first()
    return found or create_policy(
        workspace=workspace,
        name=POLICY,
        description=ABOUT,
        dataset=workspace.datasets.get(name=seeding.DESK),
        spec=SPEC,
        by=alice,
        now=now,
        via="command",
    )
