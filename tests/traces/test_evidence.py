"""Manifests of evidence: what is wrong has a code and a place, and nothing outside is read."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from apps.traces.evidence import Checked, verify

GOOD = """\
version: 1
issuer: helpdesk
subject: desk@fixture
measured_at: 2026-01-15T10:05:12Z
artifacts:
  - {id: dataset, path: data.json, sha256: SHA}
signals:
  offline_pass: {value: true, artifact_refs: [dataset]}
  failures: {value: 3, artifact_refs: [dataset] }
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """A manifest beside its artifact; pairs of texts are replaced in it."""
    artifact = tmp_path / "data.json"
    artifact.write_bytes(b"{}")
    sha256 = hashlib.sha256(b"{}").hexdigest()

    def written(*changes: tuple[str, str]) -> Path:
        text = GOOD
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        manifest = tmp_path / "manifest.yaml"
        manifest.write_text(text.replace("SHA", sha256))
        return manifest

    return written


def codes(checked: Checked) -> list[tuple[str, str]]:
    return [(each.code, each.location) for each in checked.diagnostics]


def test_a_true_manifest_has_no_faults_and_its_signals(write: Callable[..., Path]) -> None:
    checked = verify(write())

    assert codes(checked) == []
    assert (checked.issuer, checked.subject) == ("helpdesk", "desk@fixture")
    assert checked.signals == {"offline_pass": True, "failures": 3}
    assert checked.measured_at is not None


FAILURES = "signals.failures"
REFS = ", artifact_refs: [dataset] "

FAULTS: list[tuple[tuple[str, str], tuple[str, str]]] = [
    (("issuer: helpdesk\n", ""), ("missing_field", "issuer")),
    (("issuer: helpdesk", "issuer: 5"), ("invalid_field", "issuer")),
    (("version: 1", "version: 2"), ("unsupported_version", "version")),
    (("version: 1", "version: true"), ("unsupported_version", "version")),
    (("T10:05:12Z", "T10:05:12"), ("invalid_measured_at", "measured_at")),
    (("2026-01-15T10:05:12Z", "soon"), ("invalid_measured_at", "measured_at")),
    (("sha256: SHA", f"sha256: {'a' * 64}"), ("sha256_mismatch", "artifacts[0].sha256")),
    (("sha256: SHA", "sha256: abc"), ("invalid_sha256", "artifacts[0].sha256")),
    (("path: data.json", "path: ../data.json"), ("artifact_outside_root", "artifacts[0].path")),
    (("path: data.json", "path: /etc/passwd"), ("artifact_outside_root", "artifacts[0].path")),
    (("path: data.json", "path: a/../data.json"), ("artifact_outside_root", "artifacts[0].path")),
    (("path: data.json", "path: none.json"), ("artifact_not_found", "artifacts[0].path")),
    (("path: data.json, ", ""), ("missing_field", "artifacts[0].path")),
    (("value: true, ", ""), ("missing_field", "signals.offline_pass.value")),
    (("value: true", "value: [1]"), ("invalid_field", "signals.offline_pass.value")),
    ((REFS, ""), ("missing_field", f"{FAILURES}.artifact_refs")),
    ((REFS, ", artifact_refs: x"), ("invalid_field", f"{FAILURES}.artifact_refs")),
    ((REFS, ", artifact_refs: []"), ("missing_required_artifact", f"{FAILURES}.artifact_refs")),
    ((REFS, ", artifact_refs: [b]"), ("unknown_artifact_ref", f"{FAILURES}.artifact_refs")),
    (("{value: 3, artifact_refs: [dataset] }", "5"), ("invalid_field", FAILURES)),
    (("  failures:", "  offline_pass:"), ("duplicate_signal_id", "signals")),
    (("issuer: helpdesk", "issuer: [helpdesk"), ("invalid_yaml", "line 3")),
    (("issuer: helpdesk", "issuer: !!python/object:os.system x"), ("invalid_yaml", "line 2")),
]


@pytest.mark.parametrize(
    ("change", "fault"), FAULTS, ids=[f"{code} {at}" for _, (code, at) in FAULTS]
)
def test_each_fault_has_its_code_and_its_place(
    write: Callable[..., Path], change: tuple[str, str], fault: tuple[str, str]
) -> None:
    assert codes(verify(write(change))) == [fault]


def test_an_artifact_is_listed_once(write: Callable[..., Path]) -> None:
    again = "artifacts:\n  - {id: dataset, path: data.json, sha256: SHA}"

    assert codes(verify(write(("artifacts:", again)))) == [
        ("duplicate_artifact_id", "artifacts[1].id")
    ]


@pytest.mark.parametrize("text", ["[]", "5", ""])
def test_what_is_no_mapping_is_no_manifest(tmp_path: Path, text: str) -> None:
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(text)

    assert codes(verify(manifest)) == [("invalid_manifest", "manifest")]


@pytest.mark.parametrize("fields", ["artifacts: 5\nsignals: 5", "artifacts: [5]\nsignals: []"])
def test_lists_and_mappings_must_be_some(tmp_path: Path, fields: str) -> None:
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(
        f"version: 1\nissuer: a\nsubject: b\nmeasured_at: 2026-01-15T10:05:12Z\n{fields}\n"
    )

    assert {code for code, _ in codes(verify(manifest))} == {"invalid_field"}


def test_no_link_is_followed(write: Callable[..., Path], tmp_path: Path) -> None:
    outside = tmp_path.parent / "outside.json"
    outside.write_bytes(b"{}")
    (tmp_path / "link.json").symlink_to(outside)
    (tmp_path / "way").symlink_to(tmp_path.parent)

    for path in ("link.json", "way/outside.json"):
        checked = verify(write(("path: data.json", f"path: {path}")))
        assert codes(checked) == [("artifact_outside_root", "artifacts[0].path")]


def test_a_folder_or_a_pipe_is_no_artifact(write: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")

    for path in ("folder", "pipe"):
        checked = verify(write(("path: data.json", f"path: {path}")))
        assert codes(checked) == [("artifact_not_file", "artifacts[0].path")]


def _missing(folder: Path) -> dict[str, Any]:
    return {"manifest": folder / "none.yaml"}


def _no_root(folder: Path) -> dict[str, Any]:
    return {"manifest": folder / "m.yaml", "root": folder / "none"}


def _root_is_a_file(folder: Path) -> dict[str, Any]:
    (folder / "file").write_text("")
    return {"manifest": folder / "m.yaml", "root": folder / "file"}


def _outside(folder: Path) -> dict[str, Any]:
    (folder / "m.yaml").write_text("")
    (folder / "root").mkdir()
    return {"manifest": folder / "m.yaml", "root": folder / "root"}


def _link(folder: Path) -> dict[str, Any]:
    (folder / "real.yaml").write_text("")
    (folder / "m.yaml").symlink_to(folder / "real.yaml")
    return {"manifest": folder / "m.yaml"}


def _folder(folder: Path) -> dict[str, Any]:
    (folder / "m.yaml").mkdir()
    return {"manifest": folder / "m.yaml"}


def _not_utf8(folder: Path) -> dict[str, Any]:
    (folder / "m.yaml").write_bytes(b"\xff\xfe")
    return {"manifest": folder / "m.yaml"}


def _large(folder: Path) -> dict[str, Any]:
    (folder / "m.yaml").write_bytes(b"#" * 1_100_000)
    return {"manifest": folder / "m.yaml"}


@pytest.mark.parametrize(
    ("prepared", "code"),
    [
        (_missing, "manifest_not_found"),
        (_no_root, "root_not_found"),
        (_root_is_a_file, "invalid_root"),
        (_outside, "manifest_outside_root"),
        (_link, "manifest_outside_root"),
        (_folder, "manifest_unreadable"),
        (_not_utf8, "manifest_unreadable"),
        (_large, "manifest_unreadable"),
    ],
)
def test_what_cannot_be_read_says_why(
    tmp_path: Path, prepared: Callable[[Path], dict[str, Any]], code: str
) -> None:
    checked = verify(**prepared(tmp_path))

    assert [each.code for each in checked.diagnostics] == [code]
    assert not checked.is_readable


def test_an_artifact_that_is_required_must_be_listed(write: Callable[..., Path]) -> None:
    checked = verify(write(), required=["dataset", "trace"])

    assert codes(checked) == [("missing_required_artifact", "artifacts")]
