"""Runs to compare: outcomes record by record, over versions whose records may ask the same."""

from collections.abc import Iterable, Mapping

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion, Record
from apps.runs.models import Run
from tests.runs import building
from tests.runs.building import FAILED_CONTRACT, PASSED, SKIPPED, TIMED_OUT, UNJUDGED, Outcome

MARKS: Mapping[str, Outcome] = {
    "+": PASSED,
    "-": FAILED_CONTRACT,
    "?": UNJUDGED,
    "!": TIMED_OUT,
    "/": SKIPPED,
}


def a_run(
    workspace: Workspace,
    marks: str,
    version: DatasetVersion | None = None,
    by: User | None = None,
    **more: object,
) -> Run:
    """An ended run: + passed, - failed the contract, ? unjudged, ! timed out, / never asked.

    One mark a try; without a version one is made with a record a mark.
    """
    made = version or building.make_version(workspace, len(marks))
    return building.ended_run(workspace, [MARKS[mark] for mark in marks], by, version=made, **more)


def two_runs(workspace: Workspace, baseline: str, candidate: str) -> tuple[Run, Run]:
    """Of the same version, a record a mark."""
    first = a_run(workspace, baseline)
    return first, a_run(workspace, candidate, first.dataset_version)


def asks(version: DatasetVersion, inputs: Iterable[str]) -> None:
    """Have the records ask this, by ordinal: the same text is the same input."""
    for ordinal, text in enumerate(inputs):
        version.records.filter(ordinal=ordinal).update(input_sha256=text.ljust(64, "0"))


def named(version: DatasetVersion, ids: Iterable[str]) -> None:
    """Have the records these ids, by ordinal."""
    for ordinal, record_id in enumerate(ids):
        Record.objects.filter(version=version, ordinal=ordinal).update(record_id=record_id)
