"""The page of a campaign's judges, and the badge on the run's."""

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.analysis.models import Calibration, CalibrationStep
from apps.jobs.models import JobState
from apps.labeling.models import Campaign, Question
from tests.runs.pages import words_of

from .building import held, matched

HUMAN = [True] * 15 + [False] * 10
JUDGE = [0.9] * 12 + [0.1] * 3 + [0.8] * 4 + [0.2] * 6


@pytest.fixture
def campaign(workspace: Workspace) -> Campaign:
    return held(workspace, HUMAN, JUDGE)


def page_of(client: Client, campaign: Campaign) -> str:
    found = client.get(reverse("analysis:judges", args=["demo", campaign.pk]))
    assert found.status_code == 200
    return found.content.decode()


def test_raw_and_corrected_rate_stand_side_by_side(
    campaign: Campaign, alice: User, client: Client
) -> None:
    client.force_login(alice)

    page = page_of(client, campaign)

    assert "Passed by the judge" in page
    assert "Corrected by people" in page
    assert '<p class="kpi-value">64.0 %</p>' in page
    assert '<p class="kpi-value">60.0 %</p>' in page
    assert "7 answers on which they differ" in page


def test_a_campaign_without_a_judge_says_what_one_is(
    workspace: Workspace, alice: User, client: Client
) -> None:
    campaign = held(workspace, [True, False], [0.9, 0.1])
    Calibration.objects.all().delete()
    client.force_login(alice)

    assert "No judge to hold against people" in page_of(client, campaign)


def test_what_is_not_held_against_judges_is_named_with_why(
    campaign: Campaign, alice: User, client: Client
) -> None:
    options = [["warm", "Warm"], ["cold", "Cold"]]
    Question.objects.create(campaign=campaign, task_type="own", name="tone", options=options)
    client.force_login(alice)

    page = page_of(client, campaign)

    assert "Not held against judges: own / tone." in page


def test_rates_of_an_uneven_sample_say_that_they_are_weighted(
    campaign: Campaign, alice: User, client: Client
) -> None:
    client.force_login(alice)
    campaign.items.update(probability=0.5)
    even = page_of(client, campaign)

    first = campaign.items.order_by("pk")[0]
    campaign.items.filter(pk=first.pk).update(probability=0.25)

    assert "weighted by the sample" not in even
    assert "weighted by the sample" in page_of(client, campaign)


def test_without_a_verdict_the_reason_stands_there(
    workspace: Workspace, alice: User, client: Client
) -> None:
    campaign = held(workspace, [True, None], [None, 0.9], family="relevance")
    client.force_login(alice)

    assert "no unit has both" in page_of(client, campaign)


def test_saying_that_two_ask_the_same_has_them_computed_again(
    workspace: Workspace, alice: User, client: Client
) -> None:
    campaign = held(workspace, HUMAN, JUDGE, family="relevance")
    row = Calibration.objects.get()
    client.force_login(alice)

    sent = client.post(
        reverse("analysis:match", args=["demo", campaign.pk, row.pk]),
        {"matched": "on", "passes_from": "", "threshold": "0.85"},
    )

    assert sent.status_code == 302
    assert (matched().threshold, matched().declared_by) == (0.85, alice)
    assert CalibrationStep.objects.get().state == JobState.PENDING


def test_a_question_that_asks_for_a_fault_is_told_in_words(
    campaign: Campaign, alice: User, client: Client
) -> None:
    client.force_login(alice)
    before = page_of(client, campaign)

    client.post(
        reverse("analysis:match", args=["demo", campaign.pk, matched().pk]),
        {"matched": "on", "yes_fails": "on", "passes_from": "", "threshold": ""},
    )

    assert "People pass an answer where they say yes" in before
    assert matched().yes_fails
    assert "People pass an answer where they say no" in page_of(client, campaign)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (Question.Kind.YES_NO, "pass an answer where they say yes;"),
        (Question.Kind.RATING, "pass an answer from the label 4;"),
        (Question.Kind.CHOICE, "pass an answer where they say yes, or from the label 4;"),
    ],
)
def test_a_label_that_passes_is_told_where_labels_are_on_a_scale(
    campaign: Campaign, alice: User, client: Client, kind: str, told: str
) -> None:
    client.force_login(alice)
    Question.objects.update(kind=kind)
    Calibration.objects.update(passes_from=4.0)

    assert told in words_of(page_of(client, campaign))


def test_a_question_of_yes_or_no_is_not_asked_for_a_label_of_a_scale(
    campaign: Campaign, alice: User, client: Client
) -> None:
    client.force_login(alice)
    address = reverse("analysis:match", args=["demo", campaign.pk, matched().pk])
    Question.objects.update(kind=Question.Kind.RATING)
    of_a_scale = client.get(address).content.decode()
    Question.objects.update(kind=Question.Kind.YES_NO)

    assert 'name="passes_from"' in of_a_scale
    assert 'name="passes_from"' not in client.get(address).content.decode()


def test_a_threshold_outside_the_scale_is_refused_at_its_field(
    campaign: Campaign, alice: User, client: Client
) -> None:
    client.force_login(alice)

    sent = client.post(
        reverse("analysis:match", args=["demo", campaign.pk, matched().pk]), {"threshold": "1.5"}
    )

    assert sent.status_code == 422
    assert matched().threshold is None


def test_the_run_page_tells_a_judge_that_nobody_has_looked_at(
    campaign: Campaign, alice: User, client: Client
) -> None:
    client.force_login(alice)
    address = reverse("runs:detail", args=["demo", campaign.run_id])

    looked_at = client.get(address).content.decode()
    Calibration.objects.update(matched=False)
    not_looked_at = client.get(address).content.decode()

    assert "corrected 60.0" in looked_at
    assert "uncalibrated" not in looked_at
    assert "uncalibrated" in not_looked_at


def test_matrix_and_reliability_are_pictures_with_their_data(
    campaign: Campaign, alice: User, client: Client
) -> None:
    client.force_login(alice)

    page = page_of(client, campaign)

    assert "n = 25: of 16 that the judge passes, people pass 12 (75.0 %)" in page
    assert "expected calibration error" in page
    assert page.count('download="') == 2


def test_that_people_looked_is_said_without_praise(
    campaign: Campaign, alice: User, client: Client
) -> None:
    client.force_login(alice)

    page = page_of(client, campaign)

    assert "checked by people, n = 25" in page
    assert "calibrated" not in words_of(page)
    badge = page.partition("checked by people")[0].rpartition('class="badge"')[2]
    assert 'data-tone="ok"' not in badge


def test_a_judge_no_better_than_chance_is_told_so_beside_its_name(
    workspace: Workspace, alice: User, client: Client
) -> None:
    campaign = held(workspace, [True, False] * 12, [0.9, 0.9, 0.1, 0.1] * 6)
    client.force_login(alice)

    page = page_of(client, campaign)

    assert "checked by people, n = 24: not above chance" in page


def test_what_was_left_out_is_a_part_of_what_was_looked_at(
    workspace: Workspace, alice: User, client: Client
) -> None:
    campaign = held(workspace, [True, False, None] * 9, [0.9, 0.1, 0.8] * 9)
    client.force_login(alice)

    page = words_of(page_of(client, campaign))

    assert "Left out of 27 answers" in page
    assert "All that either looked at" not in page


def test_how_a_rate_was_corrected_is_said_in_words(
    campaign: Campaign, alice: User, client: Client
) -> None:
    client.force_login(alice)

    page = page_of(client, campaign)

    assert "people&#x27;s labels with the judge&#x27;s verdicts on the rest (PPI++)" in page
