"""Saying what went wrong, in a real browser: in the panel, on the page, without JavaScript."""

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from apps.accounts.models import User, Workspace
from apps.runs.labels import Said, label_failure
from apps.runs.models import Run, Score
from tests.browser import NARROW, PageOpener, assert_accessible, screenshot, sign_in
from tests.runs import building
from tests.runs.building import FAILED_CONTRACT, PASSED, TIMED_OUT

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def graded(workspace: Workspace, alice: User) -> Run:
    """An ended run; its first answer failed, with a process and an outcome of its own."""
    version = building.make_version(workspace, 20)
    outcomes = [FAILED_CONTRACT, PASSED, TIMED_OUT]
    run = building.ended_run(workspace, outcomes, alice, version=version)
    run.results.filter(ordinal=0).update(process_score=0.92, outcome_score=0.35)
    score = Score.objects.filter(result__run=run, result__ordinal=0).earliest("pk")
    Score.objects.filter(pk=score.pk).update(
        verdict="fail", verifier="exact_match@1", raw={"evidence": ["trace:trace_123"]}
    )
    return run


def test_a_failure_is_named_and_unnamed_in_the_panel(page: Page, graded: Run, bob: User) -> None:
    sign_in(page, bob)
    page.goto(f"/w/demo/runs/{graded.pk}/results/")
    page.get_by_role("link", name="ticket-00000").click()
    panel = page.locator("#panel")
    labels = panel.locator("#labels")

    labels.get_by_text("Confirm or correct").click()
    labels.get_by_label("What went wrong").select_option("incorrect_answer")
    labels.get_by_label("Hallucinated fact").check()
    labels.get_by_label("Note").fill("It never looked at the order.")
    assert_accessible(page)
    labels.get_by_role("button", name="Keep this label").click()
    expect(labels.get_by_text("It never looked at the order.").first).to_be_visible()
    expect(panel).to_be_visible()

    labels.get_by_text("Say it otherwise").click()
    labels.get_by_label("What went wrong").select_option("tool_or_retrieval_misuse")
    labels.get_by_role("button", name="Keep this label").click()
    labels.get_by_text("2 labels so far").click()
    labels.get_by_role("button", name="Go back to this").click()
    expect(labels.get_by_text("3 labels so far")).to_be_visible()
    labels.get_by_text("Say it otherwise").click()
    labels.get_by_role("button", name="Take the label away").click()
    expect(labels.get_by_text("Nobody has said so yet.")).to_be_visible()


def test_a_mistake_is_told_in_the_panel(page: Page, graded: Run, bob: User) -> None:
    sign_in(page, bob)
    page.goto(f"/w/demo/runs/{graded.pk}/records/0/")

    page.get_by_text("Confirm or correct").click()
    page.locator("#labels").get_by_label("What went wrong").select_option("hallucinated_fact")
    page.locator("#labels").get_by_label("Hallucinated fact").check()
    page.get_by_role("button", name="Keep this label").click()

    expect(page.get_by_text("leave it out here").first).to_be_visible()
    assert_accessible(page)


def test_what_it_is_put_down_to_stands_in_words(page: Page, graded: Run, bob: User) -> None:
    said = Said(primary="incorrect_answer", attribution="verifier_gap", note="It never looked.")
    label_failure(graded.results.get(ordinal=0), said, by=bob, now=timezone.now())
    sign_in(page, bob)

    page.goto(f"/w/demo/runs/{graded.pk}/records/0/")

    expect(page.locator("#labels").get_by_text("verifier gap").first).to_be_visible()
    expect(page.get_by_text("verifier_gap")).to_have_count(0)


def test_it_works_without_javascript(open_page: PageOpener, graded: Run, bob: User) -> None:
    page = open_page(js=False)
    sign_in(page, bob)
    page.goto(f"/w/demo/runs/{graded.pk}/records/0/")

    page.get_by_text("Confirm or correct").click()
    page.get_by_role("button", name="Keep this label").click()

    expect(page.get_by_text("Kept: what was said before stays in the history.")).to_be_visible()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", NARROW)])
def test_it_looks_right(
    open_page: PageOpener, graded: Run, bob: User, scheme: str, width: int
) -> None:
    result = graded.results.get(ordinal=0)
    for said in (
        Said(primary="other", note="Not sure yet."),
        Said(primary="incorrect_answer", secondary=("other",), attribution="tool_adapter"),
    ):
        label_failure(result, said, by=bob, now=timezone.now())
    page = open_page(width=width, scheme=scheme)
    sign_in(page, bob)

    for name, address in {"record": "records/0/", "results": "results/", "run": ""}.items():
        page.goto(f"/w/demo/runs/{graded.pk}/{address}")
        if name == "record":
            page.get_by_text("Say it otherwise").click()
            page.get_by_text("2 labels so far").click()
        assert_accessible(page)
        fits = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert fits, f"{name} scrolls sideways at {width}"
        assert screenshot(page, f"labels-{name}-{scheme}-{width}").exists()
