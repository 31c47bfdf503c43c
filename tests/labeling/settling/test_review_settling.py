"""Settling over HTTP: what is asked for, who comes first, what is kept."""

import re

from django.test import Client

from apps.accounts.models import User
from apps.labeling.models import Annotation, Campaign, Review
from tests.labeling.review_pages import (
    NO,
    NOBODY,
    UNANIMOUS,
    YES,
    address,
    as_alice,
    as_bob,
    campaign,
    page,
    press,
    queue,
    review,
)
from tests.labeling.reviewable import SAID_WHY, ask, fresh, settled, told

__all__ = ["as_alice", "as_bob", "campaign", "review"]


def needs_a_comment(shown: str) -> bool:
    (field,) = re.findall(r'<textarea name="comment"[^>]*>', shown)
    return " required" in field


def test_settling_leads_to_the_next_that_waits(
    as_bob: Client, review: Review, campaign: Campaign
) -> None:
    following = ask(campaign, UNANIMOUS, "audit")
    press(as_bob, review, "answer", YES)

    answer = press(as_bob, review, "settle", YES)

    assert answer["Location"] == address(following)
    assert fresh(review).label == "true"


def test_after_the_last_the_queue_says_that_all_is_settled(
    as_bob: Client, review: Review, campaign: Campaign
) -> None:
    press(as_bob, review, "answer", YES)

    answer = press(as_bob, review, "settle", YES)

    assert answer["Location"] == queue(campaign)
    assert "All is settled" in page(as_bob, answer["Location"])


def test_who_is_of_the_tie_is_told_that_a_comment_is_needed(
    as_bob: Client, as_alice: Client, review: Review, bob: User
) -> None:
    Annotation.objects.filter(item=review.item, annotator="dora").update(user=bob)
    for client in (as_bob, as_alice):
        press(client, review, "answer", YES)

    of_the_tie, of_nothing = page(as_bob, address(review)), page(as_alice, address(review))

    assert needs_a_comment(of_the_tie)
    assert "Say why: you are one of those who disagree." in of_the_tie
    assert not needs_a_comment(of_nothing)
    assert "or are of the tie" in of_nothing


def test_a_change_of_what_is_settled_needs_a_comment(as_bob: Client, review: Review) -> None:
    press(as_bob, review, "answer", YES)
    press(as_bob, review, "settle", YES)

    assert needs_a_comment(page(as_bob, address(review)))


def test_a_comment_that_is_missing_is_asked_for_beside_its_field(
    as_bob: Client, review: Review
) -> None:
    press(as_bob, review, "answer", YES)

    answer = press(as_bob, review, "settle", NO)

    assert answer.status_code == 400
    assert 'href="#id_comment"' in answer.content.decode()
    assert "what changed your mind" in answer.content.decode()


def test_the_second_reviewer_reads_who_was_faster_and_keeps_their_words(
    as_bob: Client, review: Review, alice: User
) -> None:
    press(as_bob, review, "answer", YES)
    settled(review, alice, "false")

    answer = press(as_bob, review, "settle", YES, comment=SAID_WHY)

    found = answer.content.decode()
    assert answer.status_code == 409
    assert "Alice settled this meanwhile as “No”" in found
    assert "Settled as No" in found
    assert fresh(review).label == "false"


def test_what_cannot_be_decided_is_settled_so(as_bob: Client, review: Review) -> None:
    press(as_bob, review, "answer", NOBODY)
    press(as_bob, review, "settle", NOBODY)

    assert (fresh(review).state, fresh(review).label) == ("settled", "")
    assert "Settled as Cannot be decided" in page(as_bob, address(review))


def test_whoever_settled_it_settles_it_otherwise(as_bob: Client, review: Review, bob: User) -> None:
    seen = settled(review, bob).settled_at
    assert seen is not None

    answer = press(as_bob, review, "change", NO, comment=SAID_WHY, seen=seen.isoformat())

    assert answer.status_code == 302
    assert told(review)[-1] == ("changed", "false", "bob")


def test_others_do_not(as_bob: Client, review: Review, alice: User) -> None:
    seen = settled(review, alice).settled_at
    assert seen is not None

    answer = press(as_bob, review, "change", NO, comment=SAID_WHY, seen=seen.isoformat())

    assert answer.status_code == 403
    assert "Settle it otherwise" not in page(as_bob, address(review))
    assert fresh(review).label == "true"


def test_a_change_without_the_moment_that_was_seen_is_refused(
    as_bob: Client, review: Review, bob: User
) -> None:
    settled(review, bob)

    for seen in ("", "yesterday", "2026-02-31T00:00:00"):
        answer = press(as_bob, review, "change", NO, comment=SAID_WHY, seen=seen)

        assert answer.status_code in (400, 409)
    assert fresh(review).label == "true"


def test_the_history_says_who_when_what_and_why(
    as_bob: Client, as_alice: Client, review: Review, bob: User
) -> None:
    seen = settled(review, bob).settled_at
    assert seen is not None
    press(as_alice, review, "change", NO, comment=SAID_WHY, seen=seen.isoformat())

    found = page(as_bob, address(review))

    assert "3 steps so far" in found
    assert SAID_WHY in found
    assert "Alice" in found
