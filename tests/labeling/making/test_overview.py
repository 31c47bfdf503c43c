"""What a campaign's first page tells while Argilla is being filled, and after."""

from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.jobs.models import JobState
from apps.labeling.models import Campaign, CampaignStep, DeskRecord
from apps.labeling.nudging import ask_for
from apps.labeling.progress import PersonProgress, steps_under_way
from tests.labeling.building import a_campaign

NOW = datetime(2026, 3, 5, 12, tzinfo=UTC)


@pytest.fixture
def campaign(workspace: Workspace, alice: User) -> Campaign:
    made = a_campaign(workspace, alice)
    Campaign.objects.filter(pk=made.pk).update(state="open", opened_at=NOW)
    made.steps.update(state=JobState.DONE)
    made.refresh_from_db()
    return made


def test_the_sample_is_there_as_soon_as_the_campaign_is_open(
    campaign: Campaign, alice: User, client: Client
) -> None:
    client.force_login(alice)

    answer = client.get(
        reverse("labeling:campaign", args=["demo", campaign.pk]),
        headers={"HX-Request": "true", "HX-Target": "campaign_progress"},
    )

    page = answer.content.decode()
    assert '<aside id="aside" class="stack" hx-swap-oob="true">' in page
    assert "Probability" in page


def test_closing_tells_of_nothing_on_its_way_that_is_there(campaign: Campaign) -> None:
    ask_for(campaign.pk, CampaignStep.Name.PUSH)
    before = [each.step for each in steps_under_way(campaign)]

    DeskRecord.objects.update(pushed_at=NOW)

    assert before == ["push"]
    assert steps_under_way(campaign) == []


def test_pace_is_told_in_answers_an_hour() -> None:
    person = PersonProgress("Bob", False, 6, 0, NOW, seconds=6.0)

    assert person.per_hour == 600
