"""The pages of traces and of readiness, in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User, Workspace
from apps.datasets.formats.scenarios.examples import EXAMPLES
from apps.traces.evidence import Checked, Diagnostic
from apps.traces.services import keep_evidence
from tests.browser import NARROW, PageOpener, assert_accessible, screenshot, sign_in
from tests.datasets.scenario_files import event, log, scenario
from tests.traces.building import CHAT, EVENTS, a_trace, imported, scenarios

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_the_steps_of_a_long_trace_are_turned_by_pages(
    page: Page, workspace: Workspace, alice: User
) -> None:
    steps = (event("span", "long", payload={"n": str(number)}) for number in range(60))
    trace = a_trace(workspace, *steps)
    sign_in(page, alice)
    page.goto(f"/w/demo/traces/{trace.pk}/")
    assert_accessible(page)

    page.get_by_role("link", name="Later").click()

    expect(page.locator(".step-seq").first).to_have_text("51")
    expect(page.get_by_role("heading", name="long")).to_be_visible()
    assert_accessible(page)


def test_a_trace_is_found_and_leads_to_its_record(
    page: Page, workspace: Workspace, alice: User
) -> None:
    scenarios(workspace, scenario(1))
    imported(workspace, CHAT, *EVENTS)
    sign_in(page, alice)
    page.goto("/w/demo/traces/")
    page.get_by_label("Search trace, scenario or session").fill("chat")
    page.keyboard.press("Enter")

    page.get_by_role("link", name="chat-1").click()
    page.get_by_role("link", name="refund-1").last.click()

    expect(page.get_by_role("heading", name="refund-1")).to_be_visible()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", NARROW)])
def test_the_pages_look_right(
    open_page: PageOpener, workspace: Workspace, alice: User, scheme: str, width: int
) -> None:
    version = scenarios(workspace, scenario(1, source_trace_ids=["chat-1"]), *EXAMPLES).version
    other = log("chat-2", scenario_id="refund-1", status="failed")
    imported(workspace, CHAT, other, *EVENTS)
    fault = Diagnostic("sha256_mismatch", "artifacts[0].sha256", "It has another.")
    checked = Checked("helpdesk", "agent@fixture", None, {"offline_pass": True}, "0", [fault])
    keep_evidence(workspace=workspace, checked=checked, by=alice)
    assert version is not None
    traces = {trace.trace_id: trace.pk for trace in workspace.traces.all()}
    page = open_page(width=width, scheme=scheme)
    sign_in(page, alice)
    pages = {
        "list": "traces/",
        "nothing": "traces/?q=none",
        "conversation": f"traces/{traces['chat-1']}/",
        "events": f"traces/{traces['run-1']}/",
        "readiness": f"datasets/versions/{version.pk}/readiness/",
    }

    for name, address in pages.items():
        page.goto(f"/w/demo/{address}")
        assert_accessible(page)
        fits = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert fits, f"{name} scrolls sideways at {width}"
        assert screenshot(page, f"traces-{name}-{scheme}-{width}").exists()
