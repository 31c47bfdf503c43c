"""What the list of campaigns tells of agreement: the question with the least of it."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.labeling.analysing.worst import worst_in
from apps.labeling.models import Campaign, Question
from apps.web.templatetags.formats import decimal, interval
from tests.labeling import labelled

SAME, OTHER = ["true", "false"] * 6, ["true", "true"] * 6


@pytest.fixture
def campaign(workspace: Workspace) -> Campaign:
    """Dora and Erin agree on whether answers are grounded, and less on whether they are good."""
    made = labelled.a_campaign(workspace, 12)
    labelled.a_question(made, "own", name="good", title="Is it good?")
    for question, of_erin in zip(made.questions.order_by("pk"), (SAME, OTHER), strict=True):
        labelled.say(question, "dora", SAME)
        labelled.say(question, "erin", of_erin)
    return made


def list_of(client: Client) -> str:
    return client.get(reverse("labeling:campaigns", args=["demo"])).content.decode()


def test_the_worst_question_is_the_one_with_the_least_alpha(campaign: Campaign) -> None:
    labelled.analysed(campaign)

    worst = worst_in([campaign.pk])[campaign.pk]

    assert worst.question == "own / good"
    assert worst.alpha.point is not None
    assert worst.alpha.point < 0.5


def test_what_cannot_be_computed_says_why(workspace: Workspace) -> None:
    campaign = labelled.a_campaign(workspace)
    labelled.say(campaign.questions.get(), "dora", ["true", "false", "true"])
    labelled.analysed(campaign)

    worst = worst_in([campaign.pk])[campaign.pk]

    assert worst.alpha.point is None
    assert worst.alpha.reason


def test_free_words_have_no_worst_question(workspace: Workspace) -> None:
    campaign = labelled.a_campaign(workspace)
    campaign.questions.update(kind=Question.Kind.TEXT)
    labelled.analysed(campaign)

    worst = worst_in([campaign.pk])[campaign.pk]
    assert (worst.question, worst.alpha.reason) == ("", "only free words were asked for")


def test_the_list_shows_it_or_says_why_not(
    client: Client, workspace: Workspace, campaign: Campaign, alice: User
) -> None:
    client.force_login(alice)
    before = list_of(client)
    labelled.analysed(campaign)
    alone = labelled.a_campaign(
        workspace, name="Alone", version=campaign.run.dataset_version, state="closed"
    )
    labelled.say(alone.questions.get(), "dora", SAME)
    labelled.analysed(alone)

    found = list_of(client)

    assert "not computed yet" in before
    worst = worst_in([campaign.pk])[campaign.pk].alpha
    assert f"alpha {decimal(worst.point)}</span>" in found
    assert "(n 12)" in found
    assert "too few" in found
    assert f"own / good, {interval(worst, 'score')}" in found
    assert worst_in([alone.pk])[alone.pk].alpha.reason in found


def test_more_campaigns_cost_no_more_queries(
    client: Client, workspace: Workspace, campaign: Campaign, alice: User,
    django_assert_max_num_queries: Any,
) -> None:  # fmt: skip
    client.force_login(alice)
    labelled.analysed(campaign)
    list_of(client)
    with django_assert_max_num_queries(40) as one:
        list_of(client)
    for name in ("Second", "Third"):
        made = labelled.a_campaign(workspace, name=name, version=campaign.run.dataset_version)
        labelled.analysed(made)

    with django_assert_max_num_queries(len(one)):
        list_of(client)
