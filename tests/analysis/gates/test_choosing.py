"""Which policy is meant where nobody says it."""

import pytest
from django.core.exceptions import ValidationError

from apps.accounts.models import User, Workspace
from apps.analysis.gates.policies.changing import archive_policy
from apps.analysis.gates.policies.choosing import latest_run, policy_for
from apps.analysis.models import GatePolicy
from apps.runs.models import Run
from tests.runs.building import PASSED, ended_run, make_version, running_run

from .building import AT, a_policy, a_run


def _for(run: Run, name: str) -> GatePolicy:
    policy = a_policy(run.workspace, name)
    policy.dataset = run.dataset_version.dataset
    policy.save()
    return policy


@pytest.fixture
def run(workspace: Workspace) -> Run:
    return ended_run(workspace)


def test_a_policy_goes_by_its_name_or_its_id(run: Run) -> None:
    mine, _other = a_policy(run.workspace, "mine"), a_policy(run.workspace, "other")

    assert policy_for(run, "mine") == policy_for(run, mine.pk) == mine


def test_the_only_one_of_the_dataset_goes_without_saying(run: Run) -> None:
    a_policy(run.workspace, "everything")
    own = _for(run, "tickets")

    assert policy_for(run) == own


def test_the_only_one_of_the_workspace_goes_without_saying(run: Run) -> None:
    only = a_policy(run.workspace)
    old = a_policy(run.workspace, "old")
    archive_policy(old, by=None, now=AT)

    assert policy_for(run) == only


def test_among_several_somebody_must_choose(run: Run) -> None:
    a_policy(run.workspace, "b")
    a_policy(run.workspace, "a")

    with pytest.raises(ValidationError, match=r"say which one \(a, b\)"):
        policy_for(run)


def test_an_unknown_name_is_answered_with_those_that_there_are(run: Run, charlie: User) -> None:
    a_policy(run.workspace, "mine")
    foreign = a_policy(charlie.memberships.get().workspace, "theirs")

    for name in ("theirs", foreign.pk, "x\0", "mine\n"):
        with pytest.raises(ValidationError, match="There is: mine"):
            policy_for(run, name)


def test_without_any_policy_the_way_to_one_is_told(run: Run) -> None:
    with pytest.raises(ValidationError, match="There is no gate policy here yet"):
        policy_for(run)


def test_the_latest_run_is_the_newest_that_ended_of_the_policys_dataset(
    workspace: Workspace,
) -> None:
    version = make_version(workspace, 5)
    wanted = a_run(workspace, 5, version=version)
    elsewhere = a_run(workspace, 5, version=make_version(workspace, 5, name="others"))
    under_way = running_run(workspace, [PASSED], version=version)
    own = a_policy(workspace, "own")
    GatePolicy.objects.update(dataset=version.dataset)

    of_the_only_one = latest_run(workspace)
    a_policy(workspace, "any")

    assert (latest_run(workspace, own.name), of_the_only_one) == (wanted, wanted)
    assert latest_run(workspace, own.name, open_too=True) == under_way
    assert (latest_run(workspace), latest_run(workspace, "any")) == (elsewhere, elsewhere)


def test_without_an_ended_run_it_is_said_what_to_do(workspace: Workspace) -> None:
    running_run(workspace, [PASSED])

    with pytest.raises(ValidationError, match="No run has ended yet: start one"):
        latest_run(workspace)
