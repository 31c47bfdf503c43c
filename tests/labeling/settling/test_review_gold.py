"""Gold over HTTP: who makes it, who sees it."""

import re

from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.labeling.models import Campaign, Review
from apps.labeling.settling import gold, reviewing
from tests.labeling import labelled
from tests.labeling.review_pages import (
    MAJORITY,
    UNANIMOUS,
    address,
    as_alice,
    as_bob,
    campaign,
    page,
    press,
    queue,
    review,
)
from tests.labeling.reviewable import LATER, ask, fresh, settled
from tests.runs.pages import words_of

__all__ = ["as_alice", "as_bob", "campaign", "review"]


def test_a_lead_makes_a_settled_answer_gold_and_takes_it_back(
    as_alice: Client, review: Review, bob: User
) -> None:
    seen = settled(review, bob).settled_at

    press(as_alice, review, "gold", seen=seen.isoformat())
    made = fresh(review).gold_at
    press(as_alice, review, "no-gold")

    assert made is not None
    assert fresh(review).gold_at is None


def test_what_was_settled_otherwise_meanwhile_is_not_vouched_for(
    as_alice: Client, review: Review, bob: User, ada: User
) -> None:
    seen = settled(review, bob, "true")
    verdict = reviewing.Verdict(label="false", comment="Looked again.")
    reviewing.change_mind(seen, verdict, seen=seen.settled_at, by=ada, now=LATER)

    press(as_alice, review, "gold", seen=seen.settled_at.isoformat())

    assert "look at what stands here now" in page(as_alice, address(review))
    assert fresh(review).gold_at is None


def test_who_settles_neither_makes_nor_sees_gold(
    as_bob: Client, campaign: Campaign, review: Review, alice: User, bob: User
) -> None:
    gold.make_gold(settled(review, bob), by=alice, now=LATER)

    pressed = press(as_bob, review, "no-gold")
    everything = "".join(
        page(as_bob, url)
        for url in (address(review), queue(campaign, "?state=gold"), queue(campaign, "?state=any"))
    )

    assert pressed.status_code == 403
    assert fresh(review).gold_at == LATER
    shown = everything.replace("?state=gold", "")  # what the address said is in its own links
    assert re.findall(r"(?s).{0,40}gold.{0,40}", shown, re.IGNORECASE) == []


def test_all_settled_ones_become_gold_with_a_number_that_is_confirmed(
    as_alice: Client, campaign: Campaign, review: Review, bob: User
) -> None:
    settled(review, bob)
    ask(campaign, MAJORITY)

    shown = page(as_alice, queue(campaign, "?state=settled"))
    wrong = as_alice.post(queue(campaign, "?state=settled"), {"expected": "2"}, follow=True)
    right = as_alice.post(queue(campaign, "?state=settled"), {"expected": "1"}, follow=True)

    assert "Make 1 gold" in shown
    assert "There are 1 settled answers now, not 2" in wrong.content.decode()
    assert "Gold: 1 settled answer" in right.content.decode()
    assert fresh(review).gold_at is not None


def test_agreed_answers_become_gold_from_their_list(as_alice: Client, campaign: Campaign) -> None:
    url = reverse("labeling:agreed", args=["demo", campaign.pk])
    item, question = labelled.items_of(campaign)[UNANIMOUS], campaign.questions.get()

    before = page(as_alice, url)
    answer = as_alice.post(url, {"unit": f"{item.pk}:{question.pk}"}, follow=True)

    assert set(re.findall(r"\bp[0-3]\b", words_of(before))) == {"p1", "p2"}
    assert "2 of 3" in before
    assert Review.objects.get().gold_at is not None
    assert answer.content.decode().count('name="unit"') == 1


def test_a_unit_of_another_campaign_is_not_found(
    as_alice: Client, workspace: Workspace, campaign: Campaign
) -> None:
    url = reverse("labeling:agreed", args=["demo", campaign.pk])
    version = campaign.run.dataset_version
    other = labelled.a_campaign(workspace, name="Another", version=version)
    item, question = labelled.items_of(other)[0], campaign.questions.get()

    for unit in (f"{item.pk}:{question.pk}", "1:", "x", "9" * 30):
        assert as_alice.post(url, {"unit": unit}).status_code == 404
    assert not Review.objects.exists()
