"""Runs and policies of which a gate says something, by the real code throughout."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from apps.accounts.models import User, Workspace
from apps.analysis.gates.contracts import Check, Decided
from apps.analysis.gates.deciding import decide
from apps.analysis.gates.policies.baselines import approve
from apps.analysis.gates.policies.changing import create_policy
from apps.analysis.gates.policies.spec import PolicySpec, read_policy
from apps.analysis.gates.stored import decided
from apps.analysis.models import GateDecision, GatePolicy
from apps.datasets.models import DatasetVersion
from apps.runs.models import Run
from tests.runs.building import FAILED_CONTRACT, PASSED, Outcome, ended_run, make_version

AT = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
LIMIT: dict[str, Any] = {"metrics": [{"metric": "pass_rate", "at_least": 0.8}]}
MARGIN: dict[str, Any] = {"metrics": [{"metric": "pass_rate", "margin": 0.05}]}


def a_spec(**asked: Any) -> PolicySpec:
    return read_policy(asked or LIMIT)


def a_policy(
    workspace: Workspace, name: str = "releases", by: User | None = None, **asked: Any
) -> GatePolicy:
    return create_policy(workspace=workspace, name=name, spec=a_spec(**asked), by=by, now=AT)


def outcomes(passed: int, failed: int = 0, *others: Outcome) -> list[Outcome]:
    return [*[PASSED] * passed, *[FAILED_CONTRACT] * failed, *others]


def a_run(
    workspace: Workspace,
    passed: int,
    failed: int = 0,
    *others: Outcome,
    version: DatasetVersion | None = None,
    **more: Any,
) -> Run:
    """The first records pass, those after them fail, then whatever else."""
    given = outcomes(passed, failed, *others)
    version = version or make_version(workspace, len(given))
    return ended_run(workspace, given, version=version, **more)


def a_decision(
    run: Run, policy: GatePolicy, baseline: Run | None = None, **more: Any
) -> GateDecision:
    given = {"by": None, "now": AT, "via": "command", **more}
    return decide(run, policy=policy, baseline=baseline, **given)


def held(run: Run, baseline: Run | None = None, **asked: Any) -> Decided:
    """What a policy that asks for this says of the run."""
    name = f"policy {GatePolicy.objects.count()}"
    policy = a_policy(run.workspace, name, **asked)
    return decided(a_decision(run, policy, baseline))


def the_check(found: Decided, key: str) -> Check:
    keys = [check.key for check in found.checks]
    assert key in keys, keys
    return found.checks[keys.index(key)]


def approved(policy: GatePolicy, run: Run, reason: str = "It is in production.") -> None:
    approve(policy, run, reason=reason, by=None, now=AT)


def codes(found: Decided) -> Sequence[str]:
    return [check.finding.code for check in found.checks]
