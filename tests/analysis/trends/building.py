"""Runs in a row, a day apart, and runs of several targets over the same records."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion
from apps.grading.services import create_contract
from apps.grading.spec import ContractSpec
from apps.runs.models import Run
from tests.analysis.comparing.building import MARKS
from tests.runs import building
from tests.runs.conftest import JUDGE


def passing(count: int, of: int) -> str:
    """Marks of a run that passes the first so many records."""
    return "+" * count + "-" * (of - count)


def a_run(
    workspace: Workspace, marks: str, version: DatasetVersion, *, day: int = 0, **more: Any
) -> Run:
    """An ended run, a mark a try (see tests.analysis.comparing.building.MARKS)."""
    target = building.make_target(workspace, str(more.pop("target", "assistant")))
    run = building.ended_run(
        workspace, [MARKS[mark] for mark in marks], version=version, target=target, **more
    )
    Run.objects.filter(pk=run.pk).update(completed_at=building.START + timedelta(days=day))
    run.refresh_from_db()
    return run


def in_a_row(workspace: Workspace, *counts: int, of: int = 40, by: User | None = None) -> list[Run]:
    """Runs of one version that pass so many records, one a day."""
    version = building.make_version(workspace, of)
    return [
        a_run(workspace, passing(count, of), version, day=day, by=by, name=f"Night {day}")
        for day, count in enumerate(counts)
    ]


def rivals(workspace: Workspace, of: int = 60, **counts: int) -> dict[str, Run]:
    """A run of each target over one version, that passes so many records."""
    version = building.make_version(workspace, of)
    return {
        name: a_run(workspace, passing(count, of), version, day=day, target=name)
        for day, (name, count) in enumerate(counts.items())
    }


def judged(workspace: Workspace, runs: Sequence[Run]) -> Run:
    """As if a judge had said who passes, whom nobody has held against people; the first of them."""
    spec = ContractSpec.model_validate({"rules": [JUDGE]})
    made = create_contract(
        workspace=workspace, name="judged", spec=spec, by=None, now=building.START
    )
    Run.objects.filter(pk__in=[run.pk for run in runs]).update(contract_version=made.versions.get())
    runs[0].refresh_from_db()
    return runs[0]
