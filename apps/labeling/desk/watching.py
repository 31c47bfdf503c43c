"""The desk, looked at every few seconds: whether it answers, tells us, and lets only ours in."""

from datetime import datetime, timedelta
from typing import Literal

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.contract import Contract
from apps.jobs.models import OPEN, JobState
from apps.labeling.members import people
from apps.labeling.models import Campaign, CampaignStep, DeskStatus, Queue

from . import desks
from .protocol import Desk, DeskDown, DeskRefused

EVERY = timedelta(seconds=15)
WITHIN = 5.0
"""Seconds for each call of a look: a server that hangs is told as one that is down."""
STALE = timedelta(minutes=2)
SHUT_FOR = timedelta(days=1)
SHOWN = 50


class DeskState(Contract):
    """`unknown` is a desk that nobody has looked at lately: no worker is free.

    `waiting` is how many of our steps it keeps from ending; where it is off none can go on.
    """

    mode: Literal["local", "hosted", "off"]
    status: Literal["off", "unknown", "up", "down"]
    waiting: int
    reachable: bool | None = None
    version: str = ""
    error: str = ""
    webhook: bool = False
    latency_ms: int | None = None
    checked_at: datetime | None = None
    reached_at: datetime | None = None


def watch(now: datetime) -> None:
    """One look; what it finds is a row, so that no page asks the desk."""
    url = settings.ARGILLA.url
    if settings.ARGILLA.mode == "off":
        return
    row, _made = DeskStatus.objects.get_or_create(url=url)
    rows = DeskStatus.objects.filter(pk=row.pk)
    try:
        desk = desks.current(WITHIN)
        about = desk.about()
    except (DeskDown, DeskRefused) as error:
        rows.update(reachable=False, error=str(error), latency_ms=None, checked_at=now)
        return
    rows.update(
        reachable=True,
        version=about.version[:40],
        latency_ms=about.latency_ms,
        checked_at=now,
        reached_at=now,
    )
    try:
        deaf = _listened(desk)
        rows.update(webhook=not deaf)
        rows.update(error=" ".join([*deaf, *_shut_out(desk, now)]))
    except DeskDown as error:
        rows.update(reachable=False, error=str(error), latency_ms=None)


def state_of_the_desk(workspace: Workspace | None = None) -> DeskState:
    """As it was at the last look; two queries, no call."""
    mode = settings.ARGILLA.mode
    if mode == "off":
        return DeskState(mode=mode, status="off", waiting=0)
    waiting = steps_in_trouble(workspace).filter(state__in=OPEN).count()
    row = DeskStatus.objects.filter(url=settings.ARGILLA.url).first()
    if row is None or row.checked_at is None:
        return DeskState(mode=mode, status="unknown", waiting=waiting)
    stale = row.checked_at < timezone.now() - STALE
    reachable = None if stale else row.reachable
    words = {None: "unknown", True: "up", False: "down"}
    return DeskState.model_validate(
        {
            "mode": mode,
            "status": words[reachable],
            "waiting": waiting,
            "reachable": reachable,
            **{name: getattr(row, name) for name in _KEPT},
        }
    )


_KEPT = ("version", "error", "webhook", "latency_ms", "checked_at", "reached_at")


def steps_in_trouble(workspace: Workspace | None = None) -> QuerySet[CampaignStep]:
    """What the desk made fail, or makes wait; the newest campaigns first."""
    names = (CampaignStep.Name.PUSH, CampaignStep.Name.SYNC)
    found = CampaignStep.objects.filter(name__in=names).exclude(error="")
    found = found.filter(state__in=(*OPEN, JobState.FAILED))
    within = found.filter(campaign__workspace=workspace) if workspace else found
    return within.select_related("campaign").order_by("-campaign", "name")


def _listened(desk: Desk) -> list[str]:
    """Why it does not tell us of answers; empty where it does. DeskDown where it is gone by now."""
    try:
        desk.listen(settings.ARGILLA.webhook_url)
    except (DeskDown, DeskRefused) as error:
        desk.ping()
        return [str(error)]
    return []


def _shut_out(desk: Desk, now: datetime) -> list[str]:
    """Keep each workspace to its people; one that fails does not hold up the others.

    DeskDown where the desk is gone by now.
    """
    complaints = []
    for campaign in _to_keep(now):
        try:
            people.shut_out(campaign, desk)
        except (DeskDown, DeskRefused) as error:
            desk.ping()
            complaints.append(str(error))
    return complaints


def _to_keep(now: datetime) -> QuerySet[Campaign]:
    """Those that are at the desk and ask, or have stopped asking not long ago."""
    there = Queue.objects.filter(campaign=OuterRef("pk")).exclude(dataset_id="")
    recently = Q(closed_at__gt=now - SHUT_FOR) | Q(archived_at__gt=now - SHUT_FOR)
    asking = Q(state__in=people.ASKING, archived_at=None)
    return Campaign.objects.of_the_desk().filter(Exists(there), asking | recently).order_by("pk")
