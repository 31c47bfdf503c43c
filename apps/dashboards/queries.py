"""What the overview of a workspace reads: runs, uploads, datasets, workers."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef

from apps.accounts.models import User, Workspace
from apps.contract import Contract
from apps.datasets.models import DatasetVersion, Upload
from apps.grading.models import GradingContract
from apps.jobs.models import JobState
from apps.runs.models import Run, RunState
from apps.runs.queries import RunRow, rows_of, runs
from apps.targets.models import Target
from apps.web.states import Tone

from .installation import Workers

RUNNING_SHOWN = 10
RECENT_SHOWN = 8
ATTENTION_SHOWN = 8
UPLOADS_LOOKED_AT = 10
LATELY = timedelta(days=7)
WAITS_LONG = timedelta(minutes=1)
PAID_KINDS = ("openai_chat", "http_json")
_URGENCY: dict[Tone, int] = {"bad": 0, "warn": 1, "info": 2}


class Attention(Contract):
    """One thing that somebody should look at; `view` and `key` name its page."""

    tone: Tone
    title: str
    text: str
    view: str = ""
    key: str = ""
    at: datetime | None = None


class Step(Contract):
    """One of the first steps in a workspace that has no run yet."""

    title: str
    text: str
    view: str
    permission: str
    done: bool


@dataclass(frozen=True)
class Activity:
    """The runs under way and the newest that have ended, as lines of the runs table."""

    running: list[RunRow]
    ended: list[RunRow]

    @property
    def is_empty(self) -> bool:
        return not self.running and not self.ended


def running(user: User, workspace: Workspace) -> list[RunRow]:
    """Three queries."""
    return rows_of(_open_runs(user, workspace))


def activity(user: User, workspace: Workspace) -> Activity:
    """Four queries; an ended run knows whether another one follows it."""
    followed = Run.objects.filter(parent=OuterRef("pk"))
    ended = runs(user, workspace).active().filter(completed_at__isnull=False)
    newest = ended.annotate(is_followed=Exists(followed)).order_by("-pk")[: 3 * RECENT_SHOWN]
    rows = rows_of([*_open_runs(user, workspace), *newest])
    return Activity(
        running=[row for row in rows if row.run.is_open],
        ended=[row for row in rows if not row.run.is_open],
    )


def recent_versions(user: User, workspace: Workspace) -> list[DatasetVersion]:
    versions = DatasetVersion.objects.visible_to(user).filter(
        dataset__workspace=workspace, dataset__archived_at=None
    )
    return list(versions.select_related("dataset").order_by("-pk")[:5])


def attention(
    user: User, workspace: Workspace, found: Activity, up: Workers, now: datetime
) -> list[Attention]:
    """The most urgent first; one query."""
    items = [
        *_without_workers(found, up),
        *(item for row in found.ended for item in _ended(row, now)),
        *(item for row in found.running for item in _under_way(row, now)),
        *_uploads(user, workspace, now),
    ]
    return sorted(items, key=lambda item: _URGENCY[item.tone])[:ATTENTION_SHOWN]


def first_steps(user: User, workspace: Workspace, has_version: bool) -> list[Step]:
    """What leads to the first run; two queries."""
    targets = Target.objects.visible_to(user).active().filter(workspace=workspace)
    contracts = GradingContract.objects.visible_to(user).active().filter(workspace=workspace)
    return [
        Step(
            title="Upload a dataset",
            text="A JSON document of records to ask; what is wrong with it is told line by line.",
            view="datasets:upload",
            permission="datasets.upload",
            done=has_version,
        ),
        Step(
            title="Add a target",
            text="The system that answers: an OpenAI-compatible server, an HTTP endpoint, "
            "recorded answers, or a script to try things with.",
            view="targets:list",
            permission="targets.view",
            done=targets.exists(),
        ),
        Step(
            title="Write a grading contract",
            text="The rules that judge each answer, and what a whole run must reach.",
            view="grading:list",
            permission="contracts.view",
            done=contracts.exists(),
        ),
        Step(
            title="Start a run",
            text="Begin with a pilot of the first 10 records.",
            view="runs:start",
            permission="runs.start",
            done=False,
        ),
    ]


def _open_runs(user: User, workspace: Workspace) -> list[Run]:
    return list(runs(user, workspace).active().open().order_by("-pk")[:RUNNING_SHOWN])


def _without_workers(found: Activity, up: Workers) -> Iterator[Attention]:
    if found.running and not up.is_up:
        yield Attention(
            tone="bad",
            title="No worker is up",
            text="Runs wait until one is: evalhub worker starts it. Nothing is lost.",
            at=up.seen_at,
        )


def _ended(row: RunRow, now: datetime) -> Iterator[Attention]:
    run = row.run
    if run.completed_at is None or run.completed_at < now - LATELY or run.is_followed:  # type: ignore[attr-defined]
        return
    failed = int(row.of("failed").point or 0)
    common = {"view": "runs:detail", "key": run.pk, "at": run.completed_at}
    if run.state == RunState.FAILED:
        yield Attention(tone="bad", title=f"{run.title} failed", text=run.reason, **common)
    elif run.state == RunState.COMPLETED_WITH_FAILURES:
        text = (
            f"{failed:,} record{'s' * (failed != 1)} failed"
            if failed
            else "Records were rejected by validation"
        )
        yield Attention(tone="warn", title=f"{run.title} has failures", text=text, **common)


def _under_way(row: RunRow, now: datetime) -> Iterator[Attention]:
    run = row.run
    common = {"view": "runs:detail", "key": run.pk, "at": run.created_at}
    if run.state == RunState.QUEUED and run.created_at < now - WAITS_LONG:
        text = "It has been queued for more than a minute."
        yield Attention(tone="warn", title=f"{run.title} waits", text=text, **common)
    if run.cost_cap is None and row.target.kind in PAID_KINDS:
        text = f"It asks {row.target.name} {run.planned:,} times and more without a limit."
        yield Attention(tone="info", title=f"{run.title} has no cost cap", text=text, **common)


def _uploads(user: User, workspace: Workspace, now: datetime) -> Iterator[Attention]:
    sent = Upload.objects.visible_to(user).filter(
        workspace=workspace, purpose=Upload.Purpose.DATASET
    )
    for upload in sent.order_by("-pk")[:UPLOADS_LOOKED_AT]:
        rejected = int((upload.counts or {}).get("rejected") or 0)
        refused = (upload.outcome or {}).get("message", "")
        if upload.created_at < now - LATELY or not (
            rejected or refused or upload.state == JobState.FAILED
        ):
            continue
        yield Attention(
            tone="bad" if not rejected or refused else "warn",
            title=f"{upload.name} has {rejected:,} rejected records"
            if rejected and not refused
            else f"{upload.name} was not accepted",
            text=refused or upload.error or "The validation report says why, record by record.",
            view="datasets:report",
            key=upload.pk,
            at=upload.created_at,
        )
