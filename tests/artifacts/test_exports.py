"""A bundle on its way out."""

import io
import subprocess
import zipfile
from pathlib import Path

import pytest
from django.core.exceptions import ValidationError

from apps.artifacts import bundles, exports, store
from apps.artifacts.models import Bundle
from apps.artifacts.verification import verify_folder

from .conftest import NOW

FILES = {"predictions.jsonl": b'{"record_id":"q1"}\n', "metrics_summary.json": b"{}\n"}


@pytest.fixture
def sealed(bundle: Bundle) -> Bundle:
    for name, content in FILES.items():
        bundles.write_artifact(bundle, name, [content], tier="raw")
    return bundles.seal(bundle, {"run_id": "run_1"}, NOW)


def test_the_folder_holds_every_file_the_manifest_and_the_sums(
    sealed: Bundle, tmp_path: Path
) -> None:
    names = exports.export(sealed, tmp_path / "out")

    assert set(names) == {*FILES, "run_manifest.json", "SHA256SUMS"}
    assert {file.name for file in (tmp_path / "out").iterdir()} == set(names)
    for name, content in FILES.items():
        assert (tmp_path / "out" / name).read_bytes() == content


def test_the_sums_are_what_sha256sum_understands(sealed: Bundle, tmp_path: Path) -> None:
    exports.export(sealed, tmp_path)

    checked = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )

    assert checked.returncode == 0


def test_exporting_again_into_the_same_folder_is_no_error(sealed: Bundle, tmp_path: Path) -> None:
    first = exports.export(sealed, tmp_path)

    assert exports.export(sealed, tmp_path) == first


def test_a_file_with_other_content_is_left_alone(sealed: Bundle, tmp_path: Path) -> None:
    (tmp_path / "predictions.jsonl").write_text("mine")

    with pytest.raises(ValidationError, match="Choose an empty folder"):
        exports.export(sealed, tmp_path)

    assert (tmp_path / "predictions.jsonl").read_text() == "mine"


@pytest.mark.parametrize("way", ["folder", "zip"])
def test_a_file_that_the_store_lost_is_named_before_the_first_byte(
    sealed: Bundle, tmp_path: Path, way: str
) -> None:
    store.path(sealed.artifacts.get(name="predictions.jsonl").sha256).unlink()

    with pytest.raises(ValidationError, match=r"lost predictions\.jsonl"):
        exports.export(sealed, tmp_path) if way == "folder" else exports.zip_stream(sealed)


def test_the_zip_unpacks_to_a_folder_that_verifies(sealed: Bundle, tmp_path: Path) -> None:
    archive = zipfile.ZipFile(io.BytesIO(b"".join(exports.zip_stream(sealed))))

    assert archive.testzip() is None
    archive.extractall(tmp_path)
    assert archive.read("predictions.jsonl") == FILES["predictions.jsonl"]
    assert verify_folder(tmp_path).ok


def test_the_zip_of_a_bundle_is_the_same_each_time(sealed: Bundle) -> None:
    assert b"".join(exports.zip_stream(sealed)) == b"".join(exports.zip_stream(sealed))


def test_a_large_zip_comes_in_small_pieces(bundle: Bundle) -> None:
    noise = [bytes(range(256)) * 4096] * 8
    bundles.write_artifact(bundle, "large.bin", noise, tier="raw")
    sealed = bundles.seal(bundle, {}, NOW)

    pieces = [len(piece) for piece in exports.zip_stream(sealed)]

    assert len(pieces) > 8
    assert max(pieces) < 2 * store.CHUNK
