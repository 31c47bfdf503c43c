"""What the answer to a question on an item is: settled, known, or agreed on."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Workspace
from apps.labeling.models import Campaign, Question, Review
from apps.labeling.settling.truth import truths
from tests.datasets.pairs import a_pair, pairs_csv, pairs_version
from tests.labeling.analysing.truths import a_breach, campaign, of, question, said
from tests.labeling.labelled import START, a_campaign, a_question, calibrate, items_of, say, settle

__all__ = ["campaign", "question"]


def test_nobody_has_said_anything(question: Question) -> None:
    assert said(question) == (None, "", "unanswered")


def test_the_majority_is_the_answer(question: Question) -> None:
    for person, label in (("alice", "true"), ("bob", "false"), ("dora", "true")):
        say(question, person, [label])

    truth = of(question)

    assert (truth.label, truth.source) == ("true", "consensus")
    assert [(vote.label, vote.count) for vote in truth.votes] == [("true", 2), ("false", 1)]


def test_a_tie_has_no_answer(question: Question) -> None:
    say(question, "alice", ["true"])
    say(question, "bob", ["false"])

    assert said(question) == (None, "", "tie")


@pytest.mark.parametrize(
    ("consensus", "labels", "answer"),
    [
        ("unanimity", ("true", "true"), ("true", "consensus", "")),
        ("unanimity", ("true", "true", "false"), (None, "", "split")),
        ("adjudicated", ("true", "true"), (None, "", "adjudicate")),
    ],
)
def test_the_rule_of_the_campaign_decides(
    workspace: Workspace, consensus: str, labels: tuple[str, ...], answer: tuple[str | None, ...]
) -> None:
    question = a_campaign(workspace, consensus=consensus).questions.get()
    for number, label in enumerate(labels):
        say(question, f"person {number}", [label])

    assert said(question) == answer


def test_a_settled_review_is_the_answer_whatever_people_said(question: Question) -> None:
    for person in ("alice", "bob", "dora"):
        say(question, person, ["true"])
    settle(question, 0, "false")

    truth = of(question)

    assert (truth.label, truth.source) == ("false", "review")
    assert truth.votes[0].count == 3


def test_a_review_may_settle_what_nobody_labelled(question: Question) -> None:
    settle(question, 2, "true")

    assert said(question, 2) == ("true", "review", "")


def test_a_review_may_find_that_nobody_can_say(question: Question) -> None:
    say(question, "alice", ["true"])
    settle(question, 0, "")

    assert said(question) == (None, "review", "undecidable")


def test_an_open_review_leaves_the_consensus_standing(question: Question) -> None:
    say(question, "alice", ["true"])
    Review.objects.create(item=items_of(question.campaign)[0], question=question, reason="audit")

    assert said(question) == ("true", "consensus", "")


@pytest.mark.parametrize("consensus", ["majority", "unanimity", "adjudicated"])
def test_what_is_gold_elsewhere_is_the_answer_to_the_same_pair(
    workspace: Workspace, consensus: str
) -> None:
    version = pairs_version(workspace)
    before = a_campaign(workspace, version=version, name="before").questions.get()
    settle(before, 0, "false", gold_at=START)
    settle(before, 1, "false")
    now = a_campaign(workspace, version=version, consensus=consensus).questions.get()
    for person, label in (("alice", "true"), ("bob", "true"), ("dora", "false")):
        say(now, person, [label] * 2)

    truth = of(now)

    assert (truth.label, truth.source, truth.why) == ("false", "gold", "")
    assert [(vote.label, vote.count) for vote in truth.votes] == [("true", 2), ("false", 1)]
    assert said(now, 1)[1] != "gold"


def test_a_review_of_its_own_outweighs_what_is_gold_elsewhere(workspace: Workspace) -> None:
    version = pairs_version(workspace)
    before = a_campaign(workspace, version=version, name="before").questions.get()
    settle(before, 0, "false", gold_at=START)
    now = a_campaign(workspace, version=version).questions.get()
    settle(now, 0, "true")

    assert said(now) == ("true", "review", "")


@pytest.mark.parametrize(
    ("task", "changes"),
    [
        ("grounding", {"name": "source_cited"}),
        ("grounding", {"kind": Question.Kind.RATING, "options": [["1", "1"], ["2", "2"]]}),
        ("own", {"title": "Is it short?"}),
    ],
)
def test_another_question_about_the_pair_makes_nothing_known(
    workspace: Workspace, task: str, changes: dict[str, Any]
) -> None:
    version = pairs_version(workspace)
    before = a_campaign(workspace, version=version, name="before")
    settle(a_question(before, task, **{"name": "asked", **changes}), 0, "false", gold_at=START)
    now = a_question(a_campaign(workspace, version=version), task, name="asked")
    say(now, "alice", ["true"])

    assert said(now) == ("true", "consensus", "")


@pytest.mark.parametrize(("task", "answer"), [("rubric", "true"), ("relevance", "false")])
def test_what_is_known_of_a_checklist_is_of_one_record(
    workspace: Workspace, task: str, answer: str
) -> None:
    before = a_campaign(workspace, name="before")
    settle(a_question(before, task, name="asked"), 0, "false", gold_at=START)
    other = pairs_version(workspace, pairs_csv(a_pair(0, source="letters")), name="changed")
    now = a_question(a_campaign(workspace, version=other), task, name="asked")
    say(now, "alice", ["true"])

    assert said(now)[0] == answer


def test_an_answer_that_contradicts_itself_does_not_count(question: Question) -> None:
    say(question, "alice", ["true"])
    say(question, "bob", ["false"])
    a_breach(question, "bob")

    assert said(question) == ("true", "consensus", "")


def test_free_words_have_no_consensus(campaign: Campaign) -> None:
    remark = a_question(campaign, name="remark", kind=Question.Kind.TEXT, options=[])
    say(remark, "alice", ["fine"])

    assert said(remark) == (None, "", "text")


def test_more_labels_cost_no_more_queries(workspace: Workspace) -> None:
    def queries(campaign: Campaign, people: int) -> int:
        calibrate(campaign, 0, 1, people=people)
        for number in range(people):
            say(campaign.questions.get(), f"person {number}", ["true"] * 3)
        with CaptureQueriesContext(
            connection,
        ) as asked:
            truths(campaign)
        return len(asked)

    few = queries(a_campaign(workspace, 3, name="few"), 1)
    many = queries(a_campaign(workspace, 3, name="many"), 9)

    assert few == many <= 8
