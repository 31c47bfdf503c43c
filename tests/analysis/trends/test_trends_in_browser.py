"""Trends, the leaderboard and its flaky records in a real browser: by keyboard, in both themes."""

import re

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User, Workspace
from tests.browser import (
    NARROW,
    WIDE,
    PageOpener,
    assert_accessible,
    assert_drawn_under_the_name,
    sign_in,
)
from tests.runs import building

from .building import a_run, in_a_row, passing, rivals

pytestmark = pytest.mark.browser
RIVALS = {"steady": 36, "quick": 20, "cheap": 19, "old": 15, "odd": 12, "new": 28, "tiny": 9}


def test_a_metric_is_chosen_and_the_address_says_so(
    page: Page, workspace: Workspace, alice: User
) -> None:
    in_a_row(workspace, *range(15, 39, 4))
    sign_in(page, alice)
    page.goto("/w/demo/trends/")
    expect(page.get_by_text("Improving")).to_be_visible()

    page.get_by_label("Metric").focus()
    page.get_by_label("Metric").select_option("latency_p95")

    expect(page.get_by_role("heading", name="Latency p95 over 6 runs")).to_be_visible()
    expect(page).to_have_url(re.compile("metric=latency_p95"))
    expect(page.get_by_label("Metric")).to_be_focused()


def test_runs_of_a_board_are_ticked_and_compared(
    page: Page, workspace: Workspace, alice: User
) -> None:
    rivals(workspace, solid=55, weak=31, third=30)
    sign_in(page, alice)
    page.goto("/w/demo/leaderboard/")

    for box in page.get_by_role("checkbox", name=re.compile("Compare")).all()[:2]:
        box.press("Space")
    page.get_by_role("button", name="Compare these").press("Enter")

    expect(page).to_have_url(re.compile(r"/compare/\?run=.*&run="))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_pages_are_accessible_and_fit(
    open_page: PageOpener, workspace: Workspace, alice: User, width: int, scheme: str
) -> None:
    in_a_row(workspace, *range(15, 39, 4))
    version = building.make_version(workspace, 40)
    for day, (target, count) in enumerate(RIVALS.items(), 8):
        a_run(workspace, passing(count, 40), version, day=day, target=target)
    page = open_page(width, scheme)
    sign_in(page, alice)

    for place in ("trends", "leaderboard", "leaderboard/flickering"):
        page.goto(f"/w/demo/{place}/")

        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_a_narrow_screen_each_interval_is_drawn_under_its_name(
    open_page: PageOpener, workspace: Workspace, alice: User
) -> None:
    rivals(workspace, solid=55, weak=31, third=30)
    page = open_page(NARROW)
    sign_in(page, alice)

    page.goto("/w/demo/leaderboard/")
    assert_drawn_under_the_name(page.get_by_role("region", name="Leaderboard"))
    page.goto("/w/demo/trends/?mixed=on")
    assert_drawn_under_the_name(page.get_by_role("region", name="Runs of the trend"))
