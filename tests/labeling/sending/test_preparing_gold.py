"""Gold is hidden among the items, where the same is asked, and once."""

from datetime import UTC, datetime
from typing import Any

import pytest

from apps.accounts.models import User, Workspace
from apps.labeling.models import Item, Review
from apps.labeling.sending import preparing
from apps.runs.models import Run
from tests.datasets.pairs import a_pair, pairs_csv, pairs_version
from tests.labeling.building import a_campaign
from tests.labeling.sending.prepared import drawn_of


def a_gold_item(workspace: Workspace, alice: User, *, pairs: int = 3, **asked: Any) -> Item:
    """In a campaign over other pairs than those that are labelled next."""
    rows = [a_pair(number, query=f"An older question {number}?") for number in range(pairs)]
    if "run" not in asked:
        older = pairs_version(workspace, pairs_csv(*rows), "old.csv")
        asked["run"] = preparing.source_of(older, by=alice)
    campaign = a_campaign(workspace, alice, name="Before", **{"tasks": ["grounding"], **asked})
    item = campaign.items.order_by("pk")[0]
    now = datetime.now(UTC)
    Review.objects.create(
        item=item,
        question=campaign.questions.get(),
        reason=Review.Reason.TIE,
        state=Review.State.SETTLED,
        label="true",
        settled_at=now,
        gold_at=now,
        gold_by=alice,
    )
    return item


def test_gold_items_are_hidden_among_the_others(workspace: Workspace, alice: User) -> None:
    gold = a_gold_item(workspace, alice)

    campaign = a_campaign(
        workspace, alice, tasks=["grounding", "relevance"], sample={"gold": 5}, pairs=4
    )

    hidden = campaign.items.get(pair_sha256=gold.pair_sha256)
    assert (hidden.result_id, hidden.probability) == (gold.result_id, None)
    assert [record.queue.task for record in hidden.desk_records.all()] == ["grounding"]
    assert drawn_of(campaign).gold == 1
    assert campaign.items.count() == 5


def test_whoever_labels_blind_sees_no_run_that_a_hidden_answer_is_from(
    workspace: Workspace, alice: User, bob: User
) -> None:
    gold = a_gold_item(workspace, alice).result.run
    before = Run.objects.visible_to(bob).contains(gold)

    a_campaign(workspace, alice, bob, tasks=["grounding"], sample={"gold": 5}, pairs=4)

    seen = [Run.objects.visible_to(each).contains(gold) for each in (bob, alice)]
    assert (before, seen) == (True, [False, True])


def test_a_hidden_answer_of_the_same_run_is_none_of_the_drawn_ones(
    workspace: Workspace, alice: User
) -> None:
    rows = [a_pair(number, query=f"Which rule {number}?") for number in range(4)]
    rows[3] = a_pair(3, context=[])
    run = preparing.source_of(pairs_version(workspace, pairs_csv(*rows)), by=alice)
    gold = a_gold_item(workspace, alice, run=run).result

    sample = {"how": "random", "size": 2, "gold": 5, "seed": 2}  # the first and the fourth
    campaign = a_campaign(workspace, alice, run=run, tasks=["grounding"], sample=sample)

    told = drawn_of(campaign)
    asked = campaign.items.order_by("result__ordinal").values_list("result__ordinal", flat=True)
    assert list(asked) == [0, gold.ordinal]
    assert (told.drawn, told.gold, [task.without for task in told.tasks]) == (2, 1, [1])


@pytest.mark.parametrize(("title", "hidden"), [("Is it short?", 1), ("Is it kind?", 0)])
def test_gold_of_an_own_question_is_hidden_where_the_same_is_asked(
    workspace: Workspace, alice: User, title: str, hidden: int
) -> None:
    own: dict[str, Any] = {"tasks": ["own"], "own": [{"name": "tone", "title": "Is it short?"}]}
    a_gold_item(workspace, alice, **own)

    again: dict[str, Any] = {"tasks": ["own"], "own": [{"name": "tone", "title": title}]}
    campaign = a_campaign(workspace, alice, sample={"gold": 5}, pairs=4, **again)

    assert drawn_of(campaign).gold == hidden


def test_a_gold_item_that_is_drawn_anyway_is_not_asked_twice(
    workspace: Workspace, alice: User
) -> None:
    gold = a_gold_item(workspace, alice)

    campaign = a_campaign(
        workspace, alice, run=gold.result.run, tasks=["grounding"], sample={"gold": 5}
    )

    assert campaign.items.count() == 3
    assert drawn_of(campaign).gold == 0
    assert campaign.items.get(pair_sha256=gold.pair_sha256).probability == 1.0
