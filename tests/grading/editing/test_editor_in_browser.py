"""The editor in a real browser: a rule is added by its form, tried, saved, compared, exported."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import Dialog, Page, expect

from apps.accounts.models import User, Workspace
from apps.grading import queries, services
from apps.grading.models import GradingContract
from apps.grading.starters import starter_spec
from apps.runs.models import Run
from tests.browser import NARROW, PageOpener, assert_accessible, screenshot, sign_in
from tests.runs.building import ended_run

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LOOKS = [{"scheme": "light"}, {"scheme": "dark"}, {"scheme": "light", "width": NARROW}]


@pytest.fixture
def contract(workspace: Workspace, alice: User) -> GradingContract:
    """Version 1, that a run has locked."""
    made = services.create_contract(
        workspace=workspace,
        name="answers",
        spec=starter_spec("reference"),
        by=alice,
        now=timezone.now(),
    )
    services.lock_version(version=made.versions.get(), now=timezone.now())
    return made


@pytest.fixture
def run(workspace: Workspace) -> Run:
    return ended_run(workspace)


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.mark.parametrize("js", [True, False], ids=["with JavaScript", "without JavaScript"])
def test_a_rule_is_added_tried_saved_compared_and_exported(
    js: bool, open_page: PageOpener, alice: User, contract: GradingContract, run: Run
) -> None:
    page = open_page(js=js)
    sign_in(page, alice)
    page.goto(f"/w/demo/contracts/{contract.pk}/edit/")

    page.get_by_role("button", name="Add a rule").click()
    page.get_by_role("button", name=re.compile("^Regular expression regex")).click()
    page.get_by_role("button", name="Add to the contract").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label(re.compile("^Pattern")).fill("refund")
    page.get_by_role("button", name="Add to the contract").click()
    expect(page.get_by_role("heading", name="4. regex")).to_be_visible()

    page.get_by_role("button", name="Try it on records").click()
    page.get_by_role("button", name="Try", exact=True).click()
    expect(page.get_by_role("region", name=re.compile("^Scores of")).first).to_contain_text("regex")
    page.get_by_role("button", name="Back to the editor").click()

    page.get_by_role("button", name="Up regex").click()
    expect(page.get_by_role("heading", name="3. regex")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("answers@2 is saved.")).to_be_visible()
    expect(page.get_by_role("heading", name="What changed in version 2")).to_be_visible()
    expect(page.locator(".changes")).to_contain_text("regex")

    page.get_by_role("link", name="answers").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export YAML").click()
    text = download.value.path().read_text(encoding="utf-8")
    page.goto("/w/demo/contracts/import/")
    page.get_by_label("Or its text").fill(text.replace("name: answers", "name: copied"))
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("copied@1 is here.")).to_be_visible()

    copied = contract.workspace.contracts.get(name="copied")
    assert queries.latest_version(copied).parsed == queries.latest_version(contract).parsed


def test_a_contract_is_edited_by_keyboard_alone(
    page: Page, alice: User, contract: GradingContract
) -> None:
    sign_in(page, alice)
    page.goto(f"/w/demo/contracts/{contract.pk}/edit/")

    page.get_by_role("button", name="Down token_f1").press("Enter")
    expect(page.get_by_role("heading", name="2. token_f1")).to_be_visible()
    expect(page.get_by_role("button", name="Down token_f1")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Up token_f1")).to_be_focused()
    page.get_by_role("button", name="Remove token_f1").press("Enter")
    expect(page.get_by_role("button", name="Put it back")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="3. token_f1")).to_be_visible()
    expect(page.locator("#rule-2")).to_be_focused()  # else the next key may fall between
    page.get_by_role("button", name="Add a rule").press("Enter")
    expect(page.get_by_role("searchbox", name="Search rules")).to_be_focused()
    page.keyboard.type("edit distance")
    expect(page.locator("#kinds button")).to_have_count(1)
    page.locator("#kinds button").press("Enter")
    expect(page.get_by_role("region", name="New rule: Edit distance")).to_be_focused()
    page.get_by_label("Threshold", exact=True).fill("0.9")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="4. edit_distance")).to_be_visible()
    expect(page.get_by_text("Nothing is saved yet.")).to_be_visible()


def leave(page: Page) -> list[str]:
    """Go to another page, staying if that is asked; what was asked."""
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    page.once("dialog", stay)
    page.get_by_role("link", name="Datasets").click()
    page.wait_for_timeout(300)
    return asked


def test_leaving_what_is_not_saved_asks_first(
    page: Page, alice: User, contract: GradingContract
) -> None:
    sign_in(page, alice)
    page.goto(f"/w/demo/contracts/{contract.pk}/edit/")
    passing = page.get_by_label("Passing score")

    passing.fill("0.25")
    filled_in = leave(page)
    page.get_by_role("button", name="Down token_f1").click()
    expect(page.get_by_text("Nothing is saved yet.")).to_be_visible()
    in_the_draft = leave(page)
    page.get_by_role("button", name="Save").click()  # a dialog here would be dismissed: no saving
    expect(page.get_by_text("answers@2 is saved.")).to_be_visible()

    assert filled_in == in_the_draft == ["beforeunload"]


def test_leaving_what_nobody_changed_asks_nothing(
    page: Page, alice: User, contract: GradingContract
) -> None:
    sign_in(page, alice)
    page.goto(f"/w/demo/contracts/{contract.pk}/edit/")
    page.get_by_role("button", name="Edit token_f1").click()
    expect(page.locator("#form")).to_be_visible()

    asked = leave(page)

    assert asked == []
    expect(page).to_have_url(re.compile("/datasets/$"))


FIELDS = re.compile("^Field accuracy")
STATES = {
    "rules": [],
    "catalog": ["Add a rule"],
    "form": ["Add a rule", FIELDS],
    "form-errors": ["Add a rule", FIELDS, "Add to the contract"],
    "edited": ["Edit rouge_l"],
    "removed": ["Remove rouge_l"],
    "yaml": ["YAML"],
    "tried": ["Try it on records", re.compile("^Try$")],
}


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_every_state_of_the_editor_is_accessible(
    look: dict[str, object], open_page: PageOpener, alice: User, contract: GradingContract, run: Run
) -> None:
    page = open_page(**look)
    sign_in(page, alice)
    named = "-".join(str(each) for each in look.values())

    # from the start for each: what axe leaves in the page must not go through a swap
    for name, buttons in STATES.items():
        page.goto(f"/w/demo/contracts/{contract.pk}/edit/")
        for button in buttons:
            page.get_by_role("button", name=button).click()
            page.wait_for_load_state("networkidle")
        page.evaluate("scrollTo(0, 0)")
        assert_accessible(page)
        assert fits(page), name
        screenshot(page, f"editor-{name}-{named}")


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_the_pages_of_rules_are_accessible(
    look: dict[str, object], open_page: PageOpener, alice: User
) -> None:
    page = open_page(**look)
    sign_in(page, alice)
    named = "-".join(str(each) for each in look.values())

    for name in ("", "field_accuracy/", "rubric_judge/", "composite/"):
        page.goto(f"/w/demo/contracts/rules/{name}")
        assert_accessible(page)
        assert fits(page), name
        screenshot(page, f"rules-{name.strip('/')}-{named}")
