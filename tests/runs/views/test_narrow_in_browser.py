"""The pages of runs on a narrow screen: long names wrap, nothing is out of reach."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from apps.accounts.models import User, Workspace
from apps.grading.rules import ExactMatch
from apps.grading.services import create_contract
from apps.grading.spec import ContractSpec
from apps.runs.models import Score
from tests.browser import NARROW, PageOpener, sign_in
from tests.runs import building

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LONG = "names_the_refund_policy_and_its_deadline_in_words_of_the_customer"[:64]
JUDGE = "vendor-of-models/a-judge-with-a-long-name-2026-10-preview"


@pytest.fixture
def page(open_page: PageOpener) -> Page:
    return open_page(width=NARROW)


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_long_names_of_rules_and_judges_wrap(page: Page, workspace: Workspace, alice: User) -> None:
    spec = ContractSpec(rules=(ExactMatch(name=LONG),))
    made = create_contract(
        workspace=workspace, name="long", spec=spec, by=alice, now=timezone.now()
    )
    run = building.ended_run(workspace, by=alice, contract=made.versions.get())
    Score.objects.filter(result__run=run, rule="exact").update(rule=LONG, judge=JUDGE)
    sign_in(page, alice)

    for place in ("", "records/0/"):
        page.goto(f"/w/demo/runs/{run.pk}/{place}")
        expect(page.get_by_text(LONG).first).to_be_visible()
        assert fits(page), f"{place or 'the run'} scrolls sideways"
    badge = page.locator(".score-line .badge").first.bounding_box()
    assert badge is not None
    assert badge["x"] + badge["width"] <= NARROW


def test_errors_as_fails_are_told_on_a_narrow_screen(
    page: Page, workspace: Workspace, alice: User
) -> None:
    run = building.ended_run(workspace, by=alice, trials=3)
    sign_in(page, alice)

    page.goto(f"/w/demo/runs/{run.pk}/")

    expect(page.get_by_text("Errors as fails:").first).to_be_visible()
