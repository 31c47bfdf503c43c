"""A training table: each answer once, with its label and how sure it is."""

import json

from apps.accounts.models import Workspace
from apps.labeling.models import Question
from tests.datasets.pairs import pairs_version
from tests.labeling.exported import document, exported, table
from tests.labeling.exporting.grounded import campaign, ids, question
from tests.labeling.labelled import START, a_campaign, items_of, say, settle

__all__ = ["campaign", "question"]


def test_training_has_each_answer_once_and_says_how_sure_it_is(question: Question) -> None:
    say(question, "dora", ["false"])
    settle(question, 2, "true")
    question.campaign.items.update(probability=0.5)

    export = exported(question.campaign, "training")

    rows = table(export, "training.csv")
    assert [(row["id"], row["label"], row["how"]) for row in rows] == [
        ("p0", "true", "majority 2 of 3"),
        ("p1", "false", "majority 2 of 2"),
        ("p2", "true", "settled"),
    ]
    assert [row["agreement"] for row in rows] == ["0.6667", "1.0", "0.5"]
    assert {(row["probability"], row["weight"]) for row in rows} == {("0.5", "2.0")}
    assert json.loads(rows[0]["context"]) == ["Unused goods can be returned within 60 days."]
    assert len({row["group"] for row in rows}) == 3


def test_training_says_what_was_known(workspace: Workspace) -> None:
    version = pairs_version(workspace)
    before = a_campaign(workspace, version=version, name="before").questions.get()
    settle(before, 0, "false", gold_at=START)
    now = a_campaign(workspace, version=version, name="now").questions.get()
    say(now, "ada", ["true"])
    say(now, "bob", ["false"])

    [row] = table(exported(now.campaign, "training"), "training.csv")

    assert (row["label"], row["source"], row["how"]) == ("false", "gold", "known")
    assert (row["n_labels"], row["n_agreeing"], row["agreement"]) == ("2", "1", "0.5")


def test_training_leaves_out_what_nobody_agreed_on_and_counts_it(question: Question) -> None:
    question.campaign.items.create(result=items_of(question.campaign)[0].result, chunk="c9")

    export = exported(question.campaign, "training")

    assert ids(export, "training.csv") == ["p0", "p1"]
    told = document(export, "training_export.meta.json")
    assert (told["rows"], told["left_out"]) == ({"grounding": 2}, {"grounding": {"tie": 1}})
    assert told["items"] == {"labelled": 3, "unlabelled": 1}
    assert question.campaign.items.count() == 4


def test_an_undrawn_item_has_no_weight(question: Question) -> None:
    export = exported(question.campaign, "training")

    assert {(row["probability"], row["weight"]) for row in table(export, "training.csv")} == {
        ("", "")
    }
