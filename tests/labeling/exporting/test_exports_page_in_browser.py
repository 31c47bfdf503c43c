"""The page of exports in a real browser: made by keyboard, followed without a reload, verified."""

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User, Workspace
from apps.labeling.models import Export
from tests.browser import NARROW, PageOpener, assert_accessible, sign_in
from tests.labeling.exported import exported
from tests.labeling.labelled import a_campaign, say
from tests.runs.conftest import work_on

pytestmark = pytest.mark.browser


def test_an_export_appears_by_itself_when_a_worker_has_written_it(
    page: Page, workspace: Workspace, alice: User
) -> None:
    campaign = a_campaign(workspace)
    say(campaign.questions.get(), "bob", ["true", "false"])
    sign_in(page, alice)
    page.goto(f"/w/demo/labeling/{campaign.pk}/exports/")

    page.get_by_label("Lines:").press("Space")
    page.get_by_role("button", name="Export", exact=True).press("Enter")
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    work_on(Export.objects.get(form="lines"))

    expect(page.get_by_role("link", name="labels.jsonl")).to_be_visible()
    page.get_by_role("button", name="Verify").click()
    expect(page.get_by_text("nothing is missing or changed")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_and_fits_a_narrow_screen(
    open_page: PageOpener, workspace: Workspace, alice: User, scheme: str
) -> None:
    campaign = a_campaign(workspace)
    say(campaign.questions.get(), "bob", ["true", "false"])
    exported(campaign, "labels", by=alice)
    page = open_page(NARROW, scheme)
    sign_in(page, alice)

    page.goto(f"/w/demo/labeling/{campaign.pk}/exports/")

    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW
