"""What leads do to a campaign after it was made: close, reopen, archive, change who labels."""

from collections.abc import Collection
from datetime import datetime
from typing import Unpack

from django.core.exceptions import ValidationError
from django.db import transaction

from apps.accounts.models import User
from apps.accounts.services import record as audit
from apps.accounts.services.audit import Door
from apps.labeling.desk import desks
from apps.labeling.members.people import NO_DESK
from apps.labeling.models import Assignment, Campaign, CampaignStep
from apps.labeling.nudging import ask_for
from apps.labeling.syncing import ask_for_all

from .creating import about_people, about_settlers
from .staffing import have_others_follow, wait_for_who_labels

State = Campaign.State
Step = CampaignStep.Name
CLOSABLE = (State.PREPARING, State.OPEN, State.FAILED)
ENDED = (State.CLOSED, State.FAILED)


def close(campaign: Campaign, *, by: User | None, now: datetime, **door: Unpack[Door]) -> None:
    """Nobody is asked any more; what people have said is read once more, and stays."""
    rows = Campaign.objects.of_the_desk().filter(pk=campaign.pk, state__in=CLOSABLE)
    with transaction.atomic():
        if rows.update(state=State.CLOSED, closed_at=now):
            audit(
                workspace=campaign.workspace, actor=by, verb="campaign.closed", obj=campaign, **door
            )
            ask_for(campaign.pk, Step.PUSH)
            ask_for(campaign.pk, Step.ANALYSE)  # nobody is waited for any more


def reopen(campaign: Campaign, *, by: User | None, **door: Unpack[Door]) -> None:
    """People may answer again; what was never pushed is prepared first."""
    rows = Campaign.objects.of_the_desk().filter(
        pk=campaign.pk, state=State.CLOSED, archived_at=None
    )
    to = State.OPEN if campaign.opened_at else State.PREPARING
    with transaction.atomic():
        if rows.update(state=to, closed_at=None):
            audit(
                workspace=campaign.workspace,
                actor=by,
                verb="campaign.reopened",
                obj=campaign,
                **door,
            )
            for step in (Step.PUSH, Step.SYNC) if to == State.OPEN else (Step.PREPARE,):
                ask_for(campaign.pk, step)
            ask_for(campaign.pk, Step.ANALYSE)
        elif rows.model.objects.filter(pk=campaign.pk).exclude(archived_at=None).exists():
            raise ValidationError("Restore the campaign first: it is archived.")


def try_again(campaign: Campaign, *, by: User | None, **door: Unpack[Door]) -> None:
    """Go on with a campaign that failed on its way to Argilla; what is there stays."""
    rows = Campaign.objects.of_the_desk().filter(pk=campaign.pk)
    with transaction.atomic():
        if rows.filter(state=State.FAILED).update(state=State.PREPARING):
            ask_for(campaign.pk, Step.PREPARE)
        elif rows.filter(state=State.OPEN).exists():
            ask_for(campaign.pk, Step.PUSH)
        else:
            return
        audit(workspace=campaign.workspace, actor=by, verb="campaign.retried", obj=campaign, **door)


def sync(campaign: Campaign) -> None:
    """Read from Argilla all that people have said, now: also what they took back."""
    if not campaign.opened_at:
        raise ValidationError(
            "Nothing of the campaign is in Argilla yet: there is nothing to read."
        )
    if not desks.people_label():
        raise ValidationError(f"{NO_DESK} Answers are read when it is on again.")
    ask_for_all(campaign)


def archive(campaign: Campaign, *, by: User | None, now: datetime, **door: Unpack[Door]) -> None:
    ended = Campaign.objects.filter(pk=campaign.pk, state__in=ENDED)
    with transaction.atomic():
        if ended.filter(archived_at=None).update(archived_at=now):
            audit(
                workspace=campaign.workspace,
                actor=by,
                verb="campaign.archived",
                obj=campaign,
                **door,
            )
        elif not ended.exists():
            raise ValidationError("Close the campaign first: people may still answer.")


def restore(campaign: Campaign, *, by: User | None, **door: Unpack[Door]) -> None:
    rows = Campaign.objects.filter(pk=campaign.pk).exclude(archived_at=None)
    with transaction.atomic():
        if rows.update(archived_at=None):
            audit(
                workspace=campaign.workspace,
                actor=by,
                verb="campaign.restored",
                obj=campaign,
                **door,
            )


def change_people(
    campaign: Campaign,
    people: Collection[User],
    settlers: Collection[User] = (),
    *,
    by: User | None,
    **door: Unpack[Door],
) -> None:
    """Exactly these label, and those of them settle; what others have said stays.

    An item of the calibration share waits for as many as now label. Argilla follows.
    """
    complaint = about_people(campaign.workspace, people, campaign.planned.min_submitted)
    complaint = complaint or about_settlers(people, settlers)
    if complaint:
        raise ValidationError({"people": complaint})
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        before = _told(campaign)
        campaign.assignments.exclude(user__in=people).delete()
        for user in people:
            Assignment.objects.update_or_create(
                campaign=campaign, user=user, defaults={"settles": user in settlers}
            )
        wait_for_who_labels(campaign)
        if (after := _told(campaign)) == before:
            return
        changes = {"people": [before, after]}
        audit(
            workspace=campaign.workspace,
            actor=by,
            verb="campaign.people_changed",
            obj=campaign,
            changes=changes,
            **door,
        )
        have_others_follow(campaign)


def _told(campaign: Campaign) -> list[str]:
    """Who labels, and who of them settles."""
    rows = campaign.assignments.order_by("user__username").values_list("user__username", "settles")
    return [f"{name} (settles)" if settles else name for name, settles in rows]
