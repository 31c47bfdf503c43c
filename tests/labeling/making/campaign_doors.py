"""A lead, and the addresses of the pages of campaigns."""

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.labeling.models import Campaign


@pytest.fixture
def lead(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def address(name: str, workspace: Workspace, campaign: Campaign | None = None) -> str:
    more = {"campaign_id": campaign.pk} if campaign else {}
    return reverse(f"labeling:{name}", kwargs={"slug": workspace.slug, **more})
