"""Exports made here: asked for, written by one delivery, and read back."""

import csv
import io
import json
from typing import Any

from apps.artifacts import store
from apps.jobs.models import JobState
from apps.labeling.exporting.requesting import start_export
from apps.labeling.models import Campaign, Export
from tests.runs.conftest import work_on

Row = dict[str, Any]


def exported(campaign: Campaign, form: str, **options: Any) -> Export:
    """An export as a worker leaves it."""
    export = work_on(start_export(campaign, form=form, by=options.pop("by", None), **options))
    assert export.state == JobState.DONE, export.error
    return export


def content(export: Export, name: str) -> bytes:
    assert export.bundle is not None
    return b"".join(store.read(export.bundle.artifacts.get(name=name).sha256))


def names(export: Export) -> list[str]:
    assert export.bundle is not None
    return list(export.bundle.artifacts.order_by("name").values_list("name", flat=True))


def header(export: Export, name: str) -> list[str]:
    return next(csv.reader(io.StringIO(content(export, name).decode(), newline="")))


def table(export: Export, name: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(content(export, name).decode(), newline="")))


def objects(export: Export, name: str) -> list[Row]:
    return [json.loads(line) for line in content(export, name).splitlines()]


def document(export: Export, name: str) -> Row:
    told: Row = json.loads(content(export, name))
    return told
