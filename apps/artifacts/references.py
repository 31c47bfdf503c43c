"""Who still needs a blob: every foreign key to it counts, whichever chapter declares it."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import models, transaction
from django.db.models import Exists, OuterRef

from . import store
from .models import Artifact, Blob

UNWANTED_AFTER = timedelta(days=1)


def unreferenced(
    blobs: models.QuerySet[Blob], *, but_for: models.QuerySet[Artifact] | None = None
) -> models.QuerySet[Blob]:
    """Those of the blobs that no row of any chapter refers to, `but_for` these artifacts."""
    for field in referring_fields():
        rows = field.model._base_manager.filter(**{field.name: OuterRef("pk")})
        if but_for is not None and field.model is Artifact:
            rows = rows.exclude(pk__in=but_for.values("pk"))
        blobs = blobs.filter(~Exists(rows))
    return blobs


def referring_fields() -> list[models.ForeignKey[Blob]]:
    """Also the relations without a name of their own (`related_name="+"`)."""
    relations = Blob._meta.get_fields(include_hidden=True)
    return [relation.field for relation in relations if isinstance(relation, models.ManyToOneRel)]


def release(sha256s: Iterable[str]) -> int:
    """Delete those files that nobody needs any more; how many bytes that frees.

    The files go before the rows: a crash between leaves a row that is released the next time, not
    a file that nobody knows of. What was stored again within the hour stays.
    """
    with transaction.atomic():
        candidates = unreferenced(Blob.objects.filter(pk__in=list(sha256s)).select_for_update())
        gone = [blob for blob in candidates if store.remove(blob.pk)]
        Blob.objects.filter(pk__in=[blob.pk for blob in gone]).delete()
    return sum(blob.size for blob in gone)


def release_unwanted(now: datetime) -> int:
    """Delete what was stored a day ago and never referred to, or was superseded."""
    old = Blob.objects.filter(created_at__lt=now - UNWANTED_AFTER)
    return release(list(unreferenced(old).values_list("pk", flat=True)[:1000]))
