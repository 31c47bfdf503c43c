"""Runs in a real browser: started, watched, read by keyboard, cancelled; accessible as well."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connections
from django.utils import timezone
from playwright.sync_api import Page, expect

from apps.accounts.models import User, Workspace
from apps.jobs.services import work_here
from apps.runs.ending.summaries import metrics_of, store_summaries
from apps.runs.models import Run
from apps.targets.specs import ScriptedSpec
from tests.browser import NARROW, PageOpener, assert_accessible, screenshot, sign_in
from tests.runs import building
from tests.runs.building import FAILED_CONTRACT, MIX, PASSED, SKIPPED, TIMED_OUT

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LOOKS = [
    {"scheme": "light"},
    {"scheme": "dark"},
    {"scheme": "light", "width": NARROW},
    {"scheme": "dark", "width": NARROW},
]
PATIENCE_MS = 60_000


@contextmanager
def a_worker() -> Iterator[None]:
    """Work in a thread of this process, on the connection that the live server shares."""
    stopped, shared = threading.Event(), connections["default"]
    shared.inc_thread_sharing()

    def work() -> None:
        connections["default"] = shared
        work_here(stopped.is_set)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()
        shared.dec_thread_sharing()


@pytest.fixture
def slow_target(workspace: Workspace) -> None:
    spec = ScriptedSpec(
        latency_ms=150, concurrency=1, max_attempts=1, price_input=1, price_output=4
    )
    building.make_target(workspace, "slow assistant", spec)


def start_by_form(page: Page, name: str) -> None:
    page.get_by_label("Dataset version").select_option(index=1)
    page.get_by_label("Target").select_option(label="slow assistant – Scripted (no model answers)")
    page.get_by_label("Grading contract").select_option(index=1)
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Start run").click()


def test_a_run_is_started_watched_and_read_by_keyboard(
    page: Page, alice: User, workspace: Workspace, slow_target: None
) -> None:
    building.make_version(workspace, 20)
    building.make_contract(workspace)
    sign_in(page, alice)
    page.goto("/w/demo/runs/")

    page.get_by_role("link", name="Start a run").first.click()
    page.get_by_label("Dataset version").select_option(index=1)
    page.get_by_label("Target").select_option(index=1)
    expect(page.locator("#estimate")).to_contain_text("$0.0")
    page.get_by_role("button", name="Test the connection").click()
    expect(page.locator("#connection")).to_contain_text("Answered in")
    start_by_form(page, "watched")
    expect(page.get_by_role("heading", name="watched")).to_be_visible()
    expect(page.locator("#progress")).to_contain_text("20 not finished")

    with a_worker():
        head = page.locator("#head")
        expect(head).to_contain_text("Completed", timeout=PATIENCE_MS)
        expect(page.locator("#progress")).to_contain_text("20 evaluated", timeout=PATIENCE_MS)
        expect(page.locator("#figures .kpis")).to_contain_text("n = 20", timeout=PATIENCE_MS)
    page.locator("#head summary", has_text="More").press("Enter")
    expect(page.get_by_role("button", name="Archive")).to_be_visible()
    expect(page.locator('[hx-trigger^="every"]')).to_have_count(0)

    read_by_keyboard(page)


def read_by_keyboard(page: Page) -> None:
    page.locator(".tabs").get_by_role("link", name="Results").press("Enter")
    opener = page.get_by_role("link", name="ticket-00000")
    opener.focus()
    page.keyboard.press("Enter")
    panel = page.get_by_role("dialog", name="Details")
    expect(panel.get_by_role("heading", name="ticket-00000")).to_be_visible()
    assert_accessible(page)
    page.keyboard.press("ArrowRight")
    expect(panel.get_by_role("heading", name="ticket-00001")).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(panel.get_by_role("heading", name="ticket-00000")).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(opener).to_be_focused()


def test_a_run_is_cancelled_and_what_is_left_can_be_resumed(
    page: Page, alice: User, workspace: Workspace, slow_target: None
) -> None:
    building.make_version(workspace, 20)
    building.make_contract(workspace)
    sign_in(page, alice)
    page.goto("/w/demo/runs/start/")
    start_by_form(page, "stopped")
    expect(page.get_by_role("heading", name="stopped")).to_be_visible()

    page.get_by_text("Cancel run", exact=True).click()
    page.get_by_role("button", name="Cancel the run").click()
    expect(page.locator("#head")).to_contain_text("Cancelling")
    with a_worker():
        expect(page.locator("#head .badge").first).to_have_text("Cancelled", timeout=PATIENCE_MS)

    expect(page.locator("#progress")).to_contain_text("20 skipped")
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_text("asks what the cancelled run left")).to_be_visible()
    assert Run.objects.filter(kind=Run.Kind.RESUME).count() == 1


def test_a_run_is_started_and_cancelled_without_javascript(
    open_page: PageOpener, alice: User, workspace: Workspace, slow_target: None
) -> None:
    building.make_version(workspace, 20)
    building.make_contract(workspace)
    page = open_page(js=False)
    sign_in(page, alice)
    page.goto("/w/demo/runs/start/")

    start_by_form(page, "plain")
    page.get_by_text("Cancel run", exact=True).click()
    page.get_by_role("button", name="Cancel the run").click()

    expect(page.locator("#head")).to_contain_text("Cancelling")
    run = Run.objects.get()
    page.goto(f"/w/demo/runs/{run.pk}/records/3/")
    expect(page.get_by_role("heading", name="ticket-00003")).to_be_visible()
    expect(page.get_by_text("This record waits for its answer.")).to_be_visible()


def test_filtering_changes_the_address_and_the_table_alone(
    page: Page, alice: User, workspace: Workspace
) -> None:
    building.ended_run(workspace, [PASSED], name="finished")
    building.queued_run(workspace, name="waiting")
    sign_in(page, alice)
    page.goto("/w/demo/runs/")

    page.get_by_label("State").select_option("open")

    expect(page.get_by_role("link", name="finished")).to_have_count(0)
    expect(page.get_by_role("link", name="waiting")).to_be_visible()
    assert "state=open" in page.url


def test_search_is_a_key_away(page: Page, alice: User, workspace: Workspace) -> None:
    building.queued_run(workspace, name="nightly triage")
    sign_in(page, alice)
    page.goto("/w/demo/")

    page.keyboard.press("/")
    page.keyboard.type("triage")
    page.keyboard.press("Enter")

    expect(page.get_by_role("link", name="nightly triage")).to_be_visible()


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_every_page_of_runs_is_accessible(
    look: dict[str, object], open_page: PageOpener, alice: User, workspace: Workspace
) -> None:
    page = open_page(**look)
    sign_in(page, alice)

    for name, address in pages_to_look_at(workspace, alice).items():
        answer = page.goto(address)
        assert answer is not None
        assert answer.status == 200, address
        screenshot(page, f"{name}-{look['scheme']}-{look.get('width', 'wide')}")
        assert_accessible(page)


def pages_to_look_at(workspace: Workspace, alice: User) -> dict[str, str]:
    version = building.make_version(workspace, 60, rejected=2)
    kept = building.kept_run(workspace, MIX, by=alice, version=version, name="Support triage")
    building.ended_run(workspace, [PASSED, FAILED_CONTRACT, SKIPPED, TIMED_OUT], version=version)
    under_way = building.running_run(workspace, MIX, by=alice, version=version, note="New\nprompt")
    store_summaries(under_way, metrics_of(under_way), as_of=timezone.now())
    run = f"/w/demo/runs/{kept.pk}/"
    return {
        "overview": "/w/demo/",
        "search": "/w/demo/search/?q=ticket",
        "runs": "/w/demo/runs/",
        "start": f"/w/demo/runs/start/?clone={kept.pk}",
        "run": f"{run}?family=metadata.language",
        "run-under-way": f"/w/demo/runs/{under_way.pk}/",
        "results": f"{run}results/?outcome=failed",
        "record": f"{run}records/14/",
        "failed-record": f"{run}records/18/",
        "artifacts": f"{run}artifacts/",
        "nothing-found": "/w/demo/search/?q=nothing-like-it",
        "no-run-matches": "/w/demo/runs/?state=validating",
    }
