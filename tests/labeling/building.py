"""Campaigns as a lead makes them: by the services, prepared in this process, no desk asked."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.labeling.desk import desks
from apps.labeling.making.creating import create_campaign
from apps.labeling.models import Annotation, Assignment, Campaign, CampaignStep, Item, Question
from apps.labeling.plans import Plan
from apps.labeling.sending import preparing
from apps.runs.models import Run, RunState
from tests.datasets.pairs import a_pair, pairs_csv, pairs_version
from tests.labeling.fake_desk import FakeDesk
from tests.runs.conftest import lease_of

LABELLED_AT = datetime(2026, 3, 2, 9, tzinfo=UTC)


def a_campaign(
    workspace: Workspace,
    by: User,
    *people: User,
    tasks: Sequence[str] = ("grounding", "relevance"),
    run: Run | None = None,
    pairs: int = 3,
    name: str = "Spring labels",
    blind: bool = True,
    consensus: str = "majority",
    settlers: Sequence[User] = (),
    guidelines: str = "",
    prepared: bool = True,
    query: str = "",
    **plan: Any,
) -> Campaign:
    """Over a few pairs that came with their answers, unless a run is given; `by` labels where
    nobody else does. Nothing of it is in Argilla."""
    with desks.use(FakeDesk()):  # else there would be nobody to ask
        campaign = create_campaign(
            workspace=workspace,
            run=run or a_run(workspace, by, pairs, query),
            name=name,
            plan=Plan.model_validate({"tasks": tasks, "calibration_share": 0, **plan}),
            people=people or (by,),
            settlers=settlers,
            guidelines=guidelines,
            blind=blind,
            consensus=consensus,
            by=by,
            now=timezone.now(),
        )
    return prepare(campaign) if prepared else campaign


def a_run(workspace: Workspace, by: User, pairs: int = 3, query: str = "") -> Run:
    told = {"query": query} if query else {}
    rows = [a_pair(number, **told) for number in range(pairs)]
    return preparing.source_of(pairs_version(workspace, pairs_csv(*rows)), by=by)


def an_ended_run(workspace: Workspace, by: User, pairs: int = 3) -> Run:
    """As its last step leaves it, without its numbers."""
    run = a_run(workspace, by, pairs)
    Run.objects.filter(pk=run.pk).update(state=RunState.COMPLETED, completed_at=timezone.now())
    run.refresh_from_db()
    return run


def prepare(campaign: Campaign) -> Campaign:
    """The step, done here."""
    lease = lease_of(step_of(campaign, CampaignStep.Name.PREPARE))
    assert isinstance(lease.job, CampaignStep)
    preparing.prepare(lease.job, lease)
    lease.close()
    campaign.refresh_from_db()
    return campaign


def step_of(campaign: Campaign, name: str) -> CampaignStep:
    return CampaignStep.objects.get(campaign=campaign, name=name)


def labelled(
    campaign: Campaign, said: Mapping[str, Sequence[str]], task_type: str = "grounding"
) -> list[Annotation]:
    """What each annotator said of the items in their order: `{"bob": ["true", "", "false"]}`.

    An empty text: not asked. The question is the first of the task type.
    """
    question = campaign.questions.filter(task_type=task_type).order_by("position")[0]
    return Annotation.objects.bulk_create(
        Annotation(
            item=item,
            question=question,
            annotator=annotator,
            user=User.objects.filter(username=annotator).first(),
            label=label,
            annotated_at=LABELLED_AT,
        )
        for annotator, labels in said.items()
        for item, label in zip(items_of(question), labels, strict=False)
        if label
    )


def items_of(question: Question) -> list[Item]:
    """Those whose task asks the question, by record and chunk."""
    found = Item.objects.filter(campaign=question.campaign)
    units = found.exclude(chunk="") if question.task_type == "retrieval" else found.filter(chunk="")
    return list(units.order_by("result__ordinal", "chunk"))


def labels_blind(run: Run, *people: User, **campaign: Any) -> Campaign:
    """An open campaign over the answers of a run, as a lead makes it."""
    facts = {"blind": True, "state": Campaign.State.OPEN, "kind": Campaign.Kind.DESK, **campaign}
    made = Campaign.objects.create(workspace=run.workspace, run=run, name=f"over {run.pk}", **facts)
    Assignment.objects.bulk_create(Assignment(campaign=made, user=user) for user in people)
    return made
