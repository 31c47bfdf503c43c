"""Verifying: whatever changed is named, in the store and in an exported folder."""

import json
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError

from apps.artifacts import bundles, exports, lines, store
from apps.artifacts.canonical import canonical, sha256_hex
from apps.artifacts.models import Artifact, Bundle
from apps.artifacts.verification import Report, verify_folder

from .conftest import NOW, RECORD

ACCEPTED = sha256_hex(canonical(RECORD))


def _fill(bundle: Bundle, *, input_rows: list[lines.Row] | None = None) -> Bundle:
    rows = [lines.with_hashes(RECORD, ACCEPTED)] if input_rows is None else input_rows
    prediction = {"record_id": "q1", "record_sha256": ACCEPTED, "model_response": "x"}
    files = {
        "input_dataset.json": b"".join(lines.dataset_document({"dataset_id": "d"}, rows)),
        "predictions.jsonl": lines.json_line(prediction),
        "metrics_summary.json": b'{"n": 1}\n',
    }
    for name, content in files.items():
        bundles.write_artifact(bundle, name, [content], tier="raw")
    return bundles.seal(bundle, {"run_id": "run_1"}, NOW)


def _tamper(file: Path, old: bytes, new: bytes) -> None:
    file.chmod(0o640)
    file.write_bytes(file.read_bytes().replace(old, new))


def _states(report: Report) -> dict[str, str]:
    return {check.name: check.state for check in (report.manifest, *report.artifacts)}


def _exported(bundle: Bundle, folder: Path) -> Path:
    exports.export(bundle, folder)
    return folder


def test_an_untouched_bundle_verifies_with_its_records(bundle: Bundle) -> None:
    report = bundles.verify(_fill(bundle))

    assert report.ok
    assert set(_states(report).values()) == {"ok"}
    assert report.records_checked == 1


def test_one_changed_byte_is_named(bundle: Bundle) -> None:
    sealed = _fill(bundle)
    artifact = sealed.artifacts.get(name="predictions.jsonl")
    _tamper(store.path(artifact.sha256), b'"x"', b'"y"')

    report = bundles.verify(sealed)

    assert not report.ok
    changed = [check for check in report.artifacts if check.state != "ok"]
    assert [check.name for check in changed] == ["predictions.jsonl"]
    assert changed[0].expected_sha256 == artifact.sha256 != changed[0].found_sha256


def test_a_lost_file_is_missing(bundle: Bundle) -> None:
    sealed = _fill(bundle)
    store.path(sealed.artifacts.get(name="metrics_summary.json").sha256).unlink()

    assert _states(bundles.verify(sealed))["metrics_summary.json"] == "missing"


def test_a_row_that_points_to_other_bytes_is_found_out(bundle: Bundle) -> None:
    sealed = _fill(bundle)
    other = store.put([b"better numbers"])
    rows = Artifact.objects.filter(bundle=sealed, name="metrics_summary.json")
    rows.update(blob=other, sha256=other.sha256, size=other.size)

    assert _states(bundles.verify(sealed))["metrics_summary.json"] == "changed"


def test_a_changed_manifest_is_found_out_and_the_rest_is_checked_by_the_database(
    bundle: Bundle,
) -> None:
    sealed = _fill(bundle)
    assert sealed.manifest_sha256
    _tamper(store.path(sealed.manifest_sha256), b"run_1", b"run_2")

    states = _states(bundles.verify(sealed))

    assert states.pop("run_manifest.json") == "changed"
    assert set(states.values()) == {"ok"}


def test_an_open_bundle_cannot_be_verified(bundle: Bundle) -> None:
    with pytest.raises(ValidationError, match="not sealed yet"):
        bundles.verify(bundle)


def test_a_redacted_copy_verifies_by_its_own_hash(bundle: Bundle) -> None:
    copy = {**RECORD, "input": {"prompt": "[REDACTED:email]"}}

    report = bundles.verify(_fill(bundle, input_rows=[lines.with_hashes(copy, ACCEPTED)]))

    assert report.ok
    assert report.records_checked == 1


def test_a_record_without_the_hash_that_it_carries_is_named(bundle: Bundle) -> None:
    wrong = {**RECORD, "input": {"prompt": "Another question"}, "record_sha256": ACCEPTED}

    report = bundles.verify(_fill(bundle, input_rows=[wrong]))

    assert not report.ok
    (error,) = report.record_errors
    assert (error.artifact, error.record_id) == ("input_dataset.json", "q1")


def test_an_answer_to_another_record_than_the_input_s_is_named(bundle: Bundle) -> None:
    other = {**RECORD, "input": {"prompt": "Another question"}}
    row = lines.with_hashes(other, sha256_hex(canonical(other)))

    report = bundles.verify(_fill(bundle, input_rows=[row]))

    (error,) = report.record_errors
    assert (error.artifact, error.record_id) == ("predictions.jsonl", "q1")


def test_many_wrong_records_are_counted_and_a_hundred_listed(bundle: Bundle) -> None:
    rows = [{"record_id": f"r{number}", "record_sha256": "0" * 64} for number in range(250)]

    report = bundles.verify(_fill(bundle, input_rows=rows))

    assert report.record_error_count == 250
    assert len(report.record_errors) == 100


def test_an_exported_folder_verifies_without_a_database(bundle: Bundle, tmp_path: Path) -> None:
    folder = _exported(_fill(bundle), tmp_path / "out")

    report = verify_folder(folder)

    assert report.ok
    assert set(_states(report).values()) == {"ok"}
    assert report.records_checked == 1


@pytest.mark.parametrize(
    "name",
    ["run_manifest.json", "predictions.jsonl", "input_dataset.json", "metrics_summary.json"],
)
def test_any_changed_file_of_a_folder_is_named(bundle: Bundle, tmp_path: Path, name: str) -> None:
    folder = _exported(_fill(bundle), tmp_path / "out")
    with (folder / name).open("ab") as file:
        file.write(b" ")

    report = verify_folder(folder)

    assert not report.ok
    assert [key for key, state in _states(report).items() if state == "changed"] == [name]


def test_a_manifest_and_a_list_that_were_both_rewritten_fail_against_the_hash_from_evalhub(
    bundle: Bundle, tmp_path: Path
) -> None:
    sealed = _fill(bundle)
    folder = _exported(sealed, tmp_path / "out")
    _tamper(folder / "run_manifest.json", b"run_1", b"run_2")
    (folder / "SHA256SUMS").unlink()
    assert sealed.manifest_sha256

    assert verify_folder(folder).manifest.state == "unproven"
    against = verify_folder(folder, manifest_sha256=sealed.manifest_sha256)
    assert against.manifest.state == "changed"
    assert not against.ok


def test_a_missing_and_an_additional_file_are_told_apart(bundle: Bundle, tmp_path: Path) -> None:
    folder = _exported(_fill(bundle), tmp_path / "out")
    (folder / "predictions.jsonl").unlink()
    (folder / "notes.txt").write_text("mine")

    states = _states(verify_folder(folder))

    assert states["predictions.jsonl"] == "missing"
    assert states["notes.txt"] == "unlisted"


def test_an_additional_file_alone_is_no_fault(bundle: Bundle, tmp_path: Path) -> None:
    folder = _exported(_fill(bundle), tmp_path / "out")
    (folder / "notes.txt").write_text("mine")

    assert verify_folder(folder).ok


@pytest.mark.parametrize("manifest", [b"", b"[]", b'{"artifacts": 3}', b'{"artifacts": [{}]}'])
def test_a_folder_with_an_unreadable_manifest_is_not_ok(tmp_path: Path, manifest: bytes) -> None:
    (tmp_path / "run_manifest.json").write_bytes(manifest)

    report = verify_folder(tmp_path)

    assert not report.ok
    assert report.manifest.state == "changed"


def test_an_empty_folder_misses_its_manifest(tmp_path: Path) -> None:
    report = verify_folder(tmp_path)

    assert report.manifest.state == "missing"
    assert not report.ok


def test_a_manifest_cannot_lead_out_of_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (tmp_path / "secret").write_bytes(b"s")
    entry = {"name": "../secret", "sha256": sha256_hex(b"s"), "size": 1}
    (folder / "run_manifest.json").write_text(json.dumps({"artifacts": [entry]}))

    assert _states(verify_folder(folder))["../secret"] == "missing"


def test_a_report_says_ok_in_its_json_too(bundle: Bundle) -> None:
    assert bundles.verify(_fill(bundle)).model_dump()["ok"] is True
