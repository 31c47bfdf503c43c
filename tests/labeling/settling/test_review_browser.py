"""Reviewing by keyboard alone, in a real browser; and without JavaScript."""

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from apps.accounts.models import User, Workspace
from apps.labeling.models import Annotation, Campaign, Review
from apps.labeling.settling import gold
from tests.browser import NARROW, WIDE, PageOpener, assert_accessible, screenshot, sign_in
from tests.labeling.reviewable import NOW, SAID_WHY, a_campaign, ask, fresh, judge, settled, told

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TIE, MAJORITY, UNANIMOUS, UNLABELLED = range(4)


@pytest.fixture
def campaign(workspace: Workspace, bob: User) -> Campaign:
    made = a_campaign(workspace, bob)
    Annotation.objects.filter(annotator="erin").update(notes="The context names 30 days.")
    for number, reason in ((TIE, "tie"), (MAJORITY, "audit"), (UNANIMOUS, "judge")):
        judge(ask(made, number, reason), reason="Not all of it is in the context.")
    return made


def queue(campaign: Campaign, query: str = "") -> str:
    return reverse("labeling:reviews", args=["demo", campaign.pk]) + query


def address(review: Review) -> str:
    unit = review.question.campaign_id, review.item_id, review.question_id
    return reverse("labeling:review", args=["demo", *unit])


def reviews() -> list[Review]:
    return list(Review.objects.select_related("question").order_by("item_id"))


def opened(page: Page, name: str) -> None:
    """The review of that record, its keys listening."""
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    expect(page.get_by_role("button", name="Keys o")).to_be_visible()


def revealed(page: Page) -> None:
    expect(page.get_by_role("heading", name="What the others said")).to_be_visible()
    expect(page.get_by_role("button", name="Keys o")).to_be_visible()


def test_a_queue_is_reviewed_by_keyboard_alone(page: Page, campaign: Campaign, bob: User) -> None:
    first, second, third = reviews()
    sign_in(page, bob)
    page.goto(queue(campaign))
    page.get_by_role("link", name="Review the next").focus()
    page.keyboard.press("Enter")
    opened(page, "p0")

    page.keyboard.press("2")
    page.keyboard.press("Control+Enter")
    revealed(page)
    expect(page.get_by_text("The context names 30 days.")).to_be_visible()
    expect(page.get_by_role("radio", name="No", exact=True)).to_be_checked()
    page.keyboard.press("1")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.type("2 of 3 say otherwise?")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+Enter")

    opened(page, "p1")
    expect(page.get_by_text("Settled: Yes.")).to_be_visible()
    page.keyboard.press("Backspace")
    opened(page, "p2")
    expect(page.get_by_text("Skipped for now")).to_be_visible()
    page.get_by_role("link", name="Undo").focus()
    page.keyboard.press("Enter")
    opened(page, "p1")
    page.keyboard.press("ArrowRight")
    opened(page, "p2")
    page.keyboard.press("ArrowLeft")
    opened(page, "p1")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Skip for now")

    found = fresh(first)
    assert (found.blind_label, found.label) == ("false", "true")
    assert found.comment == "2 of 3 say otherwise?"
    assert [what for what, *_ in told(first)] == ["answered", "settled"]
    assert fresh(second).state == fresh(third).state == "open"


def test_keys_are_silent_while_somebody_types_and_where_they_are_switched_off(
    page: Page, campaign: Campaign, bob: User
) -> None:
    first = reviews()[0]
    sign_in(page, bob)
    page.goto(address(first))
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    revealed(page)
    comment = page.get_by_label("Comment")

    comment.fill("1 and 2")
    comment.press("Backspace")
    comment.press("ArrowLeft")
    comment.press("2")
    expect(comment).to_have_value("1 and2 ")
    expect(page.get_by_role("radio", name="Yes")).to_be_checked()

    page.get_by_role("button", name="Keys on").click()
    page.reload()
    expect(page.get_by_role("button", name="Keys off")).to_be_visible()
    page.keyboard.press("2")
    page.keyboard.press("Backspace")
    expect(page.get_by_role("radio", name="Yes")).to_be_checked()
    opened(page, "p0")

    page.get_by_role("button", name="Keys off").click()
    page.keyboard.press("2")
    expect(page.get_by_role("radio", name="No", exact=True)).to_be_checked()


def test_a_draft_is_there_again_until_it_is_sent(page: Page, campaign: Campaign, bob: User) -> None:
    first = reviews()[0]
    sign_in(page, bob)
    page.goto(address(first))
    page.keyboard.press("1")
    page.keyboard.press("Control+Enter")
    revealed(page)
    comment = page.get_by_label("Comment")

    page.keyboard.press("3")
    comment.fill(SAID_WHY)
    comment.press("Control+s")
    expect(page.get_by_text("Kept in this tab until you send it.")).to_be_visible()
    page.goto(queue(campaign))
    page.goto(address(first))

    expect(page.get_by_role("radio", name="Cannot be decided")).to_be_checked()
    expect(comment).to_have_value(SAID_WHY)
    page.keyboard.press("Control+Enter")
    opened(page, "p1")
    assert (fresh(first).label, fresh(first).comment) == ("", SAID_WHY)


def test_fields_are_walked_with_the_arrows(page: Page, campaign: Campaign, bob: User) -> None:
    sign_in(page, bob)
    page.goto(address(reviews()[0]))

    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Yes")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("button", name="Answer")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("radio", name="Yes")).to_be_focused()
    expect(page.get_by_role("radio", name="Yes")).not_to_be_checked()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement === document.body")


def test_a_review_is_settled_without_javascript(
    open_page: PageOpener, campaign: Campaign, bob: User
) -> None:
    page = open_page(js=False)
    sign_in(page, bob)
    page.goto(queue(campaign))
    page.get_by_role("link", name="Review the next").click()
    page.get_by_role("link", name="Skip", exact=True).click()
    page.get_by_role("link", name="Undo").click()

    page.get_by_role("radio", name="Yes").check()
    page.get_by_role("button", name="Answer").click()
    page.get_by_role("button", name="Settle, next").click()

    expect(page.get_by_role("heading", name="p1")).to_be_visible()
    assert fresh(reviews()[0]).label == "true"


@pytest.mark.parametrize(
    ("width", "scheme"), [(WIDE, "light"), (WIDE, "dark"), (NARROW, "light"), (NARROW, "dark")]
)
def test_every_state_of_the_pages_is_accessible(
    open_page: PageOpener, campaign: Campaign, alice: User, bob: User, width: int, scheme: str
) -> None:
    first, second, third = reviews()
    gold.make_gold(settled(fresh(first), bob, "true"), by=alice, now=NOW)
    page = open_page(width, scheme)
    sign_in(page, alice)

    def look(name: str) -> None:
        assert_accessible(page)
        screenshot(page, f"review-{name}-{scheme}-{width}")

    page.goto(queue(campaign, "?state=any"))
    look("queue")
    page.goto(address(second))
    look("blind")
    page.get_by_role("radio", name="No", exact=True).check()
    page.get_by_role("button", name="Answer").click()
    expect(page.get_by_text("What the others said")).to_be_visible()
    look("answered")
    page.get_by_role("button", name="Settle, next").click()
    expect(page.get_by_text("most people answered").first).to_be_visible()
    look("refused")
    page.goto(address(first))
    page.get_by_text("2 steps so far").or_(page.get_by_text("3 steps so far")).click()
    page.get_by_text("Settle it otherwise").click()
    look("settled")
    third.delete()
    page.goto(reverse("labeling:agreed", args=["demo", campaign.pk]))
    look("agreed")
