"""The API's judges: the numbers of the page."""

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.analysis.models import Calibration
from apps.labeling.models import Campaign

from .building import held, the_line

HUMAN = [True] * 15 + [False] * 10
JUDGE = [0.9] * 12 + [0.1] * 3 + [0.8] * 4 + [0.2] * 6


@pytest.fixture
def campaign(workspace: Workspace) -> Campaign:
    return held(workspace, HUMAN, JUDGE)


def address(campaign: Campaign) -> str:
    return f"{reverse('api:campaign-judges', args=[campaign.pk])}?workspace=demo"


def test_the_numbers_are_those_of_the_page(campaign: Campaign, alice: User, client: Client) -> None:
    client.force_login(alice)

    answer = client.get(address(campaign)).json()

    [judge] = answer["judges"]
    assert (answer["campaign_id"], answer["is_computing"]) == (campaign.pk, False)
    assert judge["numbers"] == the_line(campaign).numbers.model_dump(mode="json")
    assert judge["numbers"]["confusion"]["true_pass"] == 12
    assert (judge["task_type"], judge["rule"], judge["method"]) == (
        *("grounding", "grounding", "model_based"),
    )
    assert (judge["matched"], judge["is_calibrated"], judge["conflicts"]) == (True, True, 7)


def test_judges_that_ask_something_else_are_told_as_such(
    workspace: Workspace, alice: User, client: Client
) -> None:
    campaign = held(workspace, HUMAN, JUDGE, family="relevance")
    client.force_login(alice)

    [judge] = client.get(address(campaign)).json()["judges"]

    assert (judge["matched"], judge["is_calibrated"]) == (False, False)


def test_a_campaign_without_judges_has_none(
    campaign: Campaign, alice: User, client: Client
) -> None:
    Calibration.objects.all().delete()
    client.force_login(alice)

    assert client.get(address(campaign)).json()["judges"] == []


def test_reviewers_do_not_see_what_others_said(
    campaign: Campaign, bob: User, client: Client
) -> None:
    client.force_login(bob)

    assert client.get(address(campaign)).status_code == 403
