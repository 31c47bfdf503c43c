"""Why a review was raised is told to nobody whom it would tell a score or what is gold."""

import re

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.labeling.members.waiting import waiting_for
from apps.labeling.models import Annotation, Campaign, DeskRecord, Queue, Review
from apps.labeling.settling import gold
from tests.labeling import labelled
from tests.labeling.review_pages import (
    MAJORITY,
    TIE,
    UNANIMOUS,
    YES,
    address,
    as_alice,
    as_bob,
    campaign,
    page,
    press,
    queue,
)
from tests.labeling.reviewable import LATER, SAID_WHY, ask, fresh, settled

__all__ = ["as_alice", "as_bob", "campaign"]


def shown(client: Client, url: str) -> list[int]:
    found = page(client, url)
    return [number for number in range(4) if f">p{number}<" in found]


def test_why_a_review_waits_leads_alone_are_told_before_they_answer(
    as_bob: Client, as_alice: Client, campaign: Campaign
) -> None:
    review = fresh(ask(campaign, UNANIMOUS, "judge"))
    before = page(as_bob, queue(campaign)), page(as_bob, queue(campaign, "?reason=tie"))
    press(as_bob, review, "answer", YES)

    assert [text for text in before if "Judge against people" in text] == []
    assert [text for text in before if f">p{UNANIMOUS}<" not in text] == []
    assert "Judge against people" in page(as_alice, queue(campaign))
    assert "Judge against people" in page(as_bob, queue(campaign))


@pytest.fixture
def checked(campaign: Campaign) -> list[Review]:
    """By item; the audit was raised first, as it always is."""
    Campaign.objects.update(blind=True)
    ask(campaign, TIE, "tie")
    audited = fresh(ask(campaign, UNANIMOUS, "audit"))
    return [fresh(ask(campaign, MAJORITY, "judge")), audited]


def test_who_labels_blind_is_not_told_where_a_judge_disagrees(
    as_bob: Client, as_alice: Client, campaign: Campaign, checked: list[Review], bob: User
) -> None:
    """With their own label it would be the score."""
    judged, audited = checked
    inside = page(as_bob, address(audited))

    assert shown(as_bob, queue(campaign, "?state=any&reason=judge")) == [TIE, UNANIMOUS]
    assert as_bob.get(address(judged)).status_code == 404
    assert press(as_bob, judged, "answer", YES).status_code == 404
    assert address(judged) not in inside
    assert "2 open" in inside
    assert [each.to_settle for each in waiting_for(bob, campaign.workspace).parts] == [2]


def test_leads_are_told_how_many_wait_for_them_alone(
    as_bob: Client, as_alice: Client, campaign: Campaign, checked: list[Review]
) -> None:
    said = "1 review waits for a lead, or for the campaign to close"

    assert said in page(as_alice, queue(campaign))
    assert said not in page(as_bob, queue(campaign))


def test_once_the_campaign_is_closed_settlers_find_them(
    as_bob: Client, as_alice: Client, campaign: Campaign, checked: list[Review]
) -> None:
    Campaign.objects.update(state="closed")

    assert shown(as_bob, queue(campaign)) == [TIE, MAJORITY, UNANIMOUS]
    assert "waits for a lead" not in page(as_alice, queue(campaign))


def test_how_it_was_settled_is_told_once_they_have_labelled_it(
    as_bob: Client, campaign: Campaign, alice: User, bob: User
) -> None:
    review = settled(ask(campaign, TIE), alice, comment=SAID_WHY)
    desk = Queue.objects.create(
        campaign=campaign, task="grounding", calibration=False, min_submitted=3
    )
    DeskRecord.objects.create(queue=desk, item=review.item, pushed_at=LATER)
    of_others = (SAID_WHY, "told by an annotator", "Settled as Yes", ">Yes<")

    before = page(as_bob, address(review)) + page(as_bob, queue(campaign, "?state=settled"))
    late = press(as_bob, review, "answer", YES).content.decode()
    Annotation.objects.create(
        item=review.item, question=review.question, annotator="bob", user=bob, label="true"
    )
    after = page(as_bob, address(review))

    assert [text for text in of_others if text in before + late] == []
    assert "Shown once you have labelled it" in before
    assert [text for text in of_others[:3] if text not in after] == []


def test_leads_find_each_of_them(
    as_alice: Client, campaign: Campaign, checked: list[Review]
) -> None:
    found = [shown(as_alice, queue(campaign, f"?reason={name}")) for name in ("judge", "audit")]

    assert found == [[MAJORITY], [UNANIMOUS]]


def test_no_address_tells_when_a_review_was_raised(
    as_alice: Client, campaign: Campaign, checked: list[Review]
) -> None:
    """Judges' come after those that labels alone raise."""
    listed = page(as_alice, queue(campaign))

    named = re.findall(r"reviews/([0-9-]+)/", listed)[-2:]
    assert list(dict.fromkeys(named)) == [f"{each.item_id}-{each.question_id}" for each in checked]


def test_an_answer_that_is_there_as_gold_alone_is_told_leads_alone(
    as_alice: Client, as_bob: Client, campaign: Campaign, alice: User
) -> None:
    item, question = labelled.items_of(campaign)[UNANIMOUS], campaign.questions.get()
    made = gold.make_agreed_gold(item, question, by=alice, now=LATER)
    queries = ("?state=any", "?state=settled", "?state=settled&reason=gold", "?state=gold")

    of_bob = [shown(as_bob, queue(campaign, query)) for query in queries]
    of_alice = [shown(as_alice, queue(campaign, query)) for query in queries]

    assert of_bob == [[]] * 4
    assert of_alice == [[UNANIMOUS]] * 4
    assert "Nothing to decide" in page(as_bob, queue(campaign))
    assert "Made gold" in page(as_alice, queue(campaign, "?state=settled"))
    assert as_bob.get(address(made)).status_code == 404
    assert as_alice.get(address(made)).status_code == 200
