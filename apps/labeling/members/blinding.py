"""Who labels blind: a reviewer opens no scores of the answers that they are asked about."""

from collections.abc import Iterable

from django.db.models import Q

from apps.accounts.models import Membership, User, Workspace
from apps.accounts.permissions import Role
from apps.labeling.models import Campaign, Item
from apps.labeling.models.campaigns import CampaignQuerySet

ASKED = (Campaign.State.PREPARING, Campaign.State.OPEN, Campaign.State.FAILED)
"""Also what failed: it goes on when a lead tries again, unless it is closed or archived."""


def labelling_blind(user: User) -> CampaignQuerySet:
    """The campaigns that ask this person, a reviewer of their workspace, blind at present."""
    reviewed = Membership.objects.filter(user=user, role=Role.REVIEWER).values("workspace")
    return Campaign.objects.labelled_by(user).filter(
        blind=True, state__in=ASKED, archived_at=None, workspace__in=reviewed
    )


def concealed_runs(user: User) -> Q:
    """Every run over a dataset whose answers this person labels blind.

    Also over those that hidden known answers are from: they are what the person is measured on.
    """
    campaigns = labelling_blind(user)
    hidden = Item.objects.filter(campaign__in=campaigns, probability=None)
    return Q(dataset_version__dataset__in=campaigns.values("run__dataset_version__dataset")) | Q(
        dataset_version__dataset__in=hidden.values("result__run__dataset_version__dataset")
    )


def sighted(users: Iterable[User], workspace: Workspace) -> list[User]:
    """Those of them who open every score all the same: its leads and admins."""
    members = workspace.memberships.filter(user__in=list(users)).exclude(role=Role.REVIEWER)
    return [member.user for member in members.select_related("user").order_by("user__username")]
