"""`evalhub trace import` and `evalhub evidence verify`."""

import hashlib
from pathlib import Path

import pytest

from apps.accounts.models import User, Workspace
from apps.traces.models import EvidenceManifest, Trace
from tests.commands import evalhub
from tests.datasets.scenario_files import as_lines, event
from tests.traces.building import CHAT, EVENTS

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(as_lines(CHAT, *EVENTS))
    return path


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    (tmp_path / "data.json").write_bytes(b"{}")
    path = tmp_path / "manifest.yaml"
    sha256 = hashlib.sha256(b"{}").hexdigest()
    path.write_text(
        "version: 1\nissuer: desk\nsubject: agent\nmeasured_at: 2026-01-15T10:05:12Z\n"
        f"artifacts: [{{id: data, path: data.json, sha256: {sha256}}}]\n"
        "signals: {passed: {value: false, artifact_refs: [data]}}\n"
    )
    return path


def test_traces_are_imported_and_told(workspace: Workspace, file: Path) -> None:
    said = evalhub("trace", "import", str(file))

    assert said.status == 0
    assert "2 traces with 7 events." in said.out
    assert "Report: /w/demo/datasets/uploads/" in said.out
    assert Trace.objects.filter(workspace=workspace).count() == 2


def test_an_import_answers_as_json(workspace: Workspace, alice: User, file: Path) -> None:
    said = evalhub("trace", "import", str(file), "--json", "--user", "alice", "--workspace", "demo")

    answer = said.facts
    assert answer["http_status"] == 201
    assert answer["summary"]["accepted_records"] == 2
    assert answer["told"] == "2 traces with 7 events."


def test_a_file_with_a_mistake_is_refused_with_its_line(workspace: Workspace, file: Path) -> None:
    with file.open("ab") as more:
        more.write(as_lines(event(payload={"n": 1})))

    said = evalhub("trace", "import", str(file), "--json")

    answer = said.facts
    assert said.status == 2
    assert [error["line"] for error in answer["record_errors"]] == [5]
    assert Trace.objects.count() == 0


def test_the_valid_traces_can_be_imported_alone(workspace: Workspace, file: Path) -> None:
    with file.open("ab") as more:
        more.write(b"{oops\n")

    said = evalhub("trace", "import", str(file), "--valid-only")

    assert said.status == 0
    assert Trace.objects.count() == 2


def test_a_file_that_is_not_there_is_told(workspace: Workspace, tmp_path: Path) -> None:
    said = evalhub("trace", "import", str(tmp_path / "none.jsonl"))

    assert said.status == 2
    assert "No such file" in said.err


def test_true_evidence_is_told_with_its_signals(manifest: Path) -> None:
    said = evalhub("evidence", "verify", str(manifest))

    assert said.status == 0
    assert said.out.splitlines() == ["agent, by desk: true.", "  passed: false"]


def test_false_evidence_is_told_with_its_code(manifest: Path) -> None:
    (manifest.parent / "data.json").write_text("changed")

    said = evalhub("evidence", "verify", str(manifest), "--json")

    answer = said.facts
    assert said.status == 1
    assert answer["ok"] is False
    assert [sorted(each) for each in answer["diagnostics"]] == [["code", "location", "message"]]
    assert answer["diagnostics"][0]["code"] == "sha256_mismatch"


def test_evidence_that_cannot_be_read_ends_with_2(tmp_path: Path) -> None:
    said = evalhub("evidence", "verify", str(tmp_path / "none.yaml"))

    assert said.status == 2
    assert "manifest_not_found" in said.out


def test_evidence_is_kept_where_a_workspace_is_named(workspace: Workspace, manifest: Path) -> None:
    evalhub("evidence", "verify", str(manifest), "--workspace", "demo", "--require", "trace")

    kept = EvidenceManifest.objects.get(workspace=workspace)
    assert (kept.subject, kept.issuer, kept.signals) == ("agent", "desk", {"passed": False})
    assert [fault["code"] for fault in kept.diagnostics] == ["missing_required_artifact"]
    assert kept.state == "invalid"
