"""All passages of one answer are a panel: when it is complete, and what it says merged."""

import pytest

from apps.labeling.exporting.panels import Panel, completeness_of
from apps.labeling.models import Campaign
from tests.labeling.exported import document, exported, table
from tests.labeling.exporting.of_every_task import NAMES, answer, asked, campaign, passage
from tests.labeling.labelled import discard, items_of

__all__ = ["campaign"]


def test_a_panel_is_complete_when_every_passage_has_a_submitted_answer(
    campaign: Campaign,
) -> None:
    retrieval = asked(campaign, "retrieval")
    for chunk in ("c1", "c2"):
        answer(retrieval, "ada", passage(campaign, 0, chunk), "ynn")
    answer(retrieval, "ada", passage(campaign, 1, "c1"), "ynn")
    for question in retrieval.values():
        place = items_of(campaign).index(passage(campaign, 1, "c2"))
        discard(question, "ada", place)

    export = exported(campaign, "tasks")

    rows = table(export, "retrieval.csv")
    assert [row["panel_complete"] for row in rows] == ["true", "true", "false"]
    last = rows[-1]
    assert (last["n_annotated_chunks"], last["n_submitted_chunks"]) == ("2", "1")
    assert last["n_discarded_chunks"] == "1"
    told = document(export, "annotation_export.meta.json")
    assert told["completeness_status"] == "ok"
    assert told["completeness_summary"]["<5"] == {"panels": 2, "complete": 1}


def test_the_merged_view_says_yes_where_anybody_does_of_any_passage(campaign: Campaign) -> None:
    retrieval = asked(campaign, "retrieval")
    answer(retrieval, "ada", passage(campaign, 0, "c1"), "ynn")
    answer(retrieval, "bob", passage(campaign, 0, "c2"), "nny")

    [row] = table(exported(campaign, "tasks"), "retrieval_merged.csv")

    assert [row[f"{name}_any"] for name in NAMES["retrieval"]] == ["true", "false", "true"]
    assert (row["query"], row["panel_complete"]) == ("Can I return lamp 0?", "true")


@pytest.mark.parametrize(("retrieved", "bucket"), [(1, "<5"), (4, "<5"), (5, "5"), (6, ">5")])
def test_panels_are_told_by_how_many_passages_they_have(retrieved: int, bucket: str) -> None:
    panel = Panel(retrieved=retrieved, seen=retrieved, submitted=retrieved)

    found = completeness_of([panel])

    assert {name for name, told in found.summary.items() if told["complete"]} == {bucket}
    assert found.status == "ok"


def test_a_panel_whose_passages_the_record_does_not_have_is_not_known() -> None:
    assert completeness_of([Panel(retrieved=0, seen=2, submitted=2)]).status == "failed"
