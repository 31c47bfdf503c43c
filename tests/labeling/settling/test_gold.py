"""Known answers: who vouches for what, and taking it back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import QuerySet

from apps.accounts.models import AuditEvent, User, Workspace
from apps.labeling.models import Campaign, CampaignStep, Review
from apps.labeling.settling import gold, reviewing
from tests.datasets.pairs import pairs_version
from tests.labeling import labelled
from tests.labeling.reviewable import LATER, NOW, SAID_WHY, a_campaign, ask, fresh, settled, told

TIE, MAJORITY, UNANIMOUS, UNLABELLED = range(4)


@pytest.fixture
def campaign(workspace: Workspace) -> Campaign:
    return a_campaign(workspace)


@pytest.fixture
def review(campaign: Campaign, bob: User) -> Review:
    return settled(fresh(ask(campaign, TIE)), bob)


def test_a_settled_answer_becomes_gold_with_who_and_when(review: Review, alice: User) -> None:
    assert gold.make_gold(review, by=alice, now=NOW)

    found = fresh(review)
    assert (found.gold_by, found.gold_at, found.label) == (alice, NOW, "true")
    assert told(review)[-1] == ("gold", "true", "alice")
    assert AuditEvent.objects.filter(verb="review.gold", actor=alice).exists()


def test_making_it_gold_again_changes_nothing(review: Review, alice: User, ada: User) -> None:
    gold.make_gold(review, by=alice, now=NOW)

    assert not gold.make_gold(review, by=ada, now=LATER)
    assert fresh(review).gold_by == alice
    assert len(told(review)) == 3


def test_gold_is_taken_back_and_stays_settled(review: Review, alice: User) -> None:
    gold.make_gold(review, by=alice, now=NOW)

    assert gold.take_gold_back(review, by=alice, now=LATER)

    found = fresh(review)
    assert (found.gold_at, found.state, found.label) == (None, "settled", "true")
    assert [what for what, *_ in told(review)][-2:] == ["gold", "gold taken back"]
    assert not gold.take_gold_back(review, by=alice, now=LATER)


def test_neither_open_nor_undecided_reviews_become_gold(
    campaign: Campaign, alice: User, bob: User
) -> None:
    still_open = fresh(ask(campaign, TIE))
    nobody_can = settled(fresh(ask(campaign, MAJORITY)), bob, "", SAID_WHY)

    assert not gold.make_gold(still_open, by=alice, now=NOW)
    assert not gold.make_gold(nobody_can, by=alice, now=NOW)


def test_what_is_settled_otherwise_is_gold_no_longer(review: Review, alice: User) -> None:
    gold.make_gold(review, by=alice, now=NOW)

    verdict = reviewing.Verdict(label="false", comment=SAID_WHY)
    reviewing.change_mind(review, verdict, seen=review.settled_at, by=alice, now=LATER)

    assert fresh(review).gold_at is None
    assert told(review)[-2:] == [
        ("gold taken back", "true", "alice"),
        ("changed", "false", "alice"),
    ]


def every(campaign: Campaign) -> QuerySet[Review]:
    return Review.objects.filter(item__campaign=campaign)


def test_all_settled_answers_become_gold_at_once(
    campaign: Campaign, review: Review, alice: User, bob: User
) -> None:
    other = settled(fresh(ask(campaign, UNANIMOUS)), bob)
    nobody_can = settled(fresh(ask(campaign, MAJORITY)), bob, "", SAID_WHY)

    n = gold.make_all_gold(campaign, every(campaign), expected=2, by=alice, now=NOW)

    assert n == 2
    assert [fresh(each).gold_at for each in (review, other, nobody_can)] == [NOW, NOW, None]
    assert told(other)[-1] == ("gold", "true", "alice")
    assert campaign.steps.filter(name=CampaignStep.Name.ANALYSE).exists()


def test_not_more_becomes_gold_than_the_lead_was_told(
    campaign: Campaign, review: Review, alice: User, bob: User
) -> None:
    settled(fresh(ask(campaign, UNANIMOUS)), bob)

    with pytest.raises(ValidationError, match="There are 2 settled answers now, not 1"):
        gold.make_all_gold(campaign, every(campaign), expected=1, by=alice, now=NOW)

    assert fresh(review).gold_at is None


@contextmanager
def overtaken_by(change: Callable[[], object]) -> Iterator[None]:
    """What somebody else does after the settled answers were read, before they are gold."""
    waiting = [change]

    def first(execute: Callable[..., Any], sql: str, *given: Any) -> Any:
        if sql.startswith("UPDATE") and waiting:
            waiting.pop()()
        return execute(sql, *given)

    with connection.execute_wrapper(first):
        yield


@pytest.mark.parametrize("otherwise", [{"label": "false"}, {"gold_at": LATER}])
def test_what_is_decided_otherwise_meanwhile_does_not_become_gold(
    campaign: Campaign, review: Review, alice: User, bob: User, otherwise: dict[str, Any]
) -> None:
    other = settled(fresh(ask(campaign, UNANIMOUS)), bob)
    before = told(review), told(other)
    row = Review.objects.filter(pk=review.pk)

    with (
        overtaken_by(lambda: row.update(**otherwise)),
        pytest.raises(ValidationError, match="decided otherwise just now"),
    ):
        gold.make_all_gold(campaign, every(campaign), expected=2, by=alice, now=NOW)

    assert (told(review), told(other)) == before
    assert fresh(other).gold_at is None


@pytest.mark.parametrize("number", [MAJORITY, UNANIMOUS])
def test_what_people_agree_on_becomes_gold_without_a_review(
    campaign: Campaign, alice: User, number: int
) -> None:
    item, question = labelled.items_of(campaign)[number], campaign.questions.get()

    made = gold.make_agreed_gold(item, question, by=alice, now=NOW)

    assert (made.state, made.reason, made.label) == ("settled", "gold", "true")
    assert (made.gold_by, made.settled_by, made.blind_by) == (alice, alice, None)
    assert [what for what, *_ in told(made)] == ["settled", "gold"]


@pytest.mark.parametrize("number", [TIE, UNLABELLED])
def test_what_people_do_not_agree_on_is_settled_first(
    campaign: Campaign, alice: User, number: int
) -> None:
    item, question = labelled.items_of(campaign)[number], campaign.questions.get()

    with pytest.raises(ValidationError, match="do not agree"):
        gold.make_agreed_gold(item, question, by=alice, now=NOW)

    assert not Review.objects.exists()


def test_an_open_review_is_settled_before_it_is_gold(campaign: Campaign, alice: User) -> None:
    review = ask(campaign, UNANIMOUS, "audit")

    with pytest.raises(ValidationError, match="There is a review of this"):
        gold.make_agreed_gold(review.item, review.question, by=alice, now=NOW)

    assert fresh(review).state == "open"


def test_a_withdrawn_review_makes_room_for_gold(campaign: Campaign, alice: User) -> None:
    review = ask(campaign, UNANIMOUS, "tie", state=Review.State.WITHDRAWN)

    gold.make_agreed_gold(review.item, review.question, by=alice, now=NOW)

    found = fresh(review)
    assert (found.state, found.reason, found.gold_by) == ("settled", "gold", alice)


def test_what_is_gold_elsewhere_is_not_made_gold_again(workspace: Workspace, alice: User) -> None:
    version = pairs_version(workspace)
    before = labelled.a_campaign(workspace, version=version, name="before").questions.get()
    labelled.settle(before, 0, "true", gold_at=NOW)
    now = labelled.a_campaign(workspace, version=version).questions.get()
    labelled.say(now, "bob", ["true"])

    with pytest.raises(ValidationError, match="known already"):
        gold.make_agreed_gold(labelled.items_of(now.campaign)[0], now, by=alice, now=NOW)

    assert not now.reviews.exists()
