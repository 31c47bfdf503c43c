"""Bundles: opened, written once, sealed by a manifest, verified."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction

from apps.accounts.models import Workspace

from . import store
from .models import Artifact, Bundle, Tier
from .verification import MANIFEST, Listed, Report, verify_files

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_MEDIA_TYPES = {
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".csv": "text/csv",
    ".txt": "text/plain",
    ".md": "text/markdown",
}


def open_bundle(*, workspace: Workspace, kind: str) -> Bundle:
    return Bundle.objects.create(workspace=workspace, kind=kind)


def write_artifact(
    bundle: Bundle,
    name: str,
    chunks: Iterable[bytes],
    *,
    tier: Tier | str,
    rows: int | Callable[[], int] | None = None,
    redactions: Mapping[str, int] | None = None,
    supersede: bool = False,
    limit: int | None = None,
) -> Artifact:
    """Write a file once: the same bytes again change nothing, other bytes are refused.

    `supersede` lets a finaliser that starts over replace what it wrote, until the bundle is sealed.
    """
    _check_name(name)
    with store.staged(chunks, limit=limit) as staged, transaction.atomic():
        locked = Bundle.objects.select_for_update().get(pk=bundle.pk)
        existing = locked.artifacts.filter(name=name).first()
        if existing and existing.sha256 == staged.sha256:
            return existing
        _check_writable(locked, existing, name, supersede=supersede)
        counted = rows() if callable(rows) else rows  # a stream knows its rows when it has ended
        return _file(locked, name, staged, tier=tier, rows=counted, redactions=redactions)


def seal(bundle: Bundle, manifest: Mapping[str, Any], now: datetime) -> Bundle:
    """Write the manifest with every artifact's hash, and close the bundle for good.

    The same manifest again changes nothing; another one is refused.
    """
    with transaction.atomic():
        locked = Bundle.objects.select_for_update().get(pk=bundle.pk)
        with store.staged([_manifest_bytes(locked, manifest)]) as staged:
            if locked.sealed and locked.manifest_sha256 != staged.sha256:
                raise ValidationError(f"{locked.id} is sealed with another manifest.")
            if not locked.sealed:
                _file(locked, MANIFEST, staged, tier=Tier.SUMMARY)
                _close(locked, staged.sha256, now)
    bundle.refresh_from_db()
    return bundle


def verify(bundle: Bundle) -> Report:
    """Recompute every hash from the stored bytes."""
    if not bundle.manifest_sha256:
        raise ValidationError(f"{bundle.id} is not sealed yet: there is no manifest to verify by.")
    artifacts = {artifact.name: artifact for artifact in bundle.artifacts.all()}
    return verify_files(
        lambda name: _stored(artifacts.get(name)),
        manifest_sha256=bundle.manifest_sha256,
        purged=frozenset(name for name, kept in artifacts.items() if kept.purged_at),
        otherwise=tuple(
            Listed(name=name, sha256=kept.sha256, size=kept.size)
            for name, kept in artifacts.items()
            if name != MANIFEST
        ),
    )


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or name == MANIFEST:
        raise ValueError(f"{name!r} cannot be the name of an artifact.")


def _check_writable(
    bundle: Bundle, existing: Artifact | None, name: str, *, supersede: bool
) -> None:
    if bundle.sealed:
        raise ValidationError(
            f"{bundle.id} is sealed: {name} cannot be written. A correction is a new run."
        )
    if existing and not supersede:
        raise ValidationError(
            f"{name} of {bundle.id} was written before with other content, and artifacts are"
            " written once. A correction is a new run."
        )


def _file(
    bundle: Bundle,
    name: str,
    staged: store.Staged,
    *,
    tier: Tier | str,
    rows: int | None = None,
    redactions: Mapping[str, int] | None = None,
) -> Artifact:
    return bundle.artifacts.update_or_create(
        name=name,
        defaults={
            "blob": staged.keep(),
            "sha256": staged.sha256,
            "size": staged.size,
            "rows": rows,
            "tier": Tier(tier),
            "media_type": _MEDIA_TYPES.get(Path(name).suffix, "application/octet-stream"),
            "redactions": dict(redactions or {}),
        },
    )[0]


def _close(bundle: Bundle, manifest_sha256: str, now: datetime) -> None:
    closed = Bundle.objects.filter(pk=bundle.pk, sealed_at__isnull=True).update(
        manifest_sha256=manifest_sha256,
        sealed_at=now,
        raw_until=now + timedelta(days=settings.RETENTION_RAW_DAYS),
        summary_until=now + timedelta(days=settings.RETENTION_SUMMARY_DAYS),
    )
    if not closed:
        raise ValidationError(f"{bundle.id} was sealed by another process meanwhile.")


def _manifest_bytes(bundle: Bundle, manifest: Mapping[str, Any]) -> bytes:
    if taken := {"artifacts", "redactions"} & set(manifest):
        raise ValueError(f"{', '.join(sorted(taken))}: sealing fills these in.")
    artifacts = list(bundle.artifacts.exclude(name=MANIFEST).order_by("name"))
    redactions = sum((Counter(artifact.redactions) for artifact in artifacts), Counter())
    document = {
        **manifest,
        "artifacts": [_listing(artifact) for artifact in artifacts],
        "redactions": dict(redactions),
    }
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2, sort_keys=True)
    return text.encode() + b"\n"


def _listing(artifact: Artifact) -> dict[str, Any]:
    return {
        "name": artifact.name,
        "sha256": artifact.sha256,
        "size": artifact.size,
        "rows": artifact.rows,
        "tier": artifact.tier,
        "redactions": artifact.redactions,
    }


def _stored(artifact: Artifact | None) -> Path | None:
    if artifact is None or artifact.blob_id is None:
        return None
    file = store.path(artifact.blob_id)
    return file if file.is_file() else None
