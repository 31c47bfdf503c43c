"""The pages of targets in a real browser: accessible in light, dark and narrow, and usable."""

import pytest
from playwright.sync_api import expect

from apps.accounts.models import User, Workspace
from apps.targets import services
from apps.targets.models import Target
from tests.browser import NARROW, PageOpener, assert_accessible, screenshot, sign_in

from .asking import spec

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LOOKS = [{"scheme": "light"}, {"scheme": "dark"}, {"scheme": "light", "width": NARROW}]
SETTINGS = {
    "base_url": "https://models.example.org/v1",
    "model": "llama-3.3-70b-instruct",
    "api_key_env": "EXAMPLE_API_KEY",
    "system_prompt": "You answer questions about tickets.\n" * 4,
    "price_input": 0.2,
    "price_output": 0.6,
}


@pytest.fixture
def target(workspace: Workspace, ada: User) -> Target:
    """An edited target, beside a scripted one."""
    made = services.create_target(
        workspace=workspace, name="Llama 70B", spec=spec("openai_chat", **SETTINGS), by=ada
    )
    changed = spec("openai_chat", **SETTINGS, temperature=0.2, max_new_tokens=512)
    services.edit_target(target=made, spec=changed, by=ada)
    services.create_target(workspace=workspace, name="Demo", spec=spec("scripted"), by=ada)
    return made


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_every_page_of_targets_is_accessible(
    look: dict[str, object], open_page: PageOpener, ada: User, target: Target
) -> None:
    page = open_page(**look)
    sign_in(page, ada)
    pages = {
        "list": "",
        "archived": "?archived=1",
        "kinds": "new/",
        "new-openai_chat": "new/?kind=openai_chat",
        "new-http_json": "new/?kind=http_json",
        "new-scripted": "new/?kind=scripted",
        "new-recorded": "new/?kind=recorded",
        "detail": f"{target.pk}/",
        "edit": f"{target.pk}/edit/",
    }

    for name, address in pages.items():
        answer = page.goto(f"/w/demo/targets/{address}")
        assert answer is not None
        assert answer.ok, name
        assert_accessible(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        screenshot(page, f"targets-{name}-{'-'.join(str(each) for each in look.values())}")


@pytest.mark.parametrize("js", [True, False], ids=["with JavaScript", "without JavaScript"])
def test_a_target_is_added_and_its_connection_tested(
    js: bool, open_page: PageOpener, ada: User, workspace: Workspace
) -> None:
    page = open_page(js=js)
    sign_in(page, ada)
    page.goto("/w/demo/targets/new/")

    page.get_by_role("link", name="Choose Scripted").click()
    page.get_by_label("Name").fill("Demo")
    page.get_by_role("button", name="Add target").click()
    page.get_by_role("button", name="Test connection").click()

    expect(page.get_by_text("It answers, in")).to_be_visible()
    expect(page.get_by_text("Scripted", exact=True)).to_be_visible()
    if js:  # axe is a script itself
        assert_accessible(page)
    assert workspace.targets.get().kind == "scripted"


def test_the_summary_of_errors_leads_to_the_field(open_page: PageOpener, ada: User) -> None:
    page = open_page()
    sign_in(page, ada)
    page.goto("/w/demo/targets/new/?kind=openai_chat")
    page.get_by_role("textbox", name="Name", exact=False).first.fill("Metadata")
    page.get_by_label("Base URL").fill("http://169.254.169.254/")
    page.get_by_label("Model", exact=False).fill("m")

    page.get_by_role("button", name="Add target").click()
    summary = page.get_by_role("alert")
    expect(summary).to_be_focused()
    assert_accessible(page)
    summary.get_by_role("link", name="Base URL").click()

    expect(page.get_by_label("Base URL")).to_be_focused()
