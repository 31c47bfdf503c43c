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
    older = preparing.source_of(pairs_version(workspace, pairs_csv(*rows), "old.csv"), by=alice)
    asked = {"tasks": ["grounding"], **asked}
    campaign = a_campaign(workspace, alice, run=older, name="Before", **asked)
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
