"""`evalhub retention [--apply] [--json]`: what is due, and letting it go."""

import json
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from apps.artifacts import retention
from apps.artifacts.models import Artifact, Tier

LISTED = 50


class Command(BaseCommand):
    help = "Show which artifacts have passed their retention time; --apply deletes their bytes."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--apply", action="store_true", help="delete now, without the day's notice"
        )
        parser.add_argument("--json", action="store_true", dest="as_json")

    def handle(self, *, apply: bool, as_json: bool, **_options: Any) -> None:
        now = timezone.now()
        artifacts = [_facts(artifact) for artifact in retention.due(now).order_by("bundle", "name")]
        purged = self._purge(now, apply=apply)
        if as_json:
            self.stdout.write(json.dumps({**purged.model_dump(), "artifacts": artifacts}, indent=2))
            return
        for facts in artifacts[:LISTED]:
            size = filesizeformat(facts["size"])
            self.stdout.write(f"{facts['bundle']}  {facts['name']}  {size}  since {facts['since']}")
        if len(artifacts) > LISTED:
            self.stdout.write(f"… and {len(artifacts) - LISTED} more (all of them with --json)")
        self.stdout.write(_summary(purged))

    def _purge(self, now: datetime, *, apply: bool) -> retention.Purge:
        purged = retention.purge(now, dry_run=not apply)
        if purged.applied:
            retention.note_applied(purged, now)
        return purged


def _facts(artifact: Artifact) -> dict[str, Any]:
    bundle = artifact.bundle
    since = bundle.raw_until if artifact.tier == Tier.RAW else bundle.summary_until
    return {
        "bundle": bundle.pk,
        "name": artifact.name,
        "tier": artifact.tier,
        "sha256": artifact.sha256,
        "size": artifact.size,
        "since": since.isoformat(timespec="seconds") if since else None,
    }


def _summary(purged: retention.Purge) -> str:
    if not purged.files:
        return "Nothing is due."
    size = filesizeformat(purged.bytes)
    if purged.applied:
        return f"Purged {purged.files} artifacts, {size} freed. Hashes and sizes are kept."
    return (
        f"{purged.files} artifacts are due, {size} would be freed."
        " Nothing was deleted; --apply deletes."
    )
