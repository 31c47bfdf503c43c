"""What people do to a run on its page, and what a run leaves behind to download."""

import io
import zipfile
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.artifacts import store
from apps.runs.models import Run, RunState
from tests.runs import building
from tests.runs.building import PASSED, SKIPPED, TIMED_OUT

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def files(settings: LazySettings, tmp_path: Path) -> None:
    settings.FILES_DIR = tmp_path


def post(client: Client, name: str, run: Run) -> str:
    """The page that the button leads to."""
    answer = client.post(reverse(f"runs:{name}", args=["demo", run.pk]), follow=True)
    assert answer.status_code == 200
    return answer.content.decode()


def test_cancelling_ends_a_run_that_nobody_has_begun(
    as_alice: Client, workspace: Workspace
) -> None:
    run = building.queued_run(workspace)

    page = post(as_alice, "cancel", run)

    run.refresh_from_db()
    assert run.cancel_requested_at is not None
    assert run.state == RunState.FINALIZING
    assert "the answers so far are kept" in page
    assert "Cancelling" in page


def test_cancelling_what_has_ended_says_why_not(as_alice: Client, ended: Run) -> None:
    assert "there is nothing left to cancel" in post(as_alice, "cancel", ended)


def test_archiving_takes_a_run_out_of_the_table_and_restoring_puts_it_back(
    as_alice: Client, ended: Run
) -> None:
    post(as_alice, "archive", ended)
    without = as_alice.get("/w/demo/runs/").content.decode()
    post(as_alice, "restore", ended)
    again = as_alice.get("/w/demo/runs/").content.decode()

    assert "v14 prompt" not in without
    assert "v14 prompt" in again


def test_an_open_run_cannot_be_archived(as_alice: Client, workspace: Workspace) -> None:
    run = building.queued_run(workspace)

    assert "Cancel the run first" in post(as_alice, "archive", run)


@pytest.mark.parametrize("kind", ["resume", "retry"])
def test_a_run_is_followed_by_another_one(
    kind: str, as_alice: Client, alice: User, workspace: Workspace
) -> None:
    run = building.ended_run(workspace, [PASSED, TIMED_OUT, SKIPPED], name="first")

    page = post(as_alice, kind, run)

    child = Run.objects.get(parent=run)
    assert (child.kind, child.created_by, child.name) == (kind, alice, "first")
    assert child.pk in page


def test_nobody_follows_a_run_that_is_open(as_alice: Client, workspace: Workspace) -> None:
    run = building.running_run(workspace, [PASSED])

    assert "wait until it has ended" in post(as_alice, "retry", run)
    assert not run.children.exists()


# -- artifacts ------------------------------------------------------------------------------


@pytest.fixture
def kept(workspace: Workspace) -> Run:
    return building.kept_run(workspace)


def test_artifacts_are_listed_with_their_hashes(as_alice: Client, kept: Run) -> None:
    page = as_alice.get(reverse("runs:artifacts", args=["demo", kept.pk])).content.decode()

    assert kept.bundle is not None
    for artifact in kept.bundle.artifacts.all():
        assert artifact.name in page
        assert artifact.sha256 in page
    assert kept.plan_sha256 in page


def test_an_artifact_is_downloaded_byte_for_byte(as_alice: Client, kept: Run) -> None:
    answer = as_alice.get(reverse("runs:artifact", args=["demo", kept.pk, "predictions.jsonl"]))

    assert b"".join(answer.streaming_content) == b'{"record_id": "a"}\n'
    assert f'filename="{kept.pk}-predictions.jsonl"' in answer["Content-Disposition"]


@pytest.mark.parametrize("name", ["nothing.json", "..%2F..%2Fsecret_key"])
def test_an_artifact_that_is_not_there_is_404(name: str, as_alice: Client, kept: Run) -> None:
    assert as_alice.get(f"/w/demo/runs/{kept.pk}/artifacts/{name}").status_code == 404


def test_a_run_without_artifacts_has_none_to_download(as_alice: Client, ended: Run) -> None:
    for address in ("artifacts.zip", "artifacts/run_manifest.json"):
        assert as_alice.get(f"/w/demo/runs/{ended.pk}/{address}").status_code == 404


def test_all_artifacts_come_in_one_zip(as_alice: Client, kept: Run) -> None:
    answer = as_alice.get(reverse("runs:artifacts-zip", args=["demo", kept.pk]))

    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        assert set(archive.namelist()) == {
            "SHA256SUMS",
            "metrics_summary.json",
            "predictions.jsonl",
            "run_manifest.json",
        }


def test_verifying_says_that_nothing_changed(as_alice: Client, kept: Run) -> None:
    page = as_alice.post(reverse("runs:artifacts", args=["demo", kept.pk])).content.decode()

    assert "nothing is missing or changed" in page


def test_verifying_names_what_was_changed(as_alice: Client, kept: Run) -> None:
    assert kept.bundle is not None
    file = store.path(kept.bundle.artifacts.get(name="predictions.jsonl").sha256)
    file.chmod(0o640)
    file.write_bytes(b'{"record_id": "b"}\n')

    page = as_alice.post(reverse("runs:artifacts", args=["demo", kept.pk])).content.decode()

    assert "Not what was sealed" in page
    assert "predictions.jsonl: changed" in page


def test_verifying_before_the_end_says_why_not(as_alice: Client, workspace: Workspace) -> None:
    run = building.queued_run(workspace)

    page = as_alice.post(reverse("runs:artifacts", args=["demo", run.pk])).content.decode()

    assert "The run has no artifacts yet." in page
