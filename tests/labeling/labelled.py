"""Campaigns with labels made quickly: rows on the recorded run of a few pairs, no desk."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.accounts.models import User, Workspace
from apps.accounts.permissions import Role
from apps.datasets.models import DatasetVersion
from apps.jobs.models import JobState
from apps.labeling.models import (
    Annotation,
    Campaign,
    CampaignStep,
    DeskRecord,
    Item,
    Question,
    Queue,
    Review,
)
from apps.labeling.nudging import ask_for
from apps.labeling.plans import Plan
from apps.runs.recorded.recording import recorded_run
from tests.datasets.pairs import a_pair, pairs_csv, pairs_version
from tests.runs.conftest import work_on

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def a_campaign(
    workspace: Workspace,
    items: int = 3,
    *,
    version: DatasetVersion | None = None,
    consensus: str = "majority",
    state: str = "open",
    name: str = "Grounding in March",
    **plan: Any,
) -> Campaign:
    """Asks whether answers are grounded; nobody has labelled yet."""
    made = version or pairs_version(workspace, pairs_csv(*map(a_pair, range(items))))
    run = recorded_run(made, by=None, now=START)
    campaign = Campaign.objects.create(
        workspace=workspace,
        run=run,
        kind=Campaign.Kind.DESK,
        name=name,
        state=state,
        consensus=consensus,
        plan=Plan(**{"tasks": ("grounding",), "calibration_share": 0, **plan}).model_dump(),
    )
    a_question(campaign)
    Item.objects.bulk_create(
        Item(campaign=campaign, result=result, pair_sha256=f"{result.ordinal:064}")
        for result in run.results.order_by("ordinal")
    )
    return campaign


def a_question(campaign: Campaign, task: str = "grounding", **fields: Any) -> Question:
    yes_no = {"kind": Question.Kind.YES_NO, "options": [["true", "Yes"], ["false", "No"]]}
    fields = {"title": f"Is it good in {task}?", **yes_no, **fields}
    return Question.objects.create(campaign=campaign, task_type=task, **fields)


def items_of(campaign: Campaign) -> list[Item]:
    return list(campaign.items.order_by("result__ordinal", "chunk"))


def say(question: Question, annotator: str, labels: Sequence[str], *, first: int = 0) -> None:
    """Somebody's labels of the items from `first` on, a minute each; `-` skips one."""
    items = items_of(question.campaign)[first:]
    Annotation.objects.bulk_create(
        Annotation(
            item=item,
            question=question,
            annotator=annotator,
            label=label,
            annotated_at=START + timedelta(minutes=number),
        )
        for number, (item, label) in enumerate(zip(items, labels, strict=False))
        if label != "-"
    )


def discard(question: Question, annotator: str, number: int, reason: str = "unclear") -> None:
    Annotation.objects.create(
        item=items_of(question.campaign)[number],
        question=question,
        annotator=annotator,
        discard_reason=reason,
        annotated_at=START,
    )


def calibrate(campaign: Campaign, *numbers: int, people: int, task: str = "grounding") -> None:
    """These items wait for everybody; whoever of them has no account yet gets one."""
    for number in range(campaign.assignments.count(), people):
        member = User.objects.create_user(f"{campaign.pk} member {number}")
        campaign.workspace.memberships.create(user=member, role=Role.REVIEWER)
        campaign.assignments.create(user=member)
    queue = Queue.objects.create(
        campaign=campaign, task=task, calibration=True, min_submitted=people
    )
    items = items_of(campaign)
    DeskRecord.objects.bulk_create(
        DeskRecord(queue=queue, item=items[number]) for number in numbers
    )


def settle(question: Question, number: int, label: str, **fields: Any) -> Review:
    item = items_of(question.campaign)[number]
    fields = {"reason": Review.Reason.TIE, **fields}
    review, _ = Review.objects.update_or_create(
        item=item,
        question=question,
        defaults={"state": "settled", "settled_at": START, "label": label, **fields},
    )
    return review


def analysed(campaign: Campaign) -> CampaignStep:
    """After one delivery of the step that computes its numbers."""
    ask_for(campaign.pk, CampaignStep.Name.ANALYSE)
    step = work_on(CampaignStep.objects.get(campaign=campaign, name=CampaignStep.Name.ANALYSE))
    assert step.state == JobState.DONE, step.error
    return step
