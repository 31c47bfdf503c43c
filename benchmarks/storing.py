"""Storing the records of a 100 MB document, against the bare driver's insert of the same rows."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django

from benchmarks.own_process import Row
from benchmarks.reading import write_document

if TYPE_CHECKING:
    from apps.datasets.models import DatasetVersion
    from apps.datasets.uploading.reading import Reading

ROUNDS = 3
AIM = 2


def rows() -> list[Row]:
    """In a database of its own; on PostgreSQL where EVALHUB_DATABASE_URL names one."""
    django.setup()
    with _own_database():
        return _rows(_read())


def _rows(reading: "Reading") -> list[Row]:
    from django.db import connection

    from apps.datasets.uploading.storing import store_records, store_slices

    version = _version(reading)
    plain = [(version.pk, *kept[:-1], kept.payload.decode()) for kept in reading.records]
    slices = list(reading.slices.kept())
    members = sum(len(found.ordinals) for found in slices)
    actions: dict[str, Callable[[], object]] = {
        "bare": lambda: _insert_bare(plain),
        "records": lambda: store_records(version, reading.records),
        "slices": lambda: store_slices(version, slices),
    }
    spent = {name: statistics.median(_times(action)) for name, action in actions.items()}
    what = f"{len(plain):,} records on {connection.vendor}"
    return [
        (f"the bare driver's insert: {what}", f"{spent['bare']:.2f} s", "the measure"),
        ("store_records: the same rows", f"{spent['records']:.2f} s", ""),
        (
            "the same, in multiples of the bare driver",
            f"{spent['records'] / spent['bare']:.1f}",
            f"{AIM}",
        ),
        (f"store_slices: {members:,} memberships", f"{spent['slices']:.2f} s", ""),
    ]


def _times(action: Callable[[], object]) -> list[float]:
    """Seconds of each round, up to the commit; then everything is taken out again."""
    from django.db import transaction

    from apps.datasets.models import Facet, FacetMember, Record

    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        with transaction.atomic():
            action()
        times.append(time.perf_counter() - began)
        for model in (FacetMember, Facet, Record):
            model._default_manager.all()._raw_delete("default")
    return times


def _insert_bare(plain: list[tuple[Any, ...]]) -> None:
    """What the driver's manual recommends: executemany of sqlite3, COPY of psycopg."""
    from django.db import connection

    from apps.datasets.uploading.storing import _RECORD_COLUMNS

    columns = ", ".join(f'"{name}"' for name in _RECORD_COLUMNS)
    driver: Any = connection.connection
    if connection.vendor == "sqlite":
        marks = ", ".join("?" * len(_RECORD_COLUMNS))
        driver.executemany(f"INSERT INTO datasets_record ({columns}) VALUES ({marks})", plain)
        return
    with driver.cursor().copy(f"COPY datasets_record ({columns}) FROM STDIN") as copy:
        for row in plain:
            copy.write_row(row)


def _read() -> "Reading":
    from apps.datasets.uploading.reading import read_file

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "questions.json"
        write_document(path)
        return read_file(path, name=path.name)


def _version(reading: "Reading") -> "DatasetVersion":
    from apps.accounts.models import Workspace
    from apps.datasets.models import Dataset, DatasetVersion

    workspace = Workspace.objects.create(slug="bench", name="Bench")
    dataset = Dataset.objects.create(workspace=workspace, name="bench")
    counts = {"total": reading.total, "accepted": reading.total, "rejected": 0}
    return DatasetVersion.objects.create(dataset=dataset, label="1", header={}, **counts)


@contextmanager
def _own_database() -> Iterator[None]:
    """The file of this data directory, or a database of PostgreSQL that is dropped again."""
    from django.core.management import call_command
    from django.db import connection
    from django.test.runner import DiscoverRunner

    if connection.vendor == "sqlite":
        call_command("migrate", verbosity=0)
        yield
        return
    runner = DiscoverRunner(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        yield
    finally:
        runner.teardown_databases(databases)


if __name__ == "__main__":
    from benchmarks.own_process import measure

    for what, measured, aim in measure("storing"):
        print(f"{what:60} {measured:12} aim {aim}")
