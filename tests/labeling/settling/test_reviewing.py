"""Deciding: blind first, once for all, with a reason where others are overruled."""

import pytest
from django.core.exceptions import ValidationError

from apps.accounts.models import AuditEvent, Membership, User, Workspace
from apps.labeling.models import Campaign, CampaignStep, Review
from apps.labeling.settling import reviewing
from apps.labeling.settling.raising import raise_reviews, review_what_labels_ask
from apps.labeling.settling.reviewing import Overtaken, Verdict
from apps.labeling.settling.truth import truth_of, truths
from tests.labeling import labelled
from tests.labeling.reviewable import (
    LATER,
    NOW,
    SAID_WHY,
    a_campaign,
    answered,
    ask,
    fresh,
    settled,
    told,
)

TIE, MAJORITY, UNANIMOUS, UNLABELLED = range(4)


@pytest.fixture
def campaign(workspace: Workspace, bob: User) -> Campaign:
    return a_campaign(workspace, bob)


@pytest.fixture
def review(campaign: Campaign) -> Review:
    return fresh(ask(campaign, TIE))


def settle(review: Review, by: User, label: str = "true", comment: str = "") -> None:
    reviewing.settle(review, Verdict(label=label, comment=comment), by=by, now=NOW)


def change(review: Review, by: User, label: str, comment: str = SAID_WHY) -> None:
    reviewing.change_mind(
        review,
        Verdict(label=label, comment=comment),
        seen=review.settled_at,
        by=by,
        now=LATER,
    )


def test_leads_review_and_those_who_were_asked_to_settle(
    campaign: Campaign, alice: User, bob: User, ada: User
) -> None:
    def may(user: User) -> bool:
        return reviewing.may_review(Membership.objects.get(user=user), campaign)

    before = [may(alice), may(ada), may(bob)]
    campaign.assignments.update(settles=False)

    assert before == [True, True, True]
    assert not may(bob)


def test_whoever_is_of_the_tie_says_why_they_settle_it_so(
    campaign: Campaign, review: Review, bob: User, alice: User
) -> None:
    review.item.annotations.filter(annotator="dora").update(user=bob)
    answered(review, bob)

    with pytest.raises(ValidationError, match="you are one of those who disagree"):
        settle(review, bob)
    settle(review, bob, comment=SAID_WHY)

    assert fresh(review).settled_by == bob


def test_whoever_agrees_with_most_says_no_more(campaign: Campaign, bob: User) -> None:
    review = fresh(ask(campaign, MAJORITY))
    review.item.annotations.filter(annotator="dora").update(user=bob)
    answered(review, bob)

    settle(review, bob)

    assert fresh(review).state == "settled"


def test_a_blind_answer_is_kept_with_who_and_when(review: Review, bob: User) -> None:
    found = answered(review, bob, "false")

    assert (found.state, found.label) == ("open", "")
    assert (found.blind_label, found.blind_by, found.blind_at) == ("false", bob, NOW)
    assert told(review) == [("answered", "false", "bob")]


def test_a_second_blind_answer_changes_nothing(review: Review, bob: User) -> None:
    answered(review, bob, "false")

    again = answered(review, bob, "true")

    assert again.blind_label == "false"
    assert told(review) == [("answered", "false", "bob")]


def test_nobody_settles_before_they_have_answered(review: Review, alice: User, bob: User) -> None:
    answered(review, alice)

    with pytest.raises(ValidationError, match="own answer first"):
        settle(review, bob)

    assert fresh(review).state == "open"


def test_the_settled_answer_is_the_truth(campaign: Campaign, review: Review, bob: User) -> None:
    answered(review, bob)

    settle(review, bob)

    truth = truth_of(review.item, review.question)
    assert (truth.label, truth.source) == ("true", "review")
    assert told(review) == [("answered", "true", "bob"), ("settled", "true", "bob")]


def test_a_settled_review_is_never_asked_again(
    campaign: Campaign, review: Review, bob: User
) -> None:
    settled(review, bob)
    labelled.say(review.question, "gwen", ["false"])

    review_what_labels_ask(campaign, truths(campaign))
    newly = raise_reviews(campaign, {(review.item_id, review.question_id): Review.Reason.TIE})

    assert newly == 0
    assert (fresh(review).state, fresh(review).label) == ("settled", "true")


def test_settling_has_the_numbers_computed_again_and_is_in_the_audit_log(
    campaign: Campaign, review: Review, bob: User
) -> None:
    settled(review, bob)

    assert campaign.steps.filter(name=CampaignStep.Name.ANALYSE, state="pending").exists()
    events = AuditEvent.objects.filter(object_type="labeling.review").order_by("pk")
    assert [event.verb for event in events] == ["review.answered", "review.settled"]
    assert events[1].changes == {"label": [None, "true"]}
    assert events[1].workspace == campaign.workspace


def test_what_nobody_can_decide_is_settled_without_a_label(review: Review, bob: User) -> None:
    settled(review, bob, "")

    truth = truth_of(review.item, review.question)
    assert (fresh(review).state, truth.label, truth.why) == ("settled", None, "undecidable")


# -- when a comment is needed --------------------------------------------------------------------


def test_taking_one_side_of_a_tie_needs_no_comment(review: Review, bob: User) -> None:
    assert settled(review, bob, "false").label == "false"


@pytest.mark.parametrize("number", [MAJORITY, UNANIMOUS])
@pytest.mark.parametrize("label", ["false", ""])
def test_overruling_most_people_needs_a_comment(
    campaign: Campaign, bob: User, number: int, label: str
) -> None:
    review = fresh(ask(campaign, number, "audit"))
    answered(review, bob, label)

    with pytest.raises(ValidationError, match="most people answered “Yes”"):
        settle(review, bob, label)
    settle(review, bob, label, SAID_WHY)

    assert (fresh(review).label, fresh(review).comment) == (label, SAID_WHY)


def test_one_person_is_not_called_most_people(campaign: Campaign, bob: User) -> None:
    review = fresh(ask(campaign, UNANIMOUS, "audit"))
    review.item.annotations.exclude(annotator="dora").delete()
    answered(review, bob, "false")

    with pytest.raises(ValidationError, match="the only person answered “Yes”"):
        settle(review, bob, "false")


def test_leaving_ones_own_answer_needs_a_comment(review: Review, bob: User) -> None:
    answered(review, bob, "false")

    with pytest.raises(ValidationError, match="what changed your mind"):
        settle(review, bob, "true")
    settle(review, bob, "true", SAID_WHY)

    found = fresh(review)
    assert (found.blind_label, found.label) == ("false", "true")


def test_answers_that_contradict_themselves_are_no_majority(campaign: Campaign, bob: User) -> None:
    from apps.labeling.models import Breach

    review = fresh(ask(campaign, MAJORITY, "audit"))
    for annotator in ("dora", "erin"):
        Breach.objects.create(
            item=review.item, annotator=annotator, task_type="grounding",
            constraint="fabricated_requires_cited", severity="block", message="No.",
        )  # fmt: skip

    assert reviewing.majority_of(review) == "false"


def test_nothing_is_a_majority_of_free_words(campaign: Campaign, bob: User) -> None:
    question = labelled.a_question(campaign, "own", name="why", kind="text", options=[])
    labelled.say(question, "dora", ["because"])

    assert reviewing.majority_of(ask(campaign, TIE, question=question)) is None


# -- two at once ---------------------------------------------------------------------------------


def test_the_second_is_told_who_settled_it_meanwhile_and_how(
    review: Review, alice: User, bob: User
) -> None:
    answered(review, alice, "false")
    answered(review, bob, "true")
    settle(review, bob, "true", SAID_WHY)

    with pytest.raises(Overtaken, match=f"Bob settled this meanwhile as “Yes”: {SAID_WHY}"):
        settle(review, alice, "false")

    found = fresh(review)
    assert (found.label, found.settled_by, found.blind_by) == ("true", bob, bob)


def test_an_answer_to_what_was_settled_meanwhile_is_not_kept(
    review: Review, alice: User, bob: User
) -> None:
    settled(review, bob)

    with pytest.raises(Overtaken, match="Bob settled this"):
        reviewing.answer_blind(review, "false", by=alice, now=NOW)

    assert ("answered", "false", "alice") not in told(review)


def test_a_withdrawn_review_says_so(review: Review, bob: User) -> None:
    Review.objects.update(state=Review.State.WITHDRAWN)

    with pytest.raises(Overtaken, match="withdrawn"):
        reviewing.answer_blind(review, "false", by=bob, now=NOW)


# -- changing one's mind -------------------------------------------------------------------------


def test_a_change_of_mind_replaces_the_answer_and_stays_in_the_history(
    review: Review, bob: User
) -> None:
    change(settled(review, bob), bob, "false")

    found = fresh(review)
    assert (found.label, found.comment, found.settled_at) == ("false", SAID_WHY, LATER)
    assert told(review)[-1] == ("changed", "false", "bob")
    assert len(told(review)) == 3
    event = AuditEvent.objects.get(verb="review.changed")
    assert event.changes == {"label": ["true", "false"]}


def test_a_change_of_mind_always_says_why(review: Review, bob: User) -> None:
    with pytest.raises(ValidationError, match="Say why"):
        change(settled(review, bob), bob, "false", comment="")


def test_a_change_of_what_has_changed_meanwhile_is_refused(
    review: Review, alice: User, bob: User
) -> None:
    seen = settled(review, bob)
    change(seen, alice, "false")

    with pytest.raises(Overtaken, match="Alice settled this meanwhile as “No”"):
        change(seen, bob, "")

    assert fresh(review).label == "false"


def test_leads_change_it_and_whoever_settled_it(review: Review, alice: User, bob: User) -> None:
    found = settled(review, bob)
    members = {each.user.username: each for each in Membership.objects.all()}
    by_bob = [reviewing.may_change(members[name], found) for name in ("alice", "bob")]

    change(found, alice, "false")

    assert by_bob == [True, True]
    assert not reviewing.may_change(members["bob"], fresh(review))
