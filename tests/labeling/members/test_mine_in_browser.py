"""The pages around the desk as people see them: accessible, wide and narrow, light and dark."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import expect
from pydantic import SecretStr

from apps.accounts.models import User, Workspace
from apps.labeling.desk import desks, watching
from apps.labeling.members import people
from apps.labeling.models import Breach, Campaign, CampaignStep, DeskRecord, Item, Review
from evalhub.desk import Argilla
from tests.browser import NARROW, PageOpener, assert_accessible, screenshot, sign_in
from tests.labeling.at_the_desk import opened
from tests.labeling.building import a_campaign, labelled
from tests.labeling.fake_desk import FakeDesk

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LOCAL = Argilla(mode="local", url="http://127.0.0.1:7009", port=7009, ticket_key=SecretStr("key"))
PLACE = "http://127.0.0.1:7009"
HOSTED = Argilla(mode="hosted", url=PLACE, public_url=PLACE, owner_key=SecretStr("key"))
LOOKS = pytest.mark.parametrize(
    ("width", "scheme"), [(1440, "light"), (1440, "dark"), (NARROW, "light")]
)


@pytest.fixture
def desk(settings: Any) -> Iterator[FakeDesk]:
    settings.ARGILLA = LOCAL
    desk = FakeDesk()
    with desks.use(desk):
        yield desk


@pytest.fixture
def campaign(workspace: Workspace, alice: User, bob: User, desk: FakeDesk) -> Campaign:
    """Half done, with something to mend and something to settle."""
    guidelines = "Judge what the response claims, not how it says it."
    asked = {"pairs": 8, "calibration_share": 0.25, "guidelines": guidelines, "settlers": [bob]}
    campaign = opened(a_campaign(workspace, alice, alice, bob, **asked), desk)
    start = datetime(2026, 3, 2, 9, tzinfo=UTC)
    for number, each in enumerate(labelled(campaign, {"bob": ["true"] * 5})):
        each.annotated_at = start + timedelta(seconds=40 * number)
        each.save()
    DeskRecord.objects.filter(item=Item.objects.order_by("-pk")[0]).update(submitted=1)
    question = campaign.questions.order_by("position")[0]
    item = Item.objects.order_by("pk")[0]
    Review.objects.create(item=item, question=question, reason=Review.Reason.SPLIT)
    Breach.objects.create(
        item=item,
        annotator="bob",
        user=bob,
        task_type="grounding",
        constraint="unsupported_claims",
        severity="block",
        message="A response with a contradicted claim cannot be supported as a whole.",
    )
    return campaign


@LOOKS
def test_what_waits_is_readable(
    open_page: PageOpener, campaign: Campaign, bob: User, width: int, scheme: str
) -> None:
    watching.watch(timezone.now())
    page = open_page(width, scheme)
    sign_in(page, bob)

    page.goto("/w/demo/labeling/mine/")

    expect(page.get_by_role("heading", name="My labelling")).to_be_visible()
    page.get_by_text("Guidelines").click()
    screenshot(page, f"mine-{width}-{scheme}")
    page.evaluate("scrollTo(0, 0)")  # else what lies below the head counts as beside it
    assert_accessible(page)


def test_where_one_is_stands_in_sight_on_a_narrow_screen(
    open_page: PageOpener, campaign: Campaign, alice: User
) -> None:
    page = open_page(NARROW, "light")
    sign_in(page, alice)

    page.goto(f"/w/demo/labeling/{campaign.pk}/exports/")

    for row in ("Sections", "This campaign"):
        current = page.get_by_role("navigation", name=row).locator("[aria-current]")
        expect(current).to_be_in_viewport(ratio=0.95)
    screenshot(page, "exports-narrow")


def test_the_desk_opens_beside_the_page(
    open_page: PageOpener, campaign: Campaign, bob: User, desk: FakeDesk
) -> None:
    watching.watch(timezone.now())
    desk.down = True
    page = open_page()
    sign_in(page, bob)
    page.goto("/w/demo/labeling/mine/")

    with page.expect_popup() as opening:
        page.get_by_role("button", name="Label").first.click()

    expect(opening.value.get_by_text("The labelling desk does not answer now.")).to_be_visible()
    expect(page.get_by_role("button", name="Label").first).to_be_visible()


def test_what_is_submitted_at_the_desk_is_counted_on_the_open_page(
    open_page: PageOpener, campaign: Campaign, bob: User
) -> None:
    page = open_page()
    sign_in(page, bob)
    page.goto("/w/demo/labeling/mine/")
    page.get_by_text("Guidelines").click()
    label = page.get_by_role("button", name="Label part 2").first
    label.focus()
    expect(page.locator("#waiting")).to_contain_text("4 of 7")

    labelled(campaign, {"bob": [""] * 5 + ["true"] * 2})

    expect(page.locator("#waiting")).to_contain_text("6 of 8", timeout=20_000)
    expect(label).to_be_focused()
    expect(page.get_by_text("Judge what the response claims")).to_be_visible()


def test_the_account_is_handed_over_in_sight(
    open_page: PageOpener, campaign: Campaign, bob: User, desk: FakeDesk, settings: Any
) -> None:
    settings.ARGILLA = HOSTED
    people.account_of(bob, desk)
    page = open_page()
    sign_in(page, bob)
    page.goto("/w/demo/labeling/mine/")

    page.get_by_role("button", name="Show the password").click()

    password = page.get_by_role("status").locator("code").inner_text()
    assert password == desk.accounts[desk.id_of("bob")].password
    screenshot(page, "mine-hosted")
    assert_accessible(page)


@LOOKS
@pytest.mark.parametrize("down", [False, True])
def test_the_state_of_the_desk_is_readable(
    open_page: PageOpener,
    campaign: Campaign,
    alice: User,
    desk: FakeDesk,
    width: int,
    scheme: str,
    down: bool,
) -> None:
    watching.watch(timezone.now())
    if down:
        desk.down = True
        watching.watch(timezone.now())
        error = "Argilla at 127.0.0.1:7009 cannot be reached: [Errno 111] Connection refused"
        CampaignStep.objects.create(campaign=campaign, name="sync", error=error)
    page = open_page(width, scheme)
    sign_in(page, alice)

    page.goto("/w/demo/desk/")

    expect(page.get_by_role("heading", name="Labelling desk")).to_be_visible()
    screenshot(page, f"desk-{'down' if down else 'up'}-{width}-{scheme}")
    assert_accessible(page)
