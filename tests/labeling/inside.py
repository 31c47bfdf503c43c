"""What runs inside an installation where people label, in a process of its own."""

import time
from pathlib import Path
from typing import Any

from django.utils import timezone

from apps.accounts.models import Membership, User, Workspace
from apps.accounts.permissions import Role
from apps.datasets.contracts import Options
from apps.datasets.models import DatasetVersion
from apps.datasets.uploading import uploads
from apps.jobs import services as jobs
from apps.jobs.leases import claim
from apps.labeling.analysing.measured import standing_of
from apps.labeling.making.control import close
from apps.labeling.making.creating import create_campaign
from apps.labeling.models import Campaign, CampaignStep
from apps.labeling.plans import Plan
from apps.labeling.sending.preparing import source_of
from apps.labeling.syncing import sync_now

PASSWORD = "correct horse battery"


def set_up(pairs: str, people: list[str]) -> None:
    """A workspace with its lead and those who label, and a dataset of pairs."""
    workspace = Workspace.objects.create(slug="demo", name="Demo")
    for name, role in {"alice": Role.LEAD, **dict.fromkeys(people, Role.REVIEWER)}.items():
        user = User.objects.create_user(name, f"{name}@example.org", PASSWORD)
        Membership.objects.create(workspace=workspace, user=user, role=role)
    upload = uploads.accept_document(
        workspace=workspace,
        chunks=[Path(pairs).read_bytes()],
        filename=Path(pairs).name,
        by=User.objects.get(username="alice"),
        options=Options(format="pairs"),
    )
    assert upload.version, upload.outcome


def ask(people: list[str], plan: dict[str, Any], name: str = "Proof") -> str:
    """A campaign that its workers prepare, push and sync."""
    alice = User.objects.get(username="alice")
    made = create_campaign(
        workspace=Workspace.objects.get(),
        run=source_of(DatasetVersion.objects.get(), by=alice),
        name=name,
        plan=Plan.model_validate(plan),
        people=User.objects.filter(username__in=people),
        by=alice,
        now=timezone.now(),
    )
    return made.pk


def pushed_in(campaign: str) -> float:
    """Seconds that pushing takes here, without workers, after preparing."""
    _perform(campaign, CampaignStep.Name.PREPARE)
    began = time.perf_counter()
    _perform(campaign, CampaignStep.Name.PUSH)
    return time.perf_counter() - began


def read_in(campaign: str, whole: bool) -> tuple[float, dict[str, int]]:
    """Seconds that reading takes here, and what it brought."""
    began = time.perf_counter()
    found = read(campaign, whole)
    return time.perf_counter() - began, found


def end(campaign: str) -> None:
    alice = User.objects.get(username="alice")
    close(Campaign.objects.get(pk=campaign), by=alice, now=timezone.now())


def read(campaign: str, whole: bool = True) -> dict[str, int]:
    """What reading all answers brings."""
    return sync_now(Campaign.objects.get(pk=campaign), whole=whole).model_dump()


def measured(campaign: str) -> dict[str, Any]:
    """The stored numbers, as page and API read them."""
    found = standing_of(Campaign.objects.get(pk=campaign)).measured
    assert found
    return found.model_dump(mode="json")


def _perform(campaign: str, name: CampaignStep.Name) -> None:
    """In as many turns as it takes."""
    step = CampaignStep.objects.get(campaign=campaign, name=name)
    while lease := claim(CampaignStep, step.pk):
        jobs.perform(lease)
