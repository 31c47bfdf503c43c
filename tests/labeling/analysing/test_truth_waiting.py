"""An answer waits for those who can still give one, and for nobody else."""

from collections.abc import Callable

import pytest

from apps.accounts.models import User, Workspace
from apps.labeling.models import Campaign, Question
from apps.labeling.plans import Asked
from apps.labeling.settling.truth import truths
from tests.labeling.analysing.truths import a_breach, campaign, question, said
from tests.labeling.labelled import a_campaign, a_question, calibrate, discard, items_of, say

__all__ = ["campaign", "question"]


def test_fewer_labels_than_planned_are_too_few(both_asked: Question) -> None:
    say(both_asked, "alice", ["true", "true"])
    say(both_asked, "bob", ["true"])

    assert said(both_asked, 0) == ("true", "consensus", "")
    assert said(both_asked, 1) == (None, "", "too_few")


def test_after_the_end_the_labels_there_are_decide(workspace: Workspace) -> None:
    question = a_campaign(workspace, min_submitted=2, state="closed").questions.get()
    say(question, "alice", ["true"])
    discard(question, "bob", 0)

    assert said(question) == ("true", "consensus", "")


def test_the_calibration_share_waits_for_everybody(campaign: Campaign, question: Question) -> None:
    calibrate(campaign, 0, 1, people=3)
    say(question, "alice", ["true", "true", "true"])
    say(question, "bob", ["true", "true"])
    say(question, "dora", ["true"])

    assert [said(question, number)[2] for number in range(3)] == ["", "too_few", ""]


def test_who_was_replaced_does_not_answer_in_the_place_of_who_came(
    campaign: Campaign, question: Question, alice: User, bob: User, ada: User
) -> None:
    for person in (alice, ada):
        campaign.assignments.create(user=person)
    calibrate(campaign, 0, people=2)
    for person in (alice, bob):
        say(question, person.username, ["true"])
        question.annotations.filter(annotator=person.username).update(user=person)

    before = said(question)
    say(question, "ada", ["true"])
    question.annotations.filter(annotator="ada").update(user=ada)

    assert (before, said(question)) == ((None, "", "too_few"), ("true", "consensus", ""))


def test_a_discard_is_an_answer_that_nobody_waits_for(
    campaign: Campaign, question: Question
) -> None:
    calibrate(campaign, 0, people=2)
    say(question, "alice", ["true"])
    discard(question, "bob", 0)

    assert said(question) == ("true", "consensus", "")


@pytest.fixture
def both_asked(workspace: Workspace, alice: User, bob: User) -> Question:
    """Each item waits for two people, and there are no more."""
    question = a_campaign(workspace, min_submitted=2).questions.get()
    for person in (alice, bob):
        question.campaign.assignments.create(user=person)
    return question


def signed(question: Question, *people: User) -> None:
    for person in people:
        question.annotations.filter(annotator=person.username).update(user=person)


@pytest.mark.parametrize("for_everybody", [False, True])
def test_what_one_of_all_people_has_discarded_waits_for_nobody(
    both_asked: Question, alice: User, bob: User, for_everybody: bool
) -> None:
    if for_everybody:
        calibrate(both_asked.campaign, 0, people=2)
    say(both_asked, "alice", ["true", "true"])
    discard(both_asked, "bob", 0)
    signed(both_asked, alice, bob)

    assert said(both_asked, 0) == (None, "", "discarded")
    assert said(both_asked, 1) == (None, "", "too_few")


def test_what_everybody_has_discarded_is_left_to_whoever_settles(
    both_asked: Question, alice: User, bob: User
) -> None:
    discard(both_asked, "alice", 0)
    discard(both_asked, "alice", 1)
    discard(both_asked, "bob", 0)
    signed(both_asked, alice, bob)

    found = truths(both_asked.campaign)

    first, second, _third = items_of(both_asked.campaign)
    assert found[first.pk, both_asked.pk].why == "discarded"
    assert (second.pk, both_asked.pk) not in found


def go_all(question: Question) -> None:
    for assignment in question.campaign.assignments.all():
        deactivate(assignment.user)


def end(question: Question) -> None:
    Campaign.objects.filter(pk=question.campaign_id).update(state=Campaign.State.CLOSED)


@pytest.mark.parametrize("nobody_is_asked", [go_all, end])
def test_what_was_only_discarded_waits_for_nobody_where_nobody_is_asked(
    both_asked: Question, alice: User, nobody_is_asked: Callable[[Question], None]
) -> None:
    discard(both_asked, "alice", 0)
    signed(both_asked, alice)
    before = said(both_asked)

    nobody_is_asked(both_asked)

    asked = Question.objects.get(pk=both_asked.pk)
    assert (before, said(asked)) == ((None, "", "unanswered"), (None, "", "discarded"))


def test_somebody_more_is_waited_for_in_the_place_of_who_discarded(
    both_asked: Question, alice: User, bob: User, ada: User
) -> None:
    say(both_asked, "alice", ["true"])
    discard(both_asked, "bob", 0)
    signed(both_asked, alice, bob)

    both_asked.campaign.assignments.create(user=ada)

    assert said(both_asked) == (None, "", "too_few")


def deactivate(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def leave_the_workspace(user: User) -> None:
    user.memberships.all().delete()


@pytest.mark.parametrize("go", [deactivate, leave_the_workspace])
def test_what_is_discarded_does_not_wait_for_who_can_label_no_more(
    both_asked: Question, alice: User, bob: User, ada: User, go: Callable[[User], None]
) -> None:
    both_asked.campaign.assignments.create(user=ada)
    say(both_asked, "alice", ["true"])
    discard(both_asked, "bob", 0)
    signed(both_asked, alice, bob)
    before = said(both_asked)

    go(ada)

    assert (before, said(both_asked)) == ((None, "", "too_few"), (None, "", "discarded"))


@pytest.mark.parametrize("go", [deactivate, leave_the_workspace])
def test_the_overlap_is_of_those_who_can_still_label(
    both_asked: Question, alice: User, bob: User, go: Callable[[User], None]
) -> None:
    say(both_asked, "alice", ["true"])
    before = said(both_asked)

    go(bob)

    assert (before, said(both_asked)) == ((None, "", "too_few"), ("true", "consensus", ""))


@pytest.mark.parametrize("go", [deactivate, leave_the_workspace])
@pytest.mark.parametrize("has_answered", [True, False])
def test_the_calibration_share_does_not_wait_for_who_can_label_no_more(
    workspace: Workspace, alice: User, bob: User, go: Callable[[User], None], has_answered: bool
) -> None:
    question = a_campaign(workspace).questions.get()
    for person in (alice, bob):
        question.campaign.assignments.create(user=person)
    calibrate(question.campaign, 0, 1, people=2)
    say(question, "alice", ["true"])
    say(question, "bob", ["true" if has_answered else "-", "true"])
    signed(question, alice, bob)

    go(bob)

    assert said(question, 0) == ("true", "consensus", "")
    assert said(question, 1) == (None, "", "too_few")


def test_who_contradicts_themselves_is_waited_for_beside_who_discarded(
    both_asked: Question, alice: User, bob: User, ada: User
) -> None:
    both_asked.campaign.assignments.create(user=ada)
    say(both_asked, "alice", ["true"])
    say(both_asked, "ada", ["true"])
    discard(both_asked, "bob", 0)
    signed(both_asked, alice, bob, ada)
    a_breach(both_asked, "ada")

    assert said(both_asked) == (None, "", "too_few")


def test_a_closed_campaign_waits_for_nobody(campaign: Campaign, question: Question) -> None:
    calibrate(campaign, 0, people=3)
    say(question, "alice", ["true"])
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.CLOSED)

    assert said(Question.objects.get(pk=question.pk)) == ("true", "consensus", "")


@pytest.mark.parametrize(
    ("task", "task_type"),
    [
        ("retrieval", "retrieval"),
        ("grounding", "grounding"),
        ("relevance", "relevance"),
        ("retrieval_full", "retrieval"),
        ("grounding_full", "grounding"),
        ("generation", "generation"),
        ("rubric", "rubric"),
        ("reference", "reference"),
        ("own", "own"),
    ],
)
def test_the_calibration_share_of_every_task_waits_for_everybody(
    workspace: Workspace, task: str, task_type: str
) -> None:
    own = (Asked(name="tone", title="Is it polite?"),) if task == "own" else ()
    campaign = a_campaign(workspace, tasks=(task,), own=own)
    asked = a_question(campaign, task_type, name="asked")
    calibrate(campaign, 0, people=2, task=task)

    say(asked, "alice", ["true"])
    before = said(asked)
    say(asked, "bob", ["true"])

    assert (before, said(asked)) == ((None, "", "too_few"), ("true", "consensus", ""))
