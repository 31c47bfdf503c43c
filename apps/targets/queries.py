"""What pages and commands read of targets."""

import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import pairwise

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, Max, Q

from apps.accounts.models import User, Workspace
from apps.contract import Contract

from .describing import Change, SettingGroup, changes_between, grouped_settings
from .models import Target, TargetVersion, TargetVersionQuerySet
from .specs import HttpJsonSpec, OpenAIChatSpec, Spec, TargetSpec


class Usage(Contract):
    """The runs that asked a target as a system under test, and those it judged."""

    asked: int = 0
    judged: int = 0
    last_used_at: datetime | None = None


class ListedTarget(Contract):
    """One line of a list; `where` is the model and address, '' where there is none."""

    id: str
    name: str
    kind: str
    label: str
    scripted: bool
    where: str
    model: str
    address: str
    version_id: str
    version: int
    archived: bool
    spec: TargetSpec
    usage: Usage = Usage()


class VersionRow(Contract):
    """One version, with what changed since the one before."""

    id: str
    number: int
    spec_sha256: str
    created_at: datetime
    current: bool
    changes: tuple[Change, ...]
    usage: Usage


class SecretState(Contract):
    """Whether a variable is set on this server; never what it holds."""

    name: str
    is_set: bool


class TargetDetail(Contract):
    target: ListedTarget
    settings: tuple[SettingGroup, ...]
    secrets: tuple[SecretState, ...]
    versions: tuple[VersionRow, ...]


def current_versions(user: User | AnonymousUser, workspace: Workspace) -> TargetVersionQuerySet:
    """The current version of each target of the workspace that this person may see, by name."""
    visible = TargetVersion.objects.visible_to(user).filter(target__workspace=workspace)
    return visible.current().select_related("target").order_by("target__name")


def listed(
    versions: Iterable[TargetVersion], usages: Mapping[str, Usage] | None = None
) -> list[ListedTarget]:
    return [_listed(version, (usages or {}).get(version.target_id)) for version in versions]


def targets_to_start(user: User | AnonymousUser, workspace: Workspace) -> list[ListedTarget]:
    """What a new run may ask: everything that is not archived."""
    return listed(current_versions(user, workspace).filter(target__archived_at=None))


def target_detail(target: Target) -> TargetDetail:
    """The target as it is now, beside all its versions, newest first."""
    versions = versions_of(target)
    current = next(version for version in versions if version.number == target.current_number)
    usage = usage_by_target([target]).get(target.id)
    return TargetDetail(
        target=_listed(current, usage),
        settings=grouped_settings(current.parsed),
        secrets=secret_states(current.parsed.secret_names),
        versions=_version_rows(target, versions),
    )


def versions_of(target: Target) -> list[TargetVersion]:
    """Newest first."""
    return list(target.versions.select_related("target").order_by("-number"))


def usage_by_target(targets: Iterable[Target]) -> dict[str, Usage]:
    """By target id; `runs` is how runs relate to our versions."""
    versions = TargetVersion.objects.filter(target__in=[target.pk for target in targets])
    return _usages(versions, "target_id")


def secret_states(
    names: Iterable[str], environ: Mapping[str, str] | None = None
) -> tuple[SecretState, ...]:
    known = os.environ if environ is None else environ
    unique = dict.fromkeys(names)
    return tuple(
        SecretState(name=name, is_set=bool(known.get(name, "").strip())) for name in unique
    )


def where_of(spec: Spec) -> str:
    """The model and the address, for people."""
    if isinstance(spec, OpenAIChatSpec):
        return f"{spec.model} at {spec.base_url}"
    return spec.url if isinstance(spec, HttpJsonSpec) else ""


def _listed(version: TargetVersion, usage: Usage | None = None) -> ListedTarget:
    target, spec = version.target, version.parsed
    return ListedTarget(
        id=target.id,
        name=target.name,
        kind=target.kind,
        label=target.label,
        scripted=target.scripted,
        where=where_of(spec),
        model=spec.model if isinstance(spec, OpenAIChatSpec) else "",
        address=_address_of(spec),
        version_id=version.id,
        version=version.number,
        archived=target.archived_at is not None,
        spec=spec,
        usage=usage or Usage(),
    )


def _address_of(spec: Spec) -> str:
    if isinstance(spec, OpenAIChatSpec):
        return spec.base_url
    return spec.url if isinstance(spec, HttpJsonSpec) else ""


def _version_rows(target: Target, versions: list[TargetVersion]) -> tuple[VersionRow, ...]:
    usages = _usages(target.versions.all(), "pk")
    specs = {version.pk: version.parsed for version in versions}
    changes = {
        after.pk: changes_between(specs[before.pk], specs[after.pk])
        for after, before in pairwise(versions)
    }
    return tuple(
        VersionRow(
            id=version.pk,
            number=version.number,
            spec_sha256=version.spec_sha256,
            created_at=version.created_at,
            current=version.number == target.current_number,
            changes=changes.get(version.pk, ()),
            usage=usages.get(version.pk, Usage()),
        )
        for version in versions
    )


def _usages(versions: TargetVersionQuerySet, key: str) -> dict[str, Usage]:
    counted = (
        versions.order_by()
        .values(key)
        .annotate(
            asked=_runs_where_it_is("target"),
            judged=_runs_where_it_is("judge"),
            last_used_at=Max("runs__run__created_at"),
        )
    )
    return {row.pop(key): Usage(**row) for row in counted}


def _runs_where_it_is(role: str) -> Count:
    return Count("runs__run", distinct=True, filter=Q(runs__role=role))
