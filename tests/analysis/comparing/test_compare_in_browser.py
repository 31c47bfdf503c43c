"""Comparing in a real browser: by keyboard from the runs to one record and back; narrow, dark."""

import re

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User
from apps.runs.models import Run
from tests.browser import (
    NARROW,
    WIDE,
    PageOpener,
    assert_accessible,
    assert_drawn_under_the_name,
    sign_in,
)

from .pages import after, before, version

__all__ = ["after", "before", "version"]

pytestmark = pytest.mark.browser


def query(before: Run, after: Run) -> str:
    return f"?run={before.pk}&run={after.pk}"


def test_from_the_runs_to_a_record_that_got_worse_by_keyboard(
    page: Page, before: Run, after: Run, alice: User
) -> None:
    sign_in(page, alice)
    page.goto("/w/demo/runs/")
    page.get_by_role("checkbox", name="Compare v14 prompt").press("Space")
    page.get_by_role("checkbox", name="Compare v15 prompt").press("Space")

    page.get_by_role("button", name="Compare these").press("Enter")
    expect(page.get_by_role("heading", name="v15 prompt against v14 prompt")).to_be_visible()
    expect(page.get_by_role("heading", name="Better")).to_be_visible()
    by_pass_rate = page.get_by_role("row").filter(has=page.get_by_role("link", name="Pass rate"))
    by_pass_rate.get_by_role("link", name="5 worse").press("Enter")
    page.get_by_role("link", name="ticket-00055").press("Enter")

    panel = page.get_by_role("dialog", name="Details")
    expect(panel.get_by_role("heading", name="ticket-00055")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(panel.get_by_role("heading", name="ticket-00056")).to_be_visible()
    panel.get_by_role("link", name="Full").press("Enter")
    expect(panel.get_by_role("link", name="Full")).to_have_attribute("aria-current", "true")
    page.keyboard.press("ArrowLeft")
    expect(panel.get_by_role("heading", name="ticket-00055")).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="ticket-00055")).to_be_focused()
    page.get_by_role("link", name="v15 prompt against v14 prompt").press("Enter")
    expect(page.get_by_role("heading", name="Better")).to_be_visible()


def test_the_address_shows_the_record_that_is_open_and_back_closes_it(
    page: Page, before: Run, after: Run, alice: User
) -> None:
    sign_in(page, alice)
    page.goto(f"/w/demo/compare/records/{query(before, after)}&move=worse")
    listed = page.url
    panel = page.get_by_role("dialog", name="Details")

    page.get_by_role("link", name="ticket-00055").click()
    expect(page).to_have_url(re.compile(r"move=worse.*&record=55"))
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("record=56"))
    panel.get_by_role("link", name="Full").click()
    expect(page).to_have_url(re.compile("record=56.*full=1"))
    page.go_back()

    expect(panel).to_be_hidden()
    expect(page).to_have_url(listed)
    page.go_forward()
    expect(panel.get_by_role("heading", name="ticket-00056")).to_be_visible()
    expect(panel.get_by_role("link", name="Full")).to_have_attribute("aria-current", "true")


def test_a_copied_address_opens_the_same_record_and_closes_to_the_list(
    page: Page, before: Run, after: Run, alice: User
) -> None:
    sign_in(page, alice)
    page.goto(f"/w/demo/compare/records/{query(before, after)}&move=worse&record=57")

    panel = page.get_by_role("dialog", name="Details")
    expect(panel.get_by_role("heading", name="ticket-00057")).to_be_visible()
    page.reload()
    expect(panel.get_by_role("heading", name="ticket-00057")).to_be_visible()
    page.keyboard.press("Escape")

    expect(panel).to_be_hidden()
    expect(page).to_have_url(re.compile(r"move=worse$"))
    page.get_by_role("link", name="ticket-00056").click()
    expect(page).to_have_url(re.compile("record=56"))
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"move=worse$"))
    expect(page.get_by_role("link", name="ticket-00056")).to_be_focused()


def test_runs_that_are_ticked_stay_ticked_while_the_table_is_filtered(
    page: Page, before: Run, after: Run, alice: User
) -> None:
    sign_in(page, alice)
    page.goto("/w/demo/runs/")
    ticked = page.get_by_role("checkbox", name="Compare v14 prompt")
    ticked.check()

    page.locator("select[name=state]").select_option("completed")
    expect(page.get_by_role("checkbox", name="Compare v15 prompt")).to_be_hidden()

    expect(ticked).to_be_checked()
    page.get_by_role("button", name="Clear").click()
    expect(ticked).not_to_be_checked()
    expect(page.get_by_role("button", name="Compare these")).to_be_hidden()


def test_without_scripts_runs_are_chosen_and_compared(
    open_page: PageOpener, before: Run, after: Run, alice: User
) -> None:
    page = open_page(js=False)
    sign_in(page, alice)
    page.goto(f"/w/demo/compare/?run={before.pk}")

    page.get_by_role("checkbox", name="Compare v15 prompt").check()
    page.get_by_role("button", name="Compare the ticked runs").click()
    page.get_by_role("link", name="5 worse").first.click()
    page.get_by_role("link", name="ticket-00055").click()

    expect(page.get_by_role("heading", name="ticket-00055")).to_be_visible()
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("heading", name="ticket-00056")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_pages_of_comparing_are_accessible_and_fit(
    open_page: PageOpener, before: Run, after: Run, alice: User, width: int, scheme: str
) -> None:
    page = open_page(width, scheme)
    sign_in(page, alice)
    these = query(before, after)

    for place in (
        "/w/demo/runs/",
        "/w/demo/compare/",
        f"/w/demo/compare/{these}",
        f"/w/demo/compare/records/{these}&move=different",
        f"/w/demo/compare/records/55/{these}&move=worse",
    ):
        page.goto(place)

        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, place


def test_a_picture_gives_its_numbers(page: Page, before: Run, after: Run, alice: User) -> None:
    sign_in(page, alice)
    page.goto(f"/w/demo/compare/{query(before, after)}")

    page.get_by_text("In words, and as data").first.click()

    link = page.get_by_role("link", name="Data as CSV").first
    expect(link).to_have_attribute("download", re.compile(r"\.csv$"))


def test_on_a_narrow_screen_each_difference_is_drawn_under_its_name(
    open_page: PageOpener, before: Run, after: Run, alice: User
) -> None:
    page = open_page(NARROW)
    sign_in(page, alice)

    page.goto(f"/w/demo/compare/{query(before, after)}")

    for table in ("Differences by metric", "Pass rate by"):
        region = page.get_by_role("region", name=table)
        assert_drawn_under_the_name(region)


def test_the_first_column_of_the_runs_is_a_cell_like_the_others(
    page: Page, before: Run, after: Run, alice: User
) -> None:
    sign_in(page, alice)

    page.goto(f"/w/demo/compare/{query(before, after)}")

    row = page.get_by_role("region", name="The runs that are compared").get_by_role("row").last
    name = row.get_by_role("rowheader").bounding_box()
    state = row.locator("td").first.bounding_box()
    assert name is not None
    assert state is not None
    assert name["x"] + name["width"] == pytest.approx(state["x"], abs=1)
    assert name["height"] == pytest.approx(state["height"], abs=1)
