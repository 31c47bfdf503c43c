"""The table of runs in a real browser: nothing moves under the pointer, and a row stays low."""

import pytest
from playwright.sync_api import Locator, expect

from apps.accounts.models import User, Workspace
from apps.datasets.models import Dataset
from apps.grading.models import ContractVersion
from tests.browser import NARROW, WIDE, PageOpener, assert_accessible, sign_in

from . import building

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HIGHEST_ROW = 190


@pytest.fixture(autouse=True)
def judged_runs(workspace: Workspace, alice: User, judged: ContractVersion) -> None:
    version = building.make_version(workspace, 12)
    for name in ("first", "second", "third"):
        building.ended_run(workspace, by=alice, contract=judged, version=version, name=name)


def boxes(cells: Locator) -> list[object]:
    return [cell.bounding_box() for cell in cells.all()]


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_why_a_rate_is_not_corrected_opens_over_the_table(
    open_page: PageOpener, alice: User, width: int
) -> None:
    page = open_page(width)
    sign_in(page, alice)
    page.goto("/w/demo/runs/")
    cells = page.locator("#runs tbody :is(th, td)")
    before = boxes(cells)

    page.get_by_role("button", name="why it is not corrected").first.press("Enter")

    expect(page.get_by_text("nobody has held the whole of it").first).to_be_visible()
    assert boxes(cells) == before
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(page.get_by_text("nobody has held the whole of it").first).to_be_hidden()


def test_a_run_takes_little_room_on_a_narrow_screen(open_page: PageOpener, alice: User) -> None:
    page = open_page(NARROW)
    sign_in(page, alice)

    page.goto("/w/demo/runs/")

    rows = [row.bounding_box() for row in page.locator("#runs tbody tr").all()]
    assert max(row["height"] for row in rows if row) <= HIGHEST_ROW
    assert page.locator("#runs .table-scroll").evaluate("all => all.scrollWidth <= all.clientWidth")


def test_what_is_told_below_a_name_stands_on_one_line(open_page: PageOpener, alice: User) -> None:
    page = open_page()
    sign_in(page, alice)
    User.objects.filter(pk=alice.pk).update(first_name="Alexandra", last_name="Moreau-Beauchamp")
    Dataset.objects.update(name="support-desk, the second quarter with its returns and complaints")

    page.goto("/w/demo/runs/")

    for text in page.locator("#runs tbody p.hint").all():
        assert (text.bounding_box() or {})["height"] < 24
