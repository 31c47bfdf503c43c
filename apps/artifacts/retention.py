"""Letting go: raw files after 30 days, summaries after 180; hashes and sizes stay."""

import logging
from datetime import datetime

from django.db import models, transaction
from django.db.models import Q, Sum

from apps.contract import Contract

from . import references, store
from .models import Artifact, Blob, RetentionPlan, Tier

logger = logging.getLogger(__name__)

BATCH = 500


class Purge(Contract):
    """What a purge takes: `files` artifacts, and the bytes that nothing else needs."""

    files: int
    bytes: int
    applied: bool


def due(now: datetime) -> models.QuerySet[Artifact]:
    """The artifacts whose time is over and whose bytes are still here."""
    over = Q(tier=Tier.RAW, bundle__raw_until__lte=now)
    over |= Q(tier=Tier.SUMMARY, bundle__summary_until__lte=now)
    return Artifact.objects.filter(over, purged_at__isnull=True).select_related("bundle")


def purge(now: datetime, *, dry_run: bool = True, announced_at: datetime | None = None) -> Purge:
    """Delete the bytes of what was due (at `announced_at` where given) and note when.

    Bytes that another artifact or chapter still needs stay; the expired artifact loses them anyway.
    """
    expired = due(announced_at or now)
    outlook = _outlook(expired)
    if dry_run or not outlook.files:
        return outlook
    freed = sum(_purge_batch(keys, now) for keys in _batches(expired))
    return Purge(files=outlook.files, bytes=freed, applied=True)


def run(now: datetime) -> RetentionPlan | None:
    """The scheduled job: announce what is due, and purge it a day later at the earliest.

    The plan in force, or None when nothing is due. Only what the plan counted is purged.
    """
    store.sweep()
    references.release_unwanted(now)
    plan = RetentionPlan.objects.filter(applied_at__isnull=True).order_by("made_at").first()
    if plan is None:
        return _announce(now)
    if now - plan.made_at >= RetentionPlan.NOTICE:
        _apply(plan, now)
    return plan


def note_applied(purged: Purge, now: datetime) -> None:
    """Record a purge that a person asked for."""
    RetentionPlan.objects.create(made_at=now, due=purged.files, bytes=purged.bytes, applied_at=now)


def _announce(now: datetime) -> RetentionPlan | None:
    outlook = purge(now)
    if not outlook.files:
        return None
    logger.info("%d artifacts (%d bytes) will be purged in a day", outlook.files, outlook.bytes)
    return RetentionPlan.objects.create(made_at=now, due=outlook.files, bytes=outlook.bytes)


def _apply(plan: RetentionPlan, now: datetime) -> None:
    purged = purge(now, dry_run=False, announced_at=plan.made_at)
    RetentionPlan.objects.filter(pk=plan.pk, applied_at__isnull=True).update(applied_at=now)
    plan.refresh_from_db()
    logger.info("%d artifacts (%d bytes) were purged", purged.files, purged.bytes)


def _outlook(expired: models.QuerySet[Artifact]) -> Purge:
    blobs = Blob.objects.filter(pk__in=expired.values("blob"))
    free = references.unreferenced(blobs, but_for=expired).aggregate(total=Sum("size"))
    return Purge(files=expired.count(), bytes=free["total"] or 0, applied=False)


def _batches(expired: models.QuerySet[Artifact]) -> list[list[int]]:
    keys = list(expired.order_by("pk").values_list("pk", flat=True))
    return [keys[start : start + BATCH] for start in range(0, len(keys), BATCH)]


def _purge_batch(keys: list[int], now: datetime) -> int:
    with transaction.atomic():
        expired = Artifact.objects.filter(pk__in=keys, purged_at__isnull=True)
        released = list(expired.values_list("blob_id", flat=True))
        expired.update(blob=None, purged_at=now)
    return references.release(sha256 for sha256 in released if sha256)
