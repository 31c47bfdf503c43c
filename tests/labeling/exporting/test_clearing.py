"""What was written of an export that ended unwritten goes, and nothing else."""

from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.artifacts import bundles
from apps.artifacts.models import Artifact, Bundle, Tier
from apps.jobs.models import JobState
from apps.labeling.exporting import clearing
from apps.labeling.exporting.requesting import cancel_export, start_export
from apps.labeling.models import Export
from tests.labeling.exported import exported, names
from tests.labeling.labelled import a_campaign
from tests.runs.conftest import again


@pytest.fixture
def later() -> datetime:
    """When no worker can still be writing."""
    return timezone.now() + clearing.QUIET_FOR + timedelta(minutes=1)


def half_written(workspace: Workspace, name: str = "Grounding in March") -> Export:
    export = start_export(a_campaign(workspace, name=name), form="labels", by=None)
    bundle = bundles.open_bundle(workspace=workspace, kind="export")
    bundles.write_artifact(bundle, "labels.csv", [b"half of"], tier=Tier.SUMMARY)
    Export.objects.filter(pk=export.pk).update(bundle=bundle)
    return again(export)


def test_what_a_cancelled_export_had_written_goes(workspace: Workspace, later: datetime) -> None:
    export = half_written(workspace)
    cancel_export(export, by=None)

    clearing.clear(later)
    clearing.clear(later)

    assert again(export).state == JobState.CANCELLED
    assert again(export).bundle is None
    assert not Bundle.objects.exists()
    assert not Artifact.objects.exists()


def test_so_does_what_a_failed_one_had(workspace: Workspace, later: datetime) -> None:
    export = half_written(workspace)
    Export.objects.filter(pk=export.pk).update(state="failed", finished_at=timezone.now())

    clearing.clear(later)

    assert not Bundle.objects.exists()


def test_what_may_still_be_written_and_what_is_sealed_stays(
    workspace: Workspace, later: datetime
) -> None:
    export = half_written(workspace)
    clearing.clear(later)
    assert again(export).bundle

    cancel_export(export, by=None)
    clearing.clear(timezone.now())
    assert again(export).bundle

    done = exported(export.campaign, "labels")
    clearing.clear(later)
    assert "labels.csv" in names(done)


def test_an_export_that_goes_on_meanwhile_keeps_what_it_had_written(
    workspace: Workspace, later: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("first", "second"):
        cancel_export(half_written(workspace, name), by=None)

    def go_on(_files: object) -> None:
        Export.objects.exclude(bundle=None).update(state=JobState.PENDING)

    monkeypatch.setattr(clearing.references, "release", go_on)
    clearing.clear(later)

    kept = Export.objects.get(state=JobState.PENDING)
    assert kept.bundle
    assert list(Artifact.objects.values_list("bundle", flat=True)) == [kept.bundle_id]
