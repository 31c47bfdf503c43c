"""Letting go: after its time, after notice, and never what somebody needs."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from apps.accounts.models import Workspace
from apps.artifacts import bundles, exports, references, retention, store
from apps.artifacts.models import Artifact, Blob, Bundle, RetentionPlan
from apps.artifacts.verification import verify_folder
from apps.datasets.models import Upload, UploadFile

from .conftest import NOW, age_store, stored_files

DAY = timedelta(days=1)
RAW_OVER, ALL_OVER = NOW + 30 * DAY, NOW + 180 * DAY


@pytest.fixture
def sealed(bundle: Bundle) -> Bundle:
    bundles.write_artifact(bundle, "predictions.jsonl", [b"raw\n"], tier="raw")
    bundles.write_artifact(bundle, "metrics_summary.json", [b"{}\n"], tier="summary")
    made = bundles.seal(bundle, {"run_id": "run_1"}, NOW)
    age_store()
    return made


def _due(now: object) -> list[str]:
    return sorted(retention.due(now).values_list("name", flat=True))  # type: ignore[arg-type]


def test_raw_files_are_due_after_30_days_and_summaries_after_180(sealed: Bundle) -> None:
    assert _due(RAW_OVER - timedelta(seconds=1)) == []
    assert _due(RAW_OVER) == ["predictions.jsonl"]
    assert _due(ALL_OVER) == ["metrics_summary.json", "predictions.jsonl", "run_manifest.json"]


def test_an_open_bundle_is_never_due(bundle: Bundle) -> None:
    bundles.write_artifact(bundle, "predictions.jsonl", [b"raw\n"], tier="raw")

    assert _due(ALL_OVER) == []


def test_a_dry_run_says_what_and_how_much_and_changes_nothing(sealed: Bundle) -> None:
    outlook = retention.purge(RAW_OVER)

    assert (outlook.files, outlook.bytes, outlook.applied) == (1, 4, False)
    assert store.exists(sealed.artifacts.get(name="predictions.jsonl").sha256)


def test_a_purge_takes_the_bytes_and_keeps_hash_and_size(sealed: Bundle) -> None:
    before = sealed.artifacts.get(name="predictions.jsonl")

    purged = retention.purge(RAW_OVER, dry_run=False)

    after = sealed.artifacts.get(name="predictions.jsonl")
    assert (purged.files, purged.bytes, purged.applied) == (1, 4, True)
    assert (after.sha256, after.size) == (before.sha256, before.size)
    assert (after.blob_id, after.purged_at) == (None, RAW_OVER)
    assert not store.exists(before.sha256)
    assert not Blob.objects.filter(pk=before.sha256).exists()


def test_a_second_purge_changes_nothing(sealed: Bundle) -> None:
    retention.purge(RAW_OVER, dry_run=False)

    again = retention.purge(RAW_OVER + DAY, dry_run=False)

    assert again.files == 0
    assert sealed.artifacts.get(name="predictions.jsonl").purged_at == RAW_OVER


def test_a_purged_bundle_verifies_and_says_what_was_purged(sealed: Bundle) -> None:
    retention.purge(RAW_OVER, dry_run=False)

    report = bundles.verify(sealed)

    assert report.ok
    states = {check.name: check.state for check in report.artifacts}
    assert states == {"predictions.jsonl": "purged", "metrics_summary.json": "ok"}


def test_a_bundle_purged_to_the_last_file_still_verifies(sealed: Bundle) -> None:
    retention.purge(ALL_OVER, dry_run=False)

    report = bundles.verify(sealed)

    assert report.ok
    assert report.manifest.state == "purged"
    assert len(report.artifacts) == 2
    assert stored_files() == []


def test_an_export_after_a_purge_says_so_and_verifies_offline(
    sealed: Bundle, tmp_path_factory: pytest.TempPathFactory
) -> None:
    retention.purge(RAW_OVER, dry_run=False)
    folder = tmp_path_factory.mktemp("export")

    exports.export(sealed, folder)

    report = verify_folder(folder)
    assert report.ok
    states = {check.name: check.state for check in report.artifacts}
    assert states["predictions.jsonl"] == "purged"


def test_bytes_that_an_unexpired_artifact_shares_stay(sealed: Bundle, workspace: Workspace) -> None:
    later = bundles.open_bundle(workspace=workspace, kind="run")
    kept = bundles.write_artifact(later, "predictions.jsonl", [b"raw\n"], tier="raw")
    bundles.seal(later, {"run_id": "run_2"}, NOW + DAY)
    age_store()

    outlook = retention.purge(RAW_OVER)
    retention.purge(RAW_OVER, dry_run=False)

    assert (outlook.files, outlook.bytes) == (1, 0)
    assert sealed.artifacts.get(name="predictions.jsonl").purged_at == RAW_OVER
    assert b"".join(store.read(kept.sha256)) == b"raw\n"
    assert bundles.verify(later).ok


def test_bytes_that_an_upload_needs_stay(sealed: Bundle, workspace: Workspace) -> None:
    artifact = sealed.artifacts.get(name="predictions.jsonl")
    upload = Upload.objects.create(workspace=workspace, identity="0" * 64, name="answers.jsonl")
    UploadFile.objects.create(upload=upload, path="answers.jsonl", blob=artifact.blob)

    outlook = retention.purge(RAW_OVER)
    retention.purge(RAW_OVER, dry_run=False)

    assert outlook.bytes == 0
    assert store.exists(artifact.sha256)


def test_bytes_that_were_stored_again_this_moment_stay(sealed: Bundle) -> None:
    artifact = sealed.artifacts.get(name="predictions.jsonl")
    store.put([b"raw\n"])

    retention.purge(RAW_OVER, dry_run=False)

    assert store.exists(artifact.sha256)
    assert Blob.objects.filter(pk=artifact.sha256).exists()


def test_what_was_superseded_or_never_referred_to_goes_after_a_day(bundle: Bundle) -> None:
    for content in (b"first\n", b"second\n"):
        bundles.write_artifact(bundle, "a.jsonl", [content], tier="raw", supersede=True)
    store.put([b"an upload that was given up"])
    age_store()
    made = Blob.objects.latest("created_at").created_at

    assert references.release_unwanted(made) == 0
    assert references.release_unwanted(made + 2 * DAY) > 0

    assert [file.name for file in stored_files()] == [bundle.artifacts.get().sha256]


def test_every_chapter_that_refers_to_a_blob_is_known() -> None:
    fields = {(field.model, field.name) for field in references.referring_fields()}

    assert {(Artifact, "blob"), (UploadFile, "blob")} <= fields


def test_the_scheduled_job_gives_a_day_s_notice(sealed: Bundle) -> None:
    plan = retention.run(RAW_OVER)
    assert plan is not None
    assert (plan.due, plan.bytes, plan.applied_at) == (1, 4, None)

    retention.run(RAW_OVER + timedelta(hours=23))
    assert sealed.artifacts.filter(purged_at=None).count() == 3

    applied = retention.run(RAW_OVER + DAY)
    assert applied is not None
    assert applied.applied_at == RAW_OVER + DAY
    assert sealed.artifacts.get(name="predictions.jsonl").purged_at == RAW_OVER + DAY
    assert RetentionPlan.objects.count() == 1


def test_the_scheduled_job_purges_nothing_that_was_not_announced(
    sealed: Bundle, workspace: Workspace
) -> None:
    later = bundles.open_bundle(workspace=workspace, kind="run")
    bundles.write_artifact(later, "predictions.jsonl", [b"later\n"], tier="raw")
    bundles.seal(later, {"run_id": "run_2"}, NOW + timedelta(hours=12))
    age_store()
    retention.run(RAW_OVER)

    retention.run(RAW_OVER + DAY)

    assert sealed.artifacts.filter(purged_at__isnull=False).count() == 1
    assert later.artifacts.filter(purged_at__isnull=False).count() == 0


def test_the_scheduled_job_plans_nothing_when_nothing_is_due(sealed: Bundle) -> None:
    assert retention.run(NOW) is None
    assert RetentionPlan.objects.count() == 0


def _command(*options: str) -> str:
    out = StringIO()
    call_command("retention", *options, stdout=out)
    return out.getvalue()


@pytest.fixture
def expired(sealed: Bundle) -> Bundle:
    """Sealed so long ago that the real clock finds everything due."""
    Bundle.objects.update(raw_until=NOW - 900 * DAY, summary_until=NOW - 900 * DAY)
    return sealed


def test_the_command_is_a_dry_run_by_default(expired: Bundle) -> None:
    out = _command()

    assert "predictions.jsonl" in out
    assert "3 artifacts are due" in out
    assert "Nothing was deleted" in out
    assert expired.artifacts.filter(purged_at=None).count() == 3


def test_the_command_applies_on_request_and_leaves_a_note(expired: Bundle) -> None:
    out = _command("--apply")

    assert "Purged 3 artifacts" in out
    assert not expired.artifacts.filter(purged_at=None).exists()
    note = RetentionPlan.objects.get()
    assert note.due == 3
    assert note.applied_at is not None


def test_the_command_speaks_json(expired: Bundle) -> None:
    document = json.loads(_command("--json"))

    assert (document["files"], document["applied"]) == (3, False)
    names = [artifact["name"] for artifact in document["artifacts"]]
    assert names == ["metrics_summary.json", "predictions.jsonl", "run_manifest.json"]


def test_the_command_says_when_nothing_is_due(bundle: Bundle) -> None:
    assert _command() == "Nothing is due.\n"
