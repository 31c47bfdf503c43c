"""Asking for an export, stopping it, and finding the campaign that a caller named."""

from typing import Unpack

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models.functions import Now

from apps.accounts.models import User, Workspace
from apps.accounts.services import record as audit
from apps.accounts.services.audit import Door
from apps.datasets.naming import version_named
from apps.jobs.models import OPEN, JobState
from apps.jobs.services import send_due
from apps.labeling.making.naming import campaign_called
from apps.labeling.models import Campaign, Export


def start_export(
    campaign: Campaign,
    *,
    form: str,
    include_discarded: bool = False,
    by: User | None,
    **door: Unpack[Door],
) -> Export:
    """A worker writes it; each is a bundle of its own, as of its own moment."""
    if form not in Export.Form.values:
        raise ValidationError(f"{form} is no form of export: {', '.join(Export.Form.values)}.")
    with transaction.atomic():
        export = Export.objects.create(
            campaign=campaign, form=form, include_discarded=include_discarded, created_by=by
        )
        audit(workspace=campaign.workspace, actor=by, verb="exported", obj=export, **door)
        transaction.on_commit(_send)
    return export


def cancel_export(export: Export, *, by: User | None, **door: Unpack[Door]) -> bool:
    """Nothing more is written; False when it had ended already."""
    with transaction.atomic():
        rows = Export.objects.filter(pk=export.pk, state__in=OPEN)
        if not rows.update(state=JobState.CANCELLED, lease="", lease_until=None, finished_at=Now()):
            return False
        workspace = export.campaign.workspace
        audit(workspace=workspace, actor=by, verb="cancelled", obj=export, **door)
    return True


def campaign_named(workspace: Workspace, name: str) -> Campaign:
    """By its id or its name; of a dataset the campaign of what was imported about it."""
    return campaign_called(workspace, name) or _imported(workspace, name)


def _imported(workspace: Workspace, name: str) -> Campaign:
    try:
        version = version_named(workspace, name)
    except ValidationError:
        raise ValidationError(
            f"There is no campaign and no dataset {name!r} here: see `evalhub campaign status`."
        ) from None
    about = Campaign.objects.filter(workspace=workspace, run__dataset_version=version)
    found = about.filter(kind=Campaign.Kind.IMPORT).first()
    if found is None:
        names = ", ".join(about.order_by("-pk").values_list("name", flat=True)[:5])
        there = f" Its campaigns are: {names}." if names else ""
        raise ValidationError(f"No labels were imported about {version}.{there}")
    return found


def _send() -> None:
    send_due(Export)
