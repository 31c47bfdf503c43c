"""The page and the address of a campaign's agreement."""

import random

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.jobs.models import JobState
from apps.labeling.models import Campaign, CampaignStep, DeskAccount, Question
from tests.datasets.pairs import LABEL_COLUMNS, csv_of, pairs_version, uploaded
from tests.labeling.labelled import a_campaign, a_question, analysed, calibrate, discard, say
from tests.runs.conftest import work_on


@pytest.fixture
def campaign(workspace: Workspace) -> Campaign:
    return a_campaign(workspace, 30, calibration_share=0.5)


@pytest.fixture
def as_alice(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def address(campaign: Campaign) -> str:
    return reverse("labeling:agreement", args=["demo", campaign.pk])


def page(client: Client, campaign: Campaign, query: str = "") -> str:
    response = client.get(address(campaign) + query)
    assert response.status_code == 200
    return response.content.decode()


def labelled(campaign: Campaign) -> Question:
    """Two people who nearly always say yes, by themselves."""
    question = campaign.questions.get(name="")
    rng = random.Random(8)
    calibrate(campaign, *range(20), people=2)
    for name in ("bob", "dora"):
        say(question, name, ["true" if rng.random() < 0.93 else "false" for _ in range(29)])
    discard(question, "dora", 29)
    analysed(campaign)
    return question


def test_a_lead_reads_three_measures_with_their_n_and_why_they_differ(
    as_alice: Client, campaign: Campaign
) -> None:
    labelled(campaign)

    shown = page(as_alice, campaign)

    assert "Krippendorff" in shown
    assert "Gwet" in shown
    assert shown.count('class="whisker') >= 3
    assert "29</span>" in shown  # shared items
    assert "of the labels are “yes”, so alpha expects" in shown
    assert '1 <span class="muted">unclear</span>' in shown


def test_the_calibration_share_is_one_click_away(as_alice: Client, campaign: Campaign) -> None:
    labelled(campaign)

    shown = page(as_alice, campaign, "?scope=calibration")

    assert "Items of the calibration share, which everybody labels." in shown
    assert "20</span>" in shown


def test_all_shared_items_come_first_and_the_strip_counts_both(
    as_alice: Client, campaign: Campaign
) -> None:
    labelled(campaign)

    shown = page(as_alice, campaign)

    assert "All items that two people have labelled." in shown
    assert "<b>29</b> shared items, <b>20</b> of them in the calibration share" in shown
    assert shown.index("All shared items</a>") < shown.index("Calibration share</a>")


def test_numbers_of_a_few_items_stand_with_their_n_but_without_a_bar(
    as_alice: Client, campaign: Campaign
) -> None:
    question = campaign.questions.get(name="")
    say(question, "bob", ["true", "true"])
    say(question, "dora", ["false", "false"])
    analysed(campaign)

    shown = page(as_alice, campaign)

    assert 'class="whisker' not in shown
    assert shown.count("too few</span>") >= 3 + 2 + 2  # measures, people, people on the question
    assert "0.0 %" in shown
    assert "n = 2" in shown


def test_people_are_called_as_elsewhere(as_alice: Client, campaign: Campaign, bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(first_name="Bob", last_name="Breuer")
    DeskAccount.objects.create(user=bob, username="bob", argilla_id="b-1")
    labelled(campaign)

    shown = page(as_alice, campaign)

    assert '<th scope="row" class="slice">Bob Breuer</th>' in shown
    assert '<th scope="row" class="nowrap">Bob Breuer</th>' in shown
    assert 'Bob Breuer <span class="muted">and</span> dora' in shown


def test_the_chosen_question_has_pairs_time_and_slices(
    as_alice: Client, campaign: Campaign
) -> None:
    labelled(campaign)
    second = a_question(campaign, name="source_cited", position=2)
    for name in ("bob", "dora"):
        say(second, name, ["true"] * 30)
    analysed(campaign)

    shown = page(as_alice, campaign, f"?question={second.pk}&scope=overlap")

    assert '<h2 id="question-title" class="grow">grounding / source_cited</h2>' in shown
    assert 'bob <span class="muted">and</span> dora' in shown
    assert "30 items have dated labels of two people. A line over time takes 40" in shown
    assert "too few" not in shown


def test_what_does_not_exist_is_the_default(as_alice: Client, campaign: Campaign) -> None:
    labelled(campaign)

    shown = page(as_alice, campaign, "?question=999&scope=nothing&family=%00")

    assert "All items that two people have labelled." in shown


def test_before_anything_was_computed_a_lead_may_ask(as_alice: Client, campaign: Campaign) -> None:
    before = page(as_alice, campaign)
    response = as_alice.post(address(campaign))
    after = page(as_alice, campaign)

    assert "Nothing computed yet" in before
    assert response.status_code == 302
    assert "Being computed" in after
    assert CampaignStep.objects.get().state in (JobState.PENDING, JobState.SENT)


def test_without_any_label_the_next_step_is_named(as_alice: Client, campaign: Campaign) -> None:
    analysed(campaign)

    assert "Nobody has labelled yet" in page(as_alice, campaign)


def test_one_person_has_nobody_to_agree_with(as_alice: Client, campaign: Campaign) -> None:
    say(campaign.questions.get(), "bob", ["true"] * 3)
    analysed(campaign)

    shown = page(as_alice, campaign)

    assert "One person has labelled so far" in shown
    assert "no item has labels of two people" in shown


def test_people_without_a_shared_item_are_told_how_to_get_some(
    as_alice: Client, campaign: Campaign
) -> None:
    say(campaign.questions.get(), "bob", ["true"] * 3)
    say(campaign.questions.get(), "dora", ["true"] * 3, first=3)
    analysed(campaign)

    assert "No item has labels of two people" in page(as_alice, campaign)


def test_only_free_words_are_no_error(as_alice: Client, campaign: Campaign) -> None:
    campaign.questions.all().delete()
    remark = a_question(campaign, name="remark", kind=Question.Kind.TEXT, options=[])
    say(remark, "bob", ["fine"])
    analysed(campaign)

    assert "Only questions in free words were asked." in page(as_alice, campaign)


def test_imported_labels_have_the_same_page(as_alice: Client, workspace: Workspace) -> None:
    version = pairs_version(workspace)
    rows = [("p0", "grounding", "true", name, "") for name in ("bob", "dora")]
    uploaded(workspace, csv_of(LABEL_COLUMNS, rows), "labels.csv")
    work_on(CampaignStep.objects.get())
    campaign = Campaign.objects.get()

    labels = as_alice.get(reverse("labeling:annotations", args=["demo", version.pk]))

    assert "Agreement by question" in page(as_alice, campaign)
    assert address(campaign) in labels.content.decode()


def test_names_and_labels_are_text(as_alice: Client, campaign: Campaign) -> None:
    hostile = "<script>alert(1)</script>"
    for name in (hostile, "bob"):
        say(campaign.questions.get(), name, [hostile] * 30)
    analysed(campaign)

    shown = page(as_alice, campaign)

    assert hostile not in shown
    assert "&lt;script&gt;" in shown


def test_a_reviewer_may_not_read_it(client: Client, bob: User, campaign: Campaign) -> None:
    client.force_login(bob)

    assert client.get(address(campaign)).status_code == 403


def test_more_people_cost_no_more_queries(as_alice: Client, workspace: Workspace) -> None:
    def queries(name: str, people: int) -> int:
        campaign = a_campaign(workspace, 3, name=name)
        for number in range(people):
            say(campaign.questions.get(), f"person {number}", ["true"] * 3)
        analysed(campaign)
        with CaptureQueriesContext(connection) as asked:
            page(as_alice, campaign)
        return len(asked)

    queries("first", 1)

    assert queries("few", 2) == queries("many", 12)


# -- the API --------------------------------------------------------------------------------


def test_the_same_numbers_come_as_json(as_alice: Client, campaign: Campaign) -> None:
    labelled(campaign)

    answer = as_alice.get(reverse("api:campaign-agreement", args=[campaign.pk])).json()

    scopes = answer["agreement"]["scopes"]
    assert [each["scope"] for each in scopes] == ["calibration", "overlap"]
    assert scopes[0]["questions"][0]["agreement"]["alpha"]["n"] == 20
    assert [each["annotator"] for each in answer["people"]["listed"]] == ["dora", "bob"]
    assert answer["consensus"]["questions"][0]["units"] == 29
    assert answer["as_of"]


def test_numbers_that_are_not_computed_yet_are_null(as_alice: Client, campaign: Campaign) -> None:
    answer = as_alice.get(reverse("api:campaign-agreement", args=[campaign.pk])).json()

    assert (answer["agreement"], answer["people"], answer["as_of"]) == (None, None, None)
