"""The page of planning in a real browser: a plan by hand, accessible, at every width."""

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User, Workspace
from tests.analysis.building import held
from tests.browser import NARROW, WIDE, PageOpener, assert_accessible, sign_in
from tests.runs.building import FAILED_CONTRACT, PASSED, ended_run, make_version

pytestmark = pytest.mark.browser


@pytest.fixture
def runs(workspace: Workspace) -> None:
    held(workspace, [True] * 15 + [False] * 10, [0.9] * 60 + [0.2] * 80)
    version = make_version(workspace, 200)
    ended_run(workspace, [PASSED] * 4 + [FAILED_CONTRACT], version=version, name="first")
    ended_run(workspace, [PASSED] * 9 + [FAILED_CONTRACT], version=version, name="second")


def test_a_plan_is_made_by_the_keyboard_and_its_address_keeps_it(
    page: Page, runs: None, alice: User
) -> None:
    sign_in(page, alice)
    page.goto("/w/demo/planning/")

    page.get_by_label("Difference, in points").fill("10")
    page.get_by_label("Second run").select_option(index=2)
    page.get_by_role("button", name="Plan").press("Enter")

    expect(page.get_by_text("Measured: 10.0 % of the 200 records")).to_be_visible()
    assert "points=10" in page.url
    page.reload()
    expect(page.get_by_role("row", name="10 points wanted")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_plan_is_accessible_and_fits(
    open_page: PageOpener, workspace: Workspace, runs: None, alice: User, width: int, scheme: str
) -> None:
    page = open_page(width, scheme)
    sign_in(page, alice)
    recorded = workspace.runs.get(kind="recorded").pk

    for query in ("", "?points=0", f"?run={recorded}"):
        page.goto(f"/w/demo/planning/{query}")

        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
