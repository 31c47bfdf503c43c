"""Policies have versions; who changes one changes no decision that was made."""

import pytest
from django.core.exceptions import ValidationError

from apps.accounts.models import AuditEvent, User, Workspace
from apps.analysis.gates.policies import changing
from apps.analysis.gates.stored import decided
from apps.datasets.models import Dataset
from tests.runs.building import make_version

from .building import AT, a_decision, a_policy, a_run, a_spec

STRICT = {"metrics": [{"metric": "pass_rate", "at_least": 0.99}]}


def test_saving_adds_a_version_only_where_something_changes(
    workspace: Workspace, alice: User
) -> None:
    policy = a_policy(workspace, by=alice)

    same = changing.save_policy(policy, a_spec(), by=alice, now=AT, via="api")
    other = changing.save_policy(policy, a_spec(**STRICT), by=alice, now=AT, via="api")

    assert [same.number, other.number] == [1, 2]
    assert changing.current_spec(policy) == a_spec(**STRICT)
    verbs = AuditEvent.objects.filter(verb__startswith="gate_policy").values_list("verb", flat=True)
    assert list(verbs.order_by("pk")) == ["gate_policy.created", "gate_policy.saved"]


def test_a_changed_policy_changes_no_old_decision(workspace: Workspace) -> None:
    policy, run = a_policy(workspace), a_run(workspace, 95, 5)
    before = a_decision(run, policy)

    changing.save_policy(policy, a_spec(**STRICT), by=None, now=AT)
    after = a_decision(run, policy)
    before.refresh_from_db()

    assert (before.answer, before.policy_version.number) == ("pass", 1)
    assert (after.answer, after.policy_version.number) == ("fail", 2)
    assert decided(before).policy.sha256 != decided(after).policy.sha256


def test_a_name_stands_once_and_is_a_line_of_printable_text(workspace: Workspace) -> None:
    a_policy(workspace)

    for name in ("releases", " ", "a\0b", "x" * 121):
        with pytest.raises(ValidationError):
            a_policy(workspace, name)


def test_a_policy_is_renamed_and_described(workspace: Workspace, alice: User) -> None:
    policy, dataset = a_policy(workspace), make_version(workspace).dataset

    told = changing.describe_policy(
        policy, name=" nightly  runs", description="Each night.", dataset=dataset, by=alice
    )
    changing.describe_policy(
        told, name="nightly runs", description="Each night.", dataset=dataset, by=alice
    )

    assert (told.name, told.description, told.dataset) == ("nightly runs", "Each night.", dataset)
    assert AuditEvent.objects.filter(verb="gate_policy.described").count() == 1


def test_a_dataset_of_another_workspace_is_no_dataset_of_ours(
    workspace: Workspace, charlie: User
) -> None:
    elsewhere = charlie.memberships.get().workspace
    foreign = Dataset.objects.create(workspace=elsewhere, name="theirs")

    with pytest.raises(ValidationError, match="no such dataset"):
        changing.create_policy(
            workspace=workspace, name="x", spec=a_spec(), dataset=foreign, by=None, now=AT
        )


def test_an_archived_policy_neither_changes_nor_decides_until_it_is_restored(
    workspace: Workspace,
) -> None:
    policy, run = a_policy(workspace), a_run(workspace, 95, 5)
    changing.archive_policy(policy, by=None, now=AT)
    changing.archive_policy(policy, by=None, now=AT)

    with pytest.raises(ValidationError, match="archived"):
        changing.save_policy(policy, a_spec(**STRICT), by=None, now=AT)
    with pytest.raises(ValidationError, match="archived"):
        a_decision(run, policy)
    changing.restore_policy(policy, by=None)

    assert a_decision(run, policy).answer == "pass"
    assert AuditEvent.objects.filter(verb="gate_policy.archived").count() == 1
