"""Runs of several trials in a real browser: light and dark, wide and narrow, from row to record."""

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User, Workspace
from apps.runs.models import Run
from tests.browser import HEIGHT, NARROW, WIDE, assert_accessible, sign_in
from tests.runs import building

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def tried(workspace: Workspace, alice: User) -> Run:
    return building.ended_run(
        workspace,
        by=alice,
        version=building.make_version(workspace, 40, rejected=2),
        contract=building.demanding_contract(workspace),
        trials=3,
        name="Three tries each",
    )


@pytest.mark.parametrize(
    "address",
    [
        "runs/{run}/",
        "runs/{run}/results/?flaky=1",
        "runs/{run}/records/5/?trial=1",
        "runs/start/?trials=3",
    ],
)
def test_axe_finds_nothing_on_the_pages_of_trials(
    address: str, page: Page, alice: User, tried: Run
) -> None:
    sign_in(page, alice)

    page.goto("/w/demo/" + address.format(run=tried.pk))

    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.reload()
        for width in (WIDE, NARROW):
            page.set_viewport_size({"width": width, "height": HEIGHT})
            assert_accessible(page)


def test_from_the_run_to_its_flaky_records_and_from_try_to_try(
    page: Page, alice: User, tried: Run
) -> None:
    sign_in(page, alice)
    page.goto(f"/w/demo/runs/{tried.pk}/")

    page.get_by_role("link", name="All flaky records").click()
    page.get_by_role("link", name="ticket-00004").first.click()
    page.get_by_role("dialog").get_by_role("link", name="Trial 3: failed").click()

    panel = page.get_by_role("dialog")
    expect(panel.get_by_role("heading", name="Trial 3 of 3")).to_be_visible()
    expect(panel.get_by_text("2 of 3 judged trials")).to_be_visible()
