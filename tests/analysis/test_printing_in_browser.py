"""Pages on paper: what was found and nothing to press, in light colours, cut nowhere."""

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User, Workspace
from apps.runs.models import Run
from tests.browser import PageOpener, sign_in

from .comparing.pages import after, before, version
from .gates.building import MARGIN, a_decision, a_policy

__all__ = ["after", "before", "version"]

pytestmark = pytest.mark.browser

PAPER = {"width": 1030, "height": 700}
"""A4 on its side, less the margins, in CSS pixels."""
PRESSED = "button, .button, select, textarea, nav, .tabs, .filters, .menu, .top, .footer"
CUT = """
() => [...document.querySelectorAll("main :is(.table-scroll, .said, pre)")]
  .filter(one => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
  .map(one => one.getAttribute("aria-label"))
"""
GROUND = "getComputedStyle(document.querySelector('main .card, main .answer')).backgroundColor"
WHITE = "rgb(255, 255, 255)"


@pytest.fixture
def printed(open_page: PageOpener, alice: User) -> Page:
    """A page as a printer gets it, of somebody who reads dark pages."""
    page = open_page(scheme="dark")
    sign_in(page, alice)
    page.context.add_cookies(
        [{"name": "theme", "value": "dark", "domain": "localhost", "path": "/"}]
    )
    page.set_viewport_size(PAPER)
    page.emulate_media(media="print")
    return page


def test_what_people_print_is_readable(
    printed: Page, workspace: Workspace, before: Run, after: Run, alice: User
) -> None:
    decision = a_decision(after, a_policy(workspace, by=alice, **MARGIN), before, by=alice)
    for place in (
        f"compare/?run={before.pk}&run={after.pk}",
        f"runs/{after.pk}/",
        f"gates/decisions/{decision.pk}/",
    ):
        printed.goto(f"/w/demo/{place}")

        expect(printed.get_by_role("heading", level=1)).to_be_visible()
        pressed = printed.locator(PRESSED).filter(visible=True)
        assert pressed.evaluate_all("all => all.map(one => one.outerHTML.slice(0, 120))") == []
        assert printed.evaluate(CUT) == [], place
        assert printed.evaluate("document.documentElement.dataset.theme") == "dark"
        assert printed.evaluate(GROUND) == WHITE, place


def test_why_a_verdict_is_what_it_is_stands_on_paper(
    printed: Page, before: Run, after: Run
) -> None:
    printed.goto(f"/w/demo/compare/?run={before.pk}&run={after.pk}")

    table = printed.get_by_role("region", name="Differences by metric")
    expect(table.get_by_text("25 better and 5 worse of 99").first).to_be_visible()
    expect(printed.get_by_text("Compare against this")).to_be_hidden()


def test_several_pictures_share_a_page_and_none_is_cut(
    printed: Page, before: Run, after: Run
) -> None:
    printed.goto(f"/w/demo/compare/?run={before.pk}&run={after.pk}")

    pictures = printed.locator(".card:has(.picture)")
    boxes = [box for box in (each.bounding_box() for each in pictures.all()) if box]
    assert len(boxes) > 1
    assert max(box["height"] for box in boxes) < PAPER["height"] / 2
    assert len({box["x"] for box in boxes}) == 2, "side by side"
    kept = "all => all.map(one => getComputedStyle(one).breakInside)"
    assert set(pictures.evaluate_all(kept)) == {"avoid"}


def test_on_upright_paper_tables_are_tables_with_their_intervals(
    printed: Page, before: Run, after: Run
) -> None:
    printed.set_viewport_size({"width": 720, "height": 1000})

    printed.goto(f"/w/demo/compare/?run={before.pk}&run={after.pk}")

    table = printed.get_by_role("region", name="Differences by metric")
    row = table.get_by_role("row").nth(1)
    expect(table.get_by_role("columnheader", name="Verdict")).to_be_in_viewport()
    expect(row.locator("svg.whisker")).to_be_visible()
    boxes = [row.get_by_role("rowheader").bounding_box(), row.locator("td").last.bounding_box()]
    assert len({box["y"] for box in boxes if box}) == 1, "beside each other"


def test_paper_says_which_decision_it_is(
    printed: Page, workspace: Workspace, after: Run, before: Run, alice: User
) -> None:
    decision = a_decision(after, a_policy(workspace, by=alice, **MARGIN), before, by=alice)

    printed.goto(f"/w/demo/gates/decisions/{decision.pk}/")

    expect(printed.get_by_role("heading", level=1)).to_contain_text("Decision on")
    expect(printed.get_by_text(decision.pk, exact=True)).to_be_visible()
