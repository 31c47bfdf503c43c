"""One review before and after the reviewer's own answer: what is told to whom."""

from django.test import Client

from apps.accounts.models import User
from apps.labeling.models import Annotation, Campaign, Review
from tests.labeling.review_pages import (
    YES,
    address,
    as_alice,
    as_bob,
    campaign,
    page,
    press,
    review,
)
from tests.labeling.reviewable import SAID_WHY, answered, fresh

__all__ = ["as_alice", "as_bob", "campaign", "review"]


OF_OTHERS = ("dora", "erin", "told by an annotator")
OF_THE_JUDGE = ("told by the judge", "0.12", "faithful")
OF_THE_REASON = ("Tie", "tie")


def test_nothing_of_what_others_said_is_in_the_page_before_an_answer(
    as_bob: Client, as_alice: Client, review: Review
) -> None:
    for client in (as_bob, as_alice):
        found = page(client, address(review))

        assert "Yes, within 60 days." in found
        assert [text for text in (*OF_OTHERS, *OF_THE_JUDGE, *OF_THE_REASON) if text in found] == []


def test_what_somebody_else_answered_is_not_told_either(
    as_bob: Client, review: Review, alice: User
) -> None:
    answered(review, alice, "false")

    found = page(as_bob, address(review))

    assert "Alice" not in found
    assert "What the others said" not in found


def test_a_refused_answer_tells_nothing(as_bob: Client, review: Review) -> None:
    answer = press(as_bob, review, "answer")

    found = answer.content.decode()
    assert answer.status_code == 400
    assert "Choose an answer" in found
    assert [text for text in (*OF_OTHERS, *OF_THE_JUDGE) if text in found] == []


def test_settling_without_an_answer_of_ones_own_tells_nothing(
    as_bob: Client, review: Review
) -> None:
    answer = press(as_bob, review, "settle", YES, comment=SAID_WHY)

    found = answer.content.decode()
    assert answer.status_code == 400
    assert "own answer first" in found
    assert [text for text in (*OF_OTHERS, *OF_THE_JUDGE) if text in found] == []
    assert fresh(review).state == "open"


def test_after_the_answer_the_same_page_shows_what_others_said(
    as_bob: Client, review: Review
) -> None:
    answer = press(as_bob, review, "answer", YES)

    found = page(as_bob, answer["Location"])
    assert fresh(review).blind_label == "true"
    assert [text for text in (*OF_OTHERS, *OF_THE_JUDGE, "Tie") if text not in found] == []


def test_ones_own_label_among_the_others_is_marked(
    as_bob: Client, as_alice: Client, review: Review, bob: User
) -> None:
    Annotation.objects.filter(annotator="dora").update(user=bob)
    press(as_bob, review, "answer", YES)
    press(as_alice, review, "answer", YES)

    mine, hers = (page(each, address(review)) for each in (as_bob, as_alice))

    assert mine.count("Your own label, as you gave it") == 1
    assert "Your own label, as you gave it" not in hers


def test_who_settles_blind_sees_labels_but_no_scores(
    as_bob: Client, review: Review, campaign: Campaign
) -> None:
    Campaign.objects.update(blind=True)
    press(as_bob, review, "answer", YES)

    found = page(as_bob, address(review))

    assert [text for text in OF_OTHERS if text not in found] == []
    assert [text for text in OF_THE_JUDGE if text in found] == []
