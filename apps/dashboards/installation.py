"""The state of the whole installation: for `/health`, and for the page that admins read."""

import shutil
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.models import Count, Min, Q
from django_q.models import OrmQ

from apps import VERSION
from apps.accounts import mail
from apps.artifacts.models import RetentionPlan
from apps.contract import Contract
from apps.jobs.models import Chore, Heartbeat, Job, JobState
from apps.jobs.services import ALIVE_SECONDS, job_models
from apps.labeling.desk.watching import DeskState, state_of_the_desk
from apps.web.states import Tone

WAITING = (JobState.PENDING, JobState.SENT)
WAITS_LONG = timedelta(minutes=2)
LITTLE_SPACE = 0.05
WORKERS_REMEMBERED = timedelta(hours=1)
_WORDS = {
    "analysis.Board": "Trends and leaderboards",
    "analysis.GateDelivery": "Gate messages",
    "labeling.Export": "Label exports",
    "runs.Chunk": "Chunks of runs",
}


class Workers(Contract):
    """Who works here; `seen_at` is the last sign of life within the hour."""

    machines: int
    slots: int
    versions: tuple[str, ...]
    seen_at: datetime | None

    @property
    def is_up(self) -> bool:
        return self.machines > 0


class Signs(Contract):
    """What a monitor asks for every few seconds."""

    workers: Workers
    queue: int
    desk: DeskState
    version: str = VERSION


class Jobs(Contract):
    """One kind of job: those of the `total` that still are here, and since when one is due."""

    kind: str
    waiting: int
    running: int
    failed: int
    total: int
    due_since: datetime | None


class Disk(Contract):
    """Bytes where the data is."""

    free: int
    total: int

    @property
    def share(self) -> float:
        return self.free / self.total if self.total else 0.0


class Done(Contract):
    """Something done again and again; `failed` says that the last time broke."""

    name: str
    next_at: datetime
    running: bool
    failed: bool


class Complaint(Contract):
    """What is wrong, and what to do next."""

    tone: Tone
    title: str
    text: str


class Installation(Contract):
    signs: Signs
    database: str
    jobs: tuple[Jobs, ...]
    disk: Disk
    mails: bool
    chores: tuple[Done, ...]
    purged_at: datetime | None
    complaints: tuple[Complaint, ...]


def signs(now: datetime) -> Signs:
    """Four queries at most; DatabaseError where the database fails."""
    return Signs(workers=workers(now), queue=OrmQ.objects.count(), desk=state_of_the_desk())


def workers(now: datetime) -> Workers:
    """One query."""
    beats = list(Heartbeat.objects.filter(kind="worker", seen_at__gte=now - WORKERS_REMEMBERED))
    alive = [beat for beat in beats if beat.seen_at >= now - timedelta(seconds=ALIVE_SECONDS)]
    return Workers(
        machines=len(alive),
        slots=sum(beat.slots for beat in alive),
        versions=tuple(sorted({beat.version for beat in alive})),
        seen_at=max((beat.seen_at for beat in beats), default=None),
    )


def installation(now: datetime) -> Installation:
    """Nothing of any workspace and no secret: counts, versions, moments."""
    found, disk, mails = signs(now), _disk(), mail.is_set_up()
    jobs = tuple(_jobs(model, now) for model in job_models() if model is not Chore)
    chores = tuple(_done(chore) for chore in Chore.objects.order_by("name"))
    return Installation(
        signs=found,
        database=_database(),
        jobs=jobs,
        disk=disk,
        mails=mails,
        chores=chores,
        purged_at=_purged_at(),
        complaints=(
            *_about_workers(found.workers, jobs, now),
            *about_disk(disk),
            *_about_desk(found.desk),
            *_about_chores(chores),
            *_about_mail(mails),
        ),
    )


def _jobs(model: type[Job], now: datetime) -> Jobs:
    is_due = Q(state__in=WAITING, not_before__lte=now)
    counted = model._default_manager.aggregate(
        waiting=Count("pk", filter=Q(state__in=WAITING)),
        running=Count("pk", filter=Q(state=JobState.RUNNING)),
        failed=Count("pk", filter=Q(state=JobState.FAILED)),
        total=Count("pk"),
        due_since=Min("not_before", filter=is_due),
    )
    plural = str(model._meta.verbose_name_plural).capitalize()
    return Jobs(kind=_WORDS.get(model._meta.label, plural), **counted)


def _done(chore: Chore) -> Done:
    return Done(
        name=chore.name.capitalize(),
        next_at=chore.not_before,
        running=chore.state == JobState.RUNNING,
        failed=bool(chore.error),
    )


def _database() -> str:
    """SQLite 3.45.1, PostgreSQL 17.2."""
    return f"{connection.display_name} {'.'.join(map(str, connection.get_database_version()))}"


def _disk() -> Disk:
    where = Path(settings.DATA_DIR)
    usage = shutil.disk_usage(where if where.exists() else where.parent)
    return Disk(free=usage.free, total=usage.total)


def _purged_at() -> datetime | None:
    applied = RetentionPlan.objects.filter(applied_at__isnull=False).order_by("-applied_at")
    return applied.values_list("applied_at", flat=True).first()


def _about_workers(up: Workers, jobs: tuple[Jobs, ...], now: datetime) -> Iterator[Complaint]:
    waiting = sum(each.waiting for each in jobs)
    due = min((each.due_since for each in jobs if each.due_since), default=now)
    if not up.is_up:
        yield Complaint(
            tone="bad",
            title="No worker is up.",
            text=f"{waiting:,} {'job waits' if waiting == 1 else 'jobs wait'} until one is: "
            "evalhub up or evalhub worker starts it.",
        )
    elif due < now - WAITS_LONG:
        yield from _about_waiting(up.slots, sum(each.running for each in jobs))
    if any(version != VERSION for version in up.versions):
        yield Complaint(
            tone="warn",
            title="Workers of another version are at work.",
            text=f"They run {', '.join(up.versions)}, the pages {VERSION}: start them again.",
        )


def _about_waiting(slots: int, running: int) -> Iterator[Complaint]:
    """With some slots free and some at work, what waits is held back by its own run's limits."""
    title = "Jobs wait for more than two minutes."
    if running >= slots:
        text = (
            f"All {slots:,} slots are busy: EVALHUB_WORKERS gives more of them, and evalhub worker "
            "on another machine too."
        )
        yield Complaint(tone="warn", title=title, text=text)
    elif not running:
        text = f"None of {slots:,} slots is at work: the log of the worker says what is wrong."
        yield Complaint(tone="warn", title=title, text=text)


def about_disk(disk: Disk) -> Iterator[Complaint]:
    if disk.share < LITTLE_SPACE:
        yield Complaint(
            tone="bad",
            title="The disk is nearly full.",
            text="Make room where EVALHUB_DATA_DIR is. evalhub retention says what may go.",
        )


def _about_desk(desk: DeskState) -> Iterator[Complaint]:
    if desk.status == "down":
        yield Complaint(
            tone="bad",
            title="Argilla does not answer.",
            text="The page of the labelling desk says why and what helps.",
        )


def _about_chores(chores: tuple[Done, ...]) -> Iterator[Complaint]:
    if broken := [each.name for each in chores if each.failed]:
        yield Complaint(
            tone="warn",
            title=f"{', '.join(broken)} did not end well.",
            text="It is tried again by itself; the log of the worker says what broke.",
        )


def _about_mail(mails: bool) -> Iterator[Complaint]:
    if not mails:
        yield Complaint(
            tone="info",
            title="No mail server is set up.",
            text="Invitations show their link once, to be handed over, and nobody can ask for a "
            "new password by mail. EVALHUB_EMAIL_URL sets one up.",
        )
