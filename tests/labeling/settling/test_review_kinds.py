"""Questions of every kind, answered in a review."""

from typing import Any

from django.test import Client

from apps.accounts.models import User, Workspace
from apps.labeling.models import Campaign, Question, Review
from tests.labeling import labelled
from tests.labeling.review_pages import NOBODY, TIE, address, as_bob, campaign, page, press, review
from tests.labeling.reviewable import a_campaign, ask, fresh

__all__ = ["as_bob", "campaign", "review"]


def asked(campaign: Campaign, *labels: str, **fields: Any) -> Review:
    question = labelled.a_question(campaign, "own", name="q", **fields)
    for number, label in enumerate(labels):
        labelled.say(question, f"person {number}", [label])
    return fresh(ask(campaign, TIE, question=question))


def test_several_options_become_one_label_in_their_order(
    as_bob: Client, campaign: Campaign
) -> None:
    options = [["a", "Anger"], ["b", "Bliss"], ["c", "Calm"]]
    review = asked(campaign, kind="several", options=options)

    both = press(as_bob, review, "answer", [NOBODY, "=a"])
    press(as_bob, review, "answer", ["=c", "=a"])

    assert both.status_code == 400
    assert fresh(review).blind_label == "a; c"
    assert "Anger, Calm" in page(as_bob, address(review))


def test_a_question_without_options_offers_what_was_said_and_anything_of_its_kind(
    as_bob: Client, campaign: Campaign
) -> None:
    review = asked(campaign, "2", "10", "10", kind=Question.Kind.RATING, options=[])

    found = page(as_bob, address(review))
    words = press(as_bob, review, "answer", "other", other="many")
    press(as_bob, review, "answer", "other", other="7")

    assert found.index('value="=2"') < found.index('value="=10"')
    assert words.status_code == 400
    assert "many is none" in words.content.decode()
    assert fresh(review).blind_label == "7"
    assert "\n7</textarea>" in page(as_bob, address(review))


def test_free_words_are_answered_in_words(as_bob: Client, campaign: Campaign) -> None:
    review = asked(campaign, "<b>because</b>", kind=Question.Kind.TEXT, options=[])

    empty = press(as_bob, review, "answer", "other", other=" ")
    press(as_bob, review, "answer", "other", other="It names no source.")

    assert empty.status_code == 400
    assert fresh(review).blind_label == "It names no source."
    assert "&lt;b&gt;because" in page(as_bob, address(review))


def test_an_answer_that_nobody_could_have_chosen_is_refused(as_bob: Client, review: Review) -> None:
    for answer in ("=maybe", "true", "other", "="):
        assert press(as_bob, review, "answer", answer).status_code == 400
    assert fresh(review).blind_at is None


def test_a_chunk_is_shown_with_its_question(
    as_bob: Client, workspace: Workspace, bob: User
) -> None:
    campaign = a_campaign(workspace, bob, tasks=("retrieval",))
    question = labelled.a_question(campaign, "retrieval")
    item = labelled.items_of(campaign)[TIE]
    item.chunk = "chunk-1"
    item.save(update_fields=["chunk"])
    review = fresh(ask(campaign, TIE, question=question))

    found = page(as_bob, address(review))

    assert "Retrieved passage" in found
    assert "Unused goods can be returned" in found
