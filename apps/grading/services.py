"""What changes grading contracts: drafts are edited, used versions are not."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Unpack

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from apps.accounts.models import User, Workspace
from apps.accounts.services.archiving import set_archived
from apps.accounts.services.audit import Door, record
from apps.fields import check_name

from . import documents
from .models import ContractVersion, GradingContract
from .reading.texts import SpecError, read_document
from .spec import ContractSpec

MAX_NAME = 120
MAX_DESCRIPTION = 5_000


class DraftStands(ValidationError):
    """An import would replace a draft."""


def parse_spec(source: str | Mapping[str, Any]) -> ContractSpec:
    """The contract in JSON or YAML text or in an object; ValidationError with every problem."""
    try:
        return documents.read_spec(source)
    except SpecError as error:
        raise ValidationError(list(error.problems)) from error


def parse_named(text: str) -> tuple[str, ContractSpec]:
    """The key `name` of a JSON or YAML text ("" without) and its contract, as in `parse_spec`."""
    try:
        document = read_document(text)
    except SpecError as error:
        raise ValidationError(list(error.problems)) from error
    name = document.pop("name", "")
    if not isinstance(name, str):
        raise ValidationError("name: must be a text; put it in quotes if it is a number.")
    return _known_name(name), parse_spec(document)


@transaction.atomic
def create_contract(
    *,
    workspace: Workspace,
    name: str,
    spec: ContractSpec,
    by: User | None,
    now: datetime,
    description: str = "",
    **door: Unpack[Door],
) -> GradingContract:
    """A contract whose version 1 is a draft; ValidationError where the name is taken."""
    contract = _named(workspace, name, description=description, by=by, now=now)
    _add_version(contract, spec, by=by, now=now)
    record(workspace=workspace, actor=by, verb="contract.created", obj=contract, **door)
    return contract


@transaction.atomic
def save_version(
    *,
    contract: GradingContract,
    spec: ContractSpec,
    by: User | None,
    now: datetime,
    **door: Unpack[Door],
) -> ContractVersion:
    """Edit the draft, or add the next number where the latest version is locked.

    Saving what the latest version already says changes nothing.
    """
    contract = GradingContract.objects.select_for_update().get(pk=contract.pk)
    if contract.archived_at is not None:
        raise ValidationError(f"{contract} is archived. Restore it before you change it.")
    latest = contract.versions.latest("number")
    if latest.spec_sha256 == spec.sha256:
        return latest
    version = _edited(latest, spec, by=by, now=now) or _add_version(contract, spec, by=by, now=now)
    changes = {"spec_sha256": [latest.spec_sha256, version.spec_sha256]}
    record(
        workspace=contract.workspace,
        actor=by,
        verb="contract.saved",
        obj=version,
        changes=changes,
        **door,
    )
    return version


def lock_version(*, version: ContractVersion, now: datetime) -> ContractVersion:
    """The version as it was locked, now or earlier: what a run may rely on for good."""
    ContractVersion.objects.drafts().filter(pk=version.pk).update(locked_at=now)
    return ContractVersion.objects.select_related("contract").get(pk=version.pk)


def archive_contract(
    *, contract: GradingContract, by: User | None, now: datetime, **door: Unpack[Door]
) -> None:
    """Out of the lists and no longer to be used; runs that used it keep it."""
    set_archived(
        contract, now, workspace=contract.workspace, by=by, verb="contract.archived", **door
    )


def restore_contract(*, contract: GradingContract, by: User | None, **door: Unpack[Door]) -> None:
    set_archived(
        contract, None, workspace=contract.workspace, by=by, verb="contract.restored", **door
    )


@transaction.atomic
def import_contract(
    *,
    workspace: Workspace,
    text: str,
    by: User | None,
    now: datetime,
    name: str = "",
    replace_draft: bool = False,
    **door: Unpack[Door],
) -> ContractVersion:
    """Create or change the contract of that name (else of the text's key `name`).

    A draft that says something else is replaced only where `replace_draft` says so.
    """
    own_name, spec = parse_named(text)
    name = name or own_name
    known = GradingContract.objects.filter(workspace=workspace, name=_clean_name(name)).first()
    if known is not None:
        _check_draft(known, spec, replace_draft)
        return save_version(contract=known, spec=spec, by=by, now=now, **door)
    contract = create_contract(workspace=workspace, name=name, spec=spec, by=by, now=now, **door)
    return contract.versions.get()


def _check_draft(contract: GradingContract, spec: ContractSpec, replace_draft: bool) -> None:
    draft = contract.versions.drafts().first()
    if draft is not None and not replace_draft and draft.spec_sha256 != spec.sha256:
        raise DraftStands(
            f"{draft} is a draft that no run has used, and says something else: it would be lost. "
            "Import under another name, or say that the draft is to be replaced."
        )


def _named(
    workspace: Workspace, name: str, *, description: str, by: User | None, now: datetime
) -> GradingContract:
    if len(description) > MAX_DESCRIPTION:
        raise ValidationError(f"The description has more than {MAX_DESCRIPTION:,} characters.")
    name = _clean_name(name)
    try:
        with transaction.atomic():
            return GradingContract.objects.create(
                workspace=workspace,
                name=name,
                description=description,
                created_by=by,
                created_at=now,
            )
    except IntegrityError as error:
        raise ValidationError(f"There is already a contract named {name!r} here.") from error


def _clean_name(name: str) -> str:
    name = _known_name(name)
    if not name:
        raise ValidationError("Give the contract a name.")
    return name


def _known_name(name: str) -> str:
    """The name that was given, which may be none."""
    name = " ".join(name.split())
    if len(name) > MAX_NAME:
        raise ValidationError(f"A name has at most {MAX_NAME} characters.")
    check_name(name)
    return name


def _add_version(
    contract: GradingContract, spec: ContractSpec, *, by: User | None, now: datetime
) -> ContractVersion:
    latest = contract.versions.order_by("-number").first()
    return ContractVersion.objects.create(
        contract=contract,
        number=latest.number + 1 if latest else 1,
        spec=spec.canonical.decode(),
        spec_sha256=spec.sha256,
        created_by=by,
        created_at=now,
    )


def _edited(
    version: ContractVersion, spec: ContractSpec, *, by: User | None, now: datetime
) -> ContractVersion | None:
    """The version with the new spec, or None where it is locked, perhaps just now."""
    changed = (
        ContractVersion.objects.drafts()
        .filter(pk=version.pk)
        .update(
            spec=spec.canonical.decode(), spec_sha256=spec.sha256, created_by=by, created_at=now
        )
    )
    return ContractVersion.objects.get(pk=version.pk) if changed else None
