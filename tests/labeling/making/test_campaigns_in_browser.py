"""The pages of campaigns in a real browser."""

import pytest
from django.conf import LazySettings
from django.urls import reverse
from playwright.sync_api import Page, expect

from apps.accounts.models import User, Workspace
from apps.labeling.models import Campaign
from evalhub.desk import Argilla
from tests.browser import NARROW, WIDE, PageOpener, assert_accessible, sign_in
from tests.labeling.building import a_campaign, an_ended_run, labelled
from tests.labeling.fake_desk import FakeDesk, fake_desk
from tests.labeling.sending.test_pushing import pushed

__all__ = ["fake_desk"]

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def hosted(settings: LazySettings) -> None:
    settings.ARGILLA = Argilla(mode="hosted")


def address(name: str, workspace: Workspace, *arguments: str) -> str:
    return reverse(f"labeling:{name}", args=[workspace.slug, *arguments])


def fits(page: Page) -> bool:
    found: bool = page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    return found


@pytest.mark.usefixtures("hosted")
def test_a_campaign_is_made_with_an_estimate_that_follows_every_choice(
    page: Page, workspace: Workspace, alice: User, bob: User
) -> None:
    run = an_ended_run(workspace, alice, 12)
    sign_in(page, alice)
    page.goto(f"{address('new', workspace)}?source={run.pk}")

    page.get_by_label("Name").fill("Spring labels")
    page.get_by_label("Grounding: is all that is claimed").check()
    expect(page.locator("#estimate")).to_contain_text("12 items")
    page.get_by_label("Sample").select_option("random")
    page.get_by_label("How many").fill("5")
    page.get_by_label("How many").blur()
    expect(page.locator("#estimate")).to_contain_text("5 of 12")
    page.locator("#id_people").get_by_label("Bob").check()
    page.get_by_role("button", name="Make the campaign").click()

    expect(page.get_by_role("heading", name="Spring labels")).to_be_visible()
    campaign = Campaign.objects.get()
    assert campaign.planned.sample.size == 5
    assert [each.user for each in campaign.assignments.all()] == [bob]


def test_a_sample_of_slices_is_reached_in_the_order_of_the_form(
    page: Page, workspace: Workspace, alice: User
) -> None:
    run = an_ended_run(workspace, alice, 12)
    sign_in(page, alice)
    page.goto(address("new", workspace))

    for how in ("random", "all", "stratified"):
        with page.expect_response(lambda answer: answer.request.method == "POST"):
            page.get_by_label("Answers of").select_option("" if how == "all" else run.pk)
        page.get_by_label("Sample").select_option(how)
        expect(page.get_by_label("How many")).to_be_visible(visible=how != "all")

    expect(page.get_by_label("Slices by")).to_be_visible()
    expect(page.get_by_label("Answers of")).to_have_value(run.pk)


def test_a_form_that_is_filled_in_quickly_logs_no_error(
    page: Page, workspace: Workspace, alice: User
) -> None:
    run = an_ended_run(workspace, alice, 12)
    errors: list[str] = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    sign_in(page, alice)
    page.goto(address("new", workspace))

    page.evaluate(
        """source => {
            const choose = (id, value) => {
                const field = document.getElementById(id);
                field.value = value;
                field.dispatchEvent(new Event("change", {bubbles: true}));
            };
            choose("id_source", source);
            choose("id_how", "random");
            choose("id_name", "Spring labels");
            document.querySelector("input[value=grounding]").click();
        }""",
        run.pk,
    )
    page.get_by_label("How many").fill("5")
    page.get_by_label("How many").blur()
    expect(page.locator("#estimate")).to_contain_text("5 of 12")

    assert errors == []


@pytest.mark.usefixtures("hosted")
def test_without_scripts_every_choice_is_on_the_form(
    open_page: PageOpener, workspace: Workspace, alice: User, bob: User
) -> None:
    run = an_ended_run(workspace, alice)
    page = open_page(js=False)
    sign_in(page, alice)
    page.goto(f"{address('new', workspace)}?source={run.pk}")

    page.get_by_label("Name").fill("Spring labels")
    page.get_by_label("Relevance: does the response").check()
    page.get_by_label("Sample").select_option("random")
    page.get_by_label("How many").fill("2")
    page.locator("#id_people").get_by_label("Bob").check()
    page.get_by_role("button", name="Update", exact=True).click()
    page.get_by_role("button", name="Make the campaign").click()

    assert Campaign.objects.get().planned.sample.size == 2


@pytest.mark.parametrize(("scheme", "width"), [("light", WIDE), ("dark", WIDE), ("light", NARROW)])
def test_the_pages_are_accessible_and_fit(
    open_page: PageOpener,
    workspace: Workspace,
    alice: User,
    bob: User,
    fake_desk: FakeDesk,
    scheme: str,
    width: int,
) -> None:
    campaign = a_campaign(workspace, alice, alice, bob, pairs=8, calibration_share=0.4)
    pushed(campaign)
    labelled(campaign, {"bob": ["true", "false"] * 4})
    page = open_page(width=width, scheme=scheme)
    sign_in(page, alice)

    for name, *arguments in (
        ("campaigns",),
        ("new",),
        ("campaign", campaign.pk),
        ("people", campaign.pk),
    ):
        page.goto(address(name, workspace, *arguments))
        assert_accessible(page)
        assert fits(page), name


def test_the_page_follows_a_campaign_until_it_is_open(
    page: Page, workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice)
    fake_desk.down = True
    pushed(campaign)
    sign_in(page, alice)
    page.goto(address("campaign", workspace, campaign.pk))
    expect(page.get_by_text("The labelling desk does not answer.")).to_be_visible()

    fake_desk.down = False
    pushed(campaign)

    expect(page.locator("#head").get_by_text("Open", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Read answers now")).to_be_visible()
