"""What contradicts itself is told in the files of tasks."""

import pytest

from apps.accounts.models import User, Workspace
from apps.labeling.models import Campaign
from apps.labeling.syncing import sync_now
from tests.labeling.at_the_desk import Labeller, opened
from tests.labeling.exported import document, exported, objects, table
from tests.labeling.exporting.of_every_task import answer, asked, campaign, passage, whole
from tests.labeling.fake_desk import FakeDesk, fake_desk
from tests.labeling.labelled import a_campaign, a_question, items_of

__all__ = ["campaign", "fake_desk"]


@pytest.mark.parametrize(
    ("ticked", "constraint", "told"),
    [
        (["none", "2"], "none_stands_alone", "rubric: none is chosen together with 2"),
        (["1", "7"], "criteria_exist", "rubric: 7 chosen, but the record has 2 criteria"),
    ],
)
def test_a_checklist_that_contradicts_itself_is_told_as_it_was_when_it_came(
    workspace: Workspace,
    bob: User,
    fake_desk: FakeDesk,
    ticked: list[str],
    constraint: str,
    told: str,
) -> None:
    checklist = a_checklist(workspace, bob, fake_desk)
    Labeller(fake_desk, checklist, "bob").says(0, label=ticked)
    Labeller(fake_desk, checklist, "bob").says(1, label=["1"])
    sync_now(checklist)

    tasks, lines = exported(checklist, "tasks"), exported(checklist, "lines")

    rows = table(tasks, "task_rubric.csv")
    assert [(row["constraint_violated"], row["constraint_details"]) for row in rows] == [
        ("true", told),
        ("false", ""),
    ]
    assert document(tasks, "annotation_export.meta.json")["constraint_summary"] == {constraint: 1}
    found = [(each["breaches"], each["counts"]) for each in objects(lines, "labels.jsonl")]
    breach = {"constraint": constraint, "severity": "block", "message": told}
    assert found == [([breach], False)] * 2 + [([], True)] * 2


def a_checklist(workspace: Workspace, user: User, desk: FakeDesk) -> Campaign:
    """Of two criteria for two answers, of more for a third; the person is asked in Argilla."""
    made = a_campaign(workspace, tasks=("rubric",))
    made.questions.all().delete()
    made.items.filter(result__ordinal__lt=2).update(criteria=2)
    made.items.filter(result__ordinal=2).update(criteria=8)
    for number in range(1, 9):
        a_question(made, "rubric", name=f"criterion-{number}", position=number)
    queue = made.queues.create(task="rubric")
    for item in items_of(made):
        queue.records.create(item=item)
    made.assignments.create(user=user)
    return opened(made, desk)


def test_labels_that_contradict_each_other_are_told(campaign: Campaign) -> None:
    retrieval, grounding = asked(campaign, "retrieval"), asked(campaign, "grounding")
    answer(retrieval, "ada", passage(campaign, 0, "c1"), "nyy")
    answer(grounding, "ada", whole(campaign), "ynynn")

    export = exported(campaign, "tasks")

    [row] = table(export, "retrieval.csv")
    assert row["constraint_violated"] == "true"
    assert row["constraint_details"] == (
        "retrieval: evidence_sufficient=True but topically_relevant=False;"
        "retrieval: evidence_sufficient=True but misleading=True"
    )
    [row] = table(export, "grounding.csv")
    assert row["constraint_details"] == (
        "grounding: contradicted_claim_present=True but unsupported_claim_present=False"
    )
    told = document(export, "annotation_export.meta.json")["constraint_summary"]
    assert told == {
        "contradiction_requires_unsupported": 1,
        "evidence_excludes_misleading": 1,
        "evidence_requires_relevance": 1,
    }


def test_a_constraint_that_is_switched_off_is_not_checked(campaign: Campaign) -> None:
    campaign.plan["severities"] = {"evidence_excludes_misleading": "off"}
    campaign.save()
    answer(asked(campaign, "retrieval"), "ada", passage(campaign, 0, "c1"), "yyy")

    [row] = table(exported(campaign, "tasks"), "retrieval.csv")

    assert (row["constraint_violated"], row["constraint_details"]) == ("false", "")
