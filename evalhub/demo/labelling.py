"""What people said of the example's answers, and a campaign that waits for Bob."""

from pathlib import Path

from django.conf import settings
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.datasets.contracts import Options
from apps.datasets.naming import version_named
from apps.datasets.uploading import uploads
from apps.labeling.making.creating import create_campaign
from apps.labeling.plans import Plan, Sample
from apps.runs.recorded.recording import recorded_run

HERE = Path(__file__).parent
ANSWERS = "returns-answers"
ABOUT_ANSWERS = {"annotations": "returns-labels.csv", "scores": "returns-scores.csv"}
CAMPAIGN = "Are our answers grounded?"
GUIDELINES = """\
Read the question, the answer and what was found for it.

- **Grounded**: everything that the answer says is in the texts beside it.
- **Relevant**: it answers what was asked, not something near it.

If you cannot say, discard the answer and choose why.
"""
PLAN = Plan(
    tasks=("grounding", "relevance"),
    sample=Sample(how="random", size=20),
    calibration_share=0.25,
)


def seed(workspace: Workspace) -> None:
    """What is missing of it: the labelled answers; then the campaign, where people can label."""
    add_labels(workspace)
    if settings.ARGILLA.mode != "off" and not workspace.campaigns.filter(name=CAMPAIGN).exists():
        _ask(workspace)


def add_labels(workspace: Workspace) -> None:
    """Pairs with labels of three people and scores of a judge."""
    alice = User.objects.get(username="alice")
    _accept(workspace, f"{ANSWERS}.csv", Options(format="pairs", dataset_name=ANSWERS), alice)
    for format_id, file in ABOUT_ANSWERS.items():
        _accept(workspace, file, Options(format=format_id, on=ANSWERS), alice)


def _ask(workspace: Workspace) -> None:
    alice, bob = (User.objects.get(username=name) for name in ("alice", "bob"))
    create_campaign(
        workspace=workspace,
        run=recorded_run(version_named(workspace, ANSWERS), by=alice, now=timezone.now()),
        name=CAMPAIGN,
        plan=PLAN,
        people=[bob, alice],
        settlers=[alice],
        guidelines=GUIDELINES,
        by=alice,
        now=timezone.now(),
        via="command",
    )


def _accept(workspace: Workspace, file: str, options: Options, by: User) -> None:
    if workspace.uploads.filter(name=file).exists():
        return
    uploads.accept_document(
        workspace=workspace,
        chunks=[(HERE / file).read_bytes()],
        filename=file,
        by=by,
        options=options,
        via="command",
    )
