"""The page of a campaign's labels as leads see it: readable, narrowed in place."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from apps.accounts.models import User, Workspace
from apps.labeling.models import Campaign
from apps.labeling.syncing import sync_now
from tests.browser import NARROW, PageOpener, assert_accessible, screenshot, sign_in
from tests.labeling.at_the_desk import Labeller, opened
from tests.labeling.building import a_campaign
from tests.labeling.fake_desk import FakeDesk, fake_desk

__all__ = ["fake_desk"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SOUND = {"topically_relevant": "true", "evidence_sufficient": "true", "misleading": "false"}


@pytest.fixture
def campaign(workspace: Workspace, alice: User, bob: User, fake_desk: FakeDesk) -> Campaign:
    """With changes, notes, an answer taken back, two that contradict themselves, a stranger's."""
    made = a_campaign(workspace, alice, alice, bob, tasks=("retrieval_full", "relevance"))
    campaign = opened(made, fake_desk)
    passages = Labeller(fake_desk, campaign, "bob", "retrieval_full")
    passages.says(0, **SOUND, notes="The passage names the sixty days.")
    passages.says(1, **{**SOUND, "topically_relevant": "false"})
    passages.says(2, **{**SOUND, "misleading": "true"})
    answers = Labeller(fake_desk, campaign, "alice", "relevance")
    answers.says(0, label="true")
    answers.says(1, label="false")
    sync_now(campaign)
    answers.discards(0, discard_reason="unclear", notes="Which lamp?")
    answers.drafts(1, label="true")
    stranger = fake_desk.person("argilla", "The owner")
    fake_desk.workspaces[campaign.desk_name].add(stranger.id)
    Labeller(fake_desk, campaign, "argilla", "relevance").says(2, label="true")
    sync_now(campaign)
    return campaign


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (1440, "dark"), (NARROW, "light")])
def test_labels_are_readable(
    open_page: PageOpener, campaign: Campaign, alice: User, width: int, scheme: str
) -> None:
    page = open_page(width, scheme)
    sign_in(page, alice)

    page.goto(reverse("labeling:labels", args=["demo", campaign.pk]))

    expect(page.get_by_text("1 answer in Argilla could not be kept")).to_be_visible()
    page.get_by_text("1 change").first.click()
    assert_accessible(page)
    screenshot(page, f"labels-{width}-{scheme}")


def test_labels_are_narrowed_in_place(
    open_page: PageOpener, campaign: Campaign, alice: User
) -> None:
    page = open_page()
    sign_in(page, alice)
    page.goto(reverse("labeling:labels", args=["demo", campaign.pk]))

    page.get_by_label("State").select_option("blocked")

    rows = page.locator("#labels_list tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("Does not count")
    assert "state=blocked" in page.url
