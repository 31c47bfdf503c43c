"""The page of judges in a real browser: matrix and rates are read, a fault is declared by hand."""

import re

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User, Workspace
from apps.labeling.models import Campaign
from tests.browser import NARROW, WIDE, PageOpener, assert_accessible, sign_in

from .building import computed, held

pytestmark = pytest.mark.browser

HUMAN = [True] * 15 + [False] * 10
JUDGE = [0.9] * 12 + [0.1] * 3 + [0.8] * 4 + [0.2] * 6


@pytest.fixture
def campaign(workspace: Workspace) -> Campaign:
    return held(workspace, HUMAN, JUDGE)


def address(campaign: Campaign) -> str:
    return f"/w/demo/labeling/{campaign.pk}/judges/"


def test_a_lead_says_that_yes_speaks_against_an_answer(
    page: Page, campaign: Campaign, alice: User
) -> None:
    sign_in(page, alice)
    page.goto(address(campaign))
    expect(
        page.get_by_role("img", name="of 16 that the judge passes, people pass 12")
    ).to_be_visible()

    page.get_by_role("link", name="Change what passes").press("Enter")
    page.get_by_label("Yes speaks against the answer").press("Space")
    page.get_by_role("button", name="Keep and compute again").press("Enter")
    expect(page.get_by_text("is computed again")).to_be_visible()
    computed(campaign)
    page.reload()

    expect(page.get_by_text("People pass an answer where they say no")).to_be_visible()
    matrix = page.get_by_role("img", name="that the judge passes, people pass 4")
    expect(matrix).to_have_attribute("aria-label", re.compile("judge fails, people pass 6"))


def test_the_numbers_of_a_picture_are_downloaded_from_the_page_itself(
    page: Page, campaign: Campaign, alice: User
) -> None:
    sign_in(page, alice)
    page.goto(address(campaign))

    page.get_by_text("In words, and as data").first.press("Enter")
    with page.expect_download() as download:
        page.get_by_role("link", name="Data as CSV").first.press("Enter")

    assert download.value.suggested_filename.endswith("-and-people.csv")
    lines = download.value.path().read_text().splitlines()
    assert lines[:2] == ["judge,people,count,share of the row", "Judge passes,People pass,12,0.75"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_judges_and_their_run_are_accessible_and_fit(
    open_page: PageOpener, campaign: Campaign, alice: User, width: int, scheme: str
) -> None:
    page = open_page(width, scheme)
    sign_in(page, alice)

    for place in (address(campaign), f"/w/demo/runs/{campaign.run_id}/"):
        page.goto(place)

        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
