"""What changes policies: they are made, saved as the next version, renamed, archived."""

from datetime import datetime
from typing import Unpack

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from apps.accounts.models import User, Workspace
from apps.accounts.services import record
from apps.accounts.services.audit import Door
from apps.analysis.gates.policies.spec import PolicySpec, stored_policy
from apps.analysis.models import GatePolicy, GatePolicyVersion
from apps.datasets.models import Dataset
from apps.fields import check_name

MOST_NAME = 120
MOST_DESCRIPTION = 5_000


@transaction.atomic
def create_policy(
    *,
    workspace: Workspace,
    name: str,
    spec: PolicySpec,
    by: User | None,
    now: datetime,
    dataset: Dataset | None = None,
    description: str = "",
    **door: Unpack[Door],
) -> GatePolicy:
    """A policy with its version 1; ValidationError where the name is taken."""
    policy = GatePolicy(
        workspace=workspace,
        name=_clean_name(name),
        description=_clean_description(description),
        dataset=_own_dataset(workspace, dataset),
        created_by=by,
        created_at=now,
    )
    _store(policy)
    _add_version(policy, 1, spec, by=by, now=now)
    record(workspace=workspace, actor=by, verb="gate_policy.created", obj=policy, **door)
    return policy


@transaction.atomic
def save_policy(
    policy: GatePolicy, spec: PolicySpec, *, by: User | None, now: datetime, **door: Unpack[Door]
) -> GatePolicyVersion:
    """The next version; saving what the latest already says changes nothing."""
    held = GatePolicy.objects.select_for_update(no_key=True).get(pk=policy.pk)
    if held.archived_at is not None:
        raise ValidationError(f"{held} is archived. Restore it before you change it.")
    latest = current_version(held)
    if latest.spec_sha256 == spec.sha256:
        return latest
    version = _add_version(held, latest.number + 1, spec, by=by, now=now)
    changes = {"spec_sha256": [latest.spec_sha256, version.spec_sha256]}
    record(
        workspace=held.workspace,
        actor=by,
        verb="gate_policy.saved",
        obj=version,
        changes=changes,
        **door,
    )
    return version


@transaction.atomic
def describe_policy(
    policy: GatePolicy,
    *,
    name: str,
    description: str,
    dataset: Dataset | None,
    by: User | None,
    **door: Unpack[Door],
) -> GatePolicy:
    """Give it another name, description or dataset; what it holds runs to stays."""
    held = GatePolicy.objects.select_for_update(no_key=True).get(pk=policy.pk)
    before = _told(held)
    held.name, held.description = _clean_name(name), _clean_description(description)
    held.dataset = _own_dataset(held.workspace, dataset)
    after = _told(held)
    if before == after:
        return held
    _store(held)
    changes = {key: [before[key], after[key]] for key in before if before[key] != after[key]}
    record(
        workspace=held.workspace,
        actor=by,
        verb="gate_policy.described",
        obj=held,
        changes=changes,
        **door,
    )
    return held


def archive_policy(
    policy: GatePolicy, *, by: User | None, now: datetime, **door: Unpack[Door]
) -> None:
    """Out of the lists and never chosen by itself; its decisions stay."""
    _set_archived(policy, now, by=by, **door)


def restore_policy(policy: GatePolicy, *, by: User | None, **door: Unpack[Door]) -> None:
    _set_archived(policy, None, by=by, **door)


def current_version(policy: GatePolicy) -> GatePolicyVersion:
    return policy.versions.select_related("policy__dataset").latest("number")


def current_spec(policy: GatePolicy) -> PolicySpec:
    return stored_policy(current_version(policy).spec)


def _add_version(
    policy: GatePolicy, number: int, spec: PolicySpec, *, by: User | None, now: datetime
) -> GatePolicyVersion:
    return GatePolicyVersion.objects.create(
        policy=policy,
        number=number,
        spec=spec.canonical.decode(),
        spec_sha256=spec.sha256,
        created_by=by,
        created_at=now,
    )


def _store(policy: GatePolicy) -> None:
    try:
        with transaction.atomic():
            policy.save()
    except IntegrityError as error:
        raise ValidationError(f"There is already a policy named {policy.name!r} here.") from error


@transaction.atomic
def _set_archived(
    policy: GatePolicy, at: datetime | None, *, by: User | None, **door: Unpack[Door]
) -> None:
    others = GatePolicy.objects.filter(pk=policy.pk, archived_at__isnull=at is not None)
    if not others.update(archived_at=at):
        return
    policy.archived_at = at
    verb = "gate_policy.archived" if at else "gate_policy.restored"
    record(workspace=policy.workspace, actor=by, verb=verb, obj=policy, **door)


def _told(policy: GatePolicy) -> dict[str, str | None]:
    return {
        "name": policy.name,
        "description": policy.description,
        "dataset": str(policy.dataset) if policy.dataset else None,
    }


def _clean_name(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise ValidationError("Give the policy a name.")
    if len(name) > MOST_NAME:
        raise ValidationError(f"A name has at most {MOST_NAME} characters.")
    check_name(name)
    return name


def _clean_description(text: str) -> str:
    if len(text) > MOST_DESCRIPTION or "\0" in text:
        raise ValidationError(
            f"A description has at most {MOST_DESCRIPTION:,} characters and no null character."
        )
    return text.strip()


def _own_dataset(workspace: Workspace, dataset: Dataset | None) -> Dataset | None:
    if dataset is not None and dataset.workspace_id != workspace.pk:
        raise ValidationError("There is no such dataset in this workspace.")
    return dataset
