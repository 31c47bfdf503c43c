"""The pages of grading contracts in a real browser: accessible everywhere, and usable."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from apps.accounts.models import User, Workspace
from apps.grading import services
from apps.grading.models import GradingContract
from apps.grading.rules import Regex, ValidJson
from apps.grading.spec import ContractSpec
from apps.grading.starters import starter_spec
from tests.browser import NARROW, PageOpener, assert_accessible, screenshot, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LOOKS = [{"scheme": "light"}, {"scheme": "dark"}, {"scheme": "light", "width": NARROW}]
SCHEMA = {"type": "object", "required": ["priority"], "properties": {"priority": {"enum": [1, 2]}}}


@pytest.fixture
def contract(workspace: Workspace, alice: User) -> GradingContract:
    """A locked version and a draft after it, beside another contract."""
    now = timezone.now()
    judge = starter_spec("judge")
    made = services.create_contract(
        workspace=workspace, name="triage quality", spec=judge, by=alice, now=now
    )
    services.lock_version(version=made.versions.get(), now=now)
    rules = (
        ValidJson(name="json", json_schema=SCHEMA),
        Regex(name="polite", pattern="(?i)(please|thank you|kind regards)", blocking=False),
        *judge.rules,
    )
    spec = ContractSpec(**{**dict(judge), "rules": rules})
    services.save_version(contract=made, spec=spec, by=alice, now=now)
    services.create_contract(
        workspace=workspace, name="exact", spec=starter_spec("exact"), by=alice, now=now
    )
    return made


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_every_page_of_contracts_is_accessible(
    look: dict[str, object], open_page: PageOpener, alice: User, contract: GradingContract
) -> None:
    page = open_page(**look)
    sign_in(page, alice)
    pages = {
        "list": "",
        "archived": "?archived=1",
        "new": "new/",
        "import": "import/",
        "detail": f"{contract.pk}/",
        "first": f"{contract.pk}/?version=1",
        "edit": f"{contract.pk}/edit/",
        "diff": f"{contract.pk}/diff/",
        "diff-first": f"{contract.pk}/diff/?version=1",
    }

    for name, address in pages.items():
        answer = page.goto(f"/w/demo/contracts/{address}")
        assert answer is not None
        assert answer.ok, name
        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        screenshot(page, f"contracts-{name}-{'-'.join(str(each) for each in look.values())}")


@pytest.mark.parametrize("js", [True, False], ids=["with JavaScript", "without JavaScript"])
def test_a_contract_is_made_and_edited(
    js: bool, open_page: PageOpener, alice: User, workspace: Workspace
) -> None:
    page = open_page(js=js)
    sign_in(page, alice)
    page.goto("/w/demo/contracts/new/")

    page.get_by_label("Name").fill("first")
    page.get_by_label("The answer shares at least half").check()
    page.get_by_role("button", name="Make contract").click()
    page.get_by_role("link", name="Edit").click()
    page.get_by_role("button", name="YAML").click()
    editor = page.get_by_label("The contract as YAML")
    editor.fill(
        editor.input_value().replace("name: token_f1\n", "name: token_f1\n  threshold: 5\n")
    )
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("rules[0] (token_f1).threshold")
    editor.fill(editor.input_value().replace("threshold: 5\n", "threshold: 0.7\n", 1))
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_text("first@1 is saved.")).to_be_visible()
    assert workspace.contracts.get().versions.get().parsed.rules[0].threshold == 0.7


def test_the_errors_of_an_edit_are_accessible(
    open_page: PageOpener, alice: User, contract: GradingContract
) -> None:
    page = open_page(width=NARROW)
    sign_in(page, alice)
    page.goto(f"/w/demo/contracts/{contract.pk}/edit/")

    page.get_by_role("button", name="YAML").click()
    page.get_by_label("The contract as YAML").fill("rules: [{name: a}, {type: guess}]")
    page.get_by_role("button", name="Save").click()

    expect(page.get_by_role("alert")).to_be_focused()
    assert_accessible(page)
    screenshot(page, "contracts-edit-errors")
