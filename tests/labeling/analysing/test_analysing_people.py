"""Each person held against the others and against known answers."""

from datetime import timedelta
from typing import Any

import pytest

from apps.accounts.models import User, Workspace
from apps.labeling.analysing.contracts import People, Person
from apps.labeling.models import Annotation, Campaign, Question
from apps.metrics import agreement as metrics
from tests.datasets.pairs import pairs_version
from tests.labeling.analysing.reports import labelled, report
from tests.labeling.labelled import (
    START,
    a_campaign,
    a_question,
    analysed,
    discard,
    items_of,
    say,
    settle,
)


def person(campaign: Campaign, name: str) -> Person:
    listed = report(campaign, People, "people").listed
    return next(each for each in listed if each.annotator == name)


def test_a_person_is_held_against_the_others(workspace: Workspace) -> None:
    campaign = a_campaign(workspace, 10)
    agreed = ["true"] * 10
    labelled(campaign, alice=agreed, bob=agreed, dora=["true"] * 8 + ["false"] * 2)

    analysed(campaign)

    consensus = person(campaign, "dora").consensus
    assert (consensus.point, consensus.n, consensus.method) == (0.8, 10, "wilson")
    assert consensus.low == pytest.approx(0.4902, abs=1e-4)
    assert consensus.high == pytest.approx(0.9433, abs=1e-4)


def test_answers_to_two_questions_about_an_item_are_worth_no_more_items(
    workspace: Workspace,
) -> None:
    campaign = a_campaign(workspace, 10)
    labelled(campaign, alice=["true"] * 10, bob=["true"] * 9 + ["false"])
    second = a_question(campaign, name="source_cited")
    for name in ("alice", "bob"):
        say(second, name, ["true"] * 10)

    analysed(campaign)

    found = person(campaign, "bob")
    assert (found.consensus.point, found.consensus.n) == (0.95, 20)
    single = metrics.of_people(
        {"item": [*range(10)] * 2, "annotator": ["a"] * 10 + ["b"] * 10, "label": ["x"] * 20}
    )[0].consensus
    assert found.consensus.high < 1.0  # type: ignore[operator]
    assert found.consensus.low < single.low  # type: ignore[operator]


def test_hidden_gold_of_another_campaign_is_a_known_answer(workspace: Workspace) -> None:
    version = pairs_version(workspace)
    before = a_campaign(workspace, version=version, name="before")
    settle(before.questions.get(), 0, "true", gold_at=START)
    settle(before.questions.get(), 1, "false", gold_at=START)
    campaign = a_campaign(workspace, version=version, name="now")
    labelled(campaign, bob=["true", "true", "true"])

    analysed(campaign)

    gold = person(campaign, "bob").gold
    assert (gold.point, gold.n) == (0.5, 2)
    assert gold.low == pytest.approx(0.0945, abs=1e-4)


def test_gold_of_another_workspace_or_question_is_not_known(
    workspace: Workspace, charlie: object
) -> None:
    elsewhere = Workspace.objects.get(slug="elsewhere")
    settle(a_campaign(elsewhere).questions.get(), 0, "true", gold_at=START)
    campaign = a_campaign(workspace)
    settle(a_question(campaign, name="source_cited"), 0, "true", gold_at=START)
    say(campaign.questions.get(name=""), "bob", ["true"] * 3)

    analysed(campaign)

    gold = person(campaign, "bob").gold
    assert (gold.point, gold.n) == (None, 0)
    assert gold.reason == "no item has an answer that is known from somebody else"


def test_what_is_settled_but_not_gold_is_not_hidden_from_anybody(workspace: Workspace) -> None:
    campaign = a_campaign(workspace)
    question = labelled(campaign, bob=["true"] * 3)
    settle(question, 0, "false")

    analysed(campaign)

    assert person(campaign, "bob").gold.n == 0


@pytest.mark.parametrize(
    ("gold", "counted"),
    [
        ({"reason": "tie", "settled_by": "alice"}, {"bob": 1, "dora": 1}),
        ({"reason": "tie", "settled_by": "bob"}, {"bob": 0, "dora": 1}),
        ({"reason": "gold", "settled_by": "alice"}, {"bob": 0, "dora": 1}),
    ],
)
@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_nobody_is_held_against_an_answer_that_they_made(
    workspace: Workspace,
    alice: User,
    bob: User,
    where: str,
    gold: dict[str, Any],
    counted: dict[str, int],
) -> None:
    version = pairs_version(workspace)
    before = a_campaign(workspace, version=version, name="before").questions.get()
    now = before if where == "here" else a_campaign(workspace, version=version).questions.get()
    by = {"alice": alice, "bob": bob}[gold["settled_by"]]
    say(before, "bob", ["true"])
    say(now, "dora", ["-", "true"] if where == "here" else ["true"])
    if where == "elsewhere":
        say(now, "bob", ["true"])
    else:
        twin(now)
    Annotation.objects.filter(annotator="bob").update(user=bob)
    settle(before, 0, "true", gold_at=START, **{**gold, "settled_by": by})

    analysed(now.campaign)

    assert {name: person(now.campaign, name).gold.n for name in counted} == counted


@pytest.mark.parametrize(("hours", "counted"), [(-1, 1), (1, 0)])
def test_who_may_have_read_a_settled_answer_first_is_not_held_against_it(
    workspace: Workspace, alice: User, bob: User, hours: int, counted: int
) -> None:
    version = pairs_version(workspace)
    before = a_campaign(workspace, version=version, name="before").questions.get()
    before.campaign.assignments.create(user=bob, settles=True)
    settle(before, 0, "true", gold_at=START, settled_at=START, settled_by=alice)
    now = a_campaign(workspace, version=version).questions.get()
    say(now, "bob", ["true"])
    say(now, "dora", ["true"])
    at = START + timedelta(hours=hours)
    Annotation.objects.filter(annotator="bob").update(user=bob, annotated_at=at)

    analysed(now.campaign)

    found = [person(now.campaign, name).gold.n for name in ("bob", "dora")]
    assert found == [counted, 1]


def twin(question: Question) -> None:
    """The second answer of its campaign is the same pair as the first."""
    first, second, *_ = items_of(question.campaign)
    second.pair_sha256 = first.pair_sha256
    second.save()


def test_discards_are_counted_by_reason(workspace: Workspace) -> None:
    campaign = a_campaign(workspace, 4)
    question = labelled(campaign, bob=["true"])
    for number, reason in ((1, "unclear"), (2, "unclear"), (3, "outside_reviewer_expertise")):
        discard(question, "bob", number, reason)

    analysed(campaign)

    discards = person(campaign, "bob").discards
    assert [(each.label, each.count) for each in discards] == [
        ("unclear", 2),
        ("outside_reviewer_expertise", 1),
    ]


def test_pace_leaves_out_pauses(workspace: Workspace) -> None:
    campaign = a_campaign(workspace, 30)
    labelled(campaign, bob=["true"] * 30)
    afternoon = Annotation.objects.filter(item__result__ordinal__gte=15)
    for each in afternoon:
        each.annotated_at += timedelta(hours=5)
        each.save()

    analysed(campaign)

    pace = person(campaign, "bob").pace
    assert pace.per_hour == pytest.approx(60)
    assert pace.answers == 30


def test_no_pace_is_said_of_a_few_answers(workspace: Workspace) -> None:
    campaign = a_campaign(workspace)
    labelled(campaign, bob=["true"] * 3)

    analysed(campaign)

    pace = person(campaign, "bob").pace
    assert pace.per_hour is None
    assert pace.why


def test_who_says_yes_is_shown(workspace: Workspace) -> None:
    campaign = a_campaign(workspace, 4)
    labelled(campaign, bob=["true", "true", "true", "false"])

    analysed(campaign)

    assert person(campaign, "bob").yes.point == 0.75
