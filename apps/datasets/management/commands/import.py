"""`evalhub import FILE`: upload a dataset from the command line."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse

from apps.datasets import told
from apps.datasets.commands import add_file_arguments, options_of, sent, taken
from apps.datasets.models import Upload

REFUSED = 2


class Command(BaseCommand):
    help = (
        "Upload a dataset file. The same bytes again give the same version. Exit status: 0 there "
        "is a version (with --json, record_errors lists what was rejected), 2 there is none."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser)
        parser.add_argument("--name", default="", help="the dataset's name; else its dataset_id")
        parser.add_argument("--label", default="", help="the version's label; else the file's")
        parser.add_argument("--on", help="the dataset that annotations or scores belong to")
        parser.add_argument("--workspace", help="its slug; needless where there is only one")
        parser.add_argument("--user", help="who uploads it, for the audit log")

    def handle(self, *, file: Path, files: Path | None, as_json: bool, **given: Any) -> None:
        request_id = str(uuid4())
        upload, (status, body) = taken(
            sent(file, files),
            options_of(given),
            request_id=request_id,
            workspace=given["workspace"],
            user=given["user"],
        )
        if as_json:
            facts = {**body, "request_id": request_id, "http_status": status, **_facts(upload)}
            self.stdout.write(json.dumps(facts, indent=2))
        else:
            for line in [*told.lines(body), *_where(upload)]:
                self.stdout.write(line)
        if status >= 400:
            sys.exit(REFUSED)


def _facts(upload: Upload | None) -> dict[str, Any]:
    """What the API answers by other addresses: which dataset it is, and whether it is new."""
    if upload is None or upload.version is None or upload.outcome is None:
        return {"upload_id": upload.pk if upload else None, **_told(upload)}
    return {
        "upload_id": upload.pk,
        "dataset": upload.version.dataset_id,
        "dataset_name": upload.version.dataset.name,
        "dataset_version": upload.version.label,
        "created": upload.outcome["created"],
        **_told(upload),
    }


def _told(upload: Upload | None) -> dict[str, Any]:
    """What a file became that is no dataset, in a sentence."""
    said = (upload.outcome or {}).get("told") if upload else None
    return {"told": said} if said else {}


def _where(upload: Upload | None) -> Iterator[str]:
    if upload is None:
        return
    if said := (upload.outcome or {}).get("told"):
        yield told.printable(said)
    elif upload.version is not None and upload.outcome is not None:
        name, label = upload.version.dataset.name, told.printable(upload.version.label)
        known = "" if upload.outcome["created"] else ": these bytes were here already"
        yield f"{name} {label} is {upload.version.pk}{known}."
    yield f"Report: {reverse('datasets:report', args=[upload.workspace.slug, upload.pk])}"
