"""Packed files: what is in them is read within the limits, and nothing else."""

import gzip
import io
import stat
import zipfile
from pathlib import Path

import pytest

from apps.datasets.contracts import Options, Rejected
from apps.datasets.uploading.bundles import Archive, Bundle, Folder, normal_path
from apps.datasets.uploading.limits import MAX_DOCUMENT_BYTES
from apps.datasets.uploading.reading import Reading, read_file
from tests.datasets.documents import document


def packed(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def read(path: Path, **options: str) -> Reading:
    return read_file(path, name=path.name, options=Options.model_validate(options))


def test_a_gz_is_read_as_what_it_holds(tmp_path: Path) -> None:
    file = tmp_path / "qa.json.gz"
    file.write_bytes(gzip.compress(document()))

    assert read(file).counts["accepted"] == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(document())[:-20], "cannot be unpacked"),
        (b"\x1f\x8b" + b"nothing", "cannot be unpacked"),
        (gzip.compress(b""), "is empty"),
    ],
    ids=["cut off", "no gzip", "empty"],
)
def test_a_broken_gz_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "qa.json.gz"
    file.write_bytes(content)

    with pytest.raises(Rejected, match=words):
        read(file)


def test_a_gz_that_grows_too_large_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bomb.json.gz"
    with gzip.open(file, "wb", compresslevel=1) as bomb:
        for _ in range(MAX_DOCUMENT_BYTES // (1 << 20) + 1):
            bomb.write(bytes(1 << 20))

    with pytest.raises(Rejected, match="larger than 100 MB when unpacked") as refused:
        read(file)

    assert refused.value.status == 413


def test_the_one_dataset_of_a_zip_is_its_main_file(tmp_path: Path) -> None:
    file = packed(tmp_path / "all.zip", {"data/qa.json": document(), "notes/read.txt": b"hello"})

    assert read(file).header.dataset_id == "qa"


def test_a_zip_with_several_datasets_asks_which(tmp_path: Path) -> None:
    file = packed(tmp_path / "all.zip", {"a.json": document(), "b.json": document()})

    with pytest.raises(Rejected, match=r"2 dataset files: name the main one of a\.json, b\.json"):
        read(file)
    assert read(file, main="b.json").counts["accepted"] == 3


@pytest.mark.parametrize("name", ["../out.json", "/etc/passwd", "a/../../b", "..\\out.json"])
def test_a_zip_that_leads_out_of_itself_is_refused(tmp_path: Path, name: str) -> None:
    file = packed(tmp_path / "all.zip", {"qa.json": document(), name: b"x"})

    with pytest.raises(Rejected, match="leads out of it"):
        read(file)


def test_a_symbolic_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "all.zip"
    link = zipfile.ZipInfo("link")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("qa.json", document())
        archive.writestr(link, "/etc/passwd")

    with pytest.raises(Rejected, match="symbolic link"):
        read(file)


def test_a_zip_that_lies_about_its_sizes_is_refused(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("qa.json", document())
    raw = bytearray(content.getvalue())
    at = raw.rindex(b"PK\x01\x02")
    raw[at + 24 : at + 28] = (5).to_bytes(4, "little")
    file = tmp_path / "all.zip"
    file.write_bytes(bytes(raw))

    with pytest.raises(Rejected):
        read(file)


def test_a_folder_shows_only_what_is_in_it(tmp_path: Path) -> None:
    root = tmp_path / "bundle"
    (root / "deep").mkdir(parents=True)
    (root / "deep" / "a.txt").write_text("a")
    (root / ".hidden").write_text("no")
    (tmp_path / "secret.txt").write_text("no")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    (root / "way").symlink_to(tmp_path)

    files = Folder(root)

    assert list(files) == ["deep/a.txt"]
    for name in ("../secret.txt", "link.txt", "way/secret.txt", ".hidden", "/etc/passwd", "deep"):
        assert name not in files
        with pytest.raises(KeyError):
            files[name]
    assert files["deep/a.txt"] == b"a"
    assert list(files.used) == ["deep/a.txt"]


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("./a.md", "evals/deep/a.md"),
        ("../b.md", "evals/b.md"),
        ("b.md", "evals/b.md"),
        ("/c.md", "c.md"),
        ("shared/d.md", "shared/d.md"),
        ("../../../c.md", None),
        ("../../../../etc/passwd", None),
        ("none.md", None),
        ("", None),
    ],
)
def test_a_reference_is_looked_for_beside_the_file_and_then_above_it(
    reference: str, found: str | None
) -> None:
    names = ["evals/deep/a.md", "evals/b.md", "c.md", "shared/d.md"]
    bundle = Bundle("evals/deep/qa.yaml", b"", dict.fromkeys(names, b""))

    assert bundle.find(reference) == found


@pytest.mark.parametrize(
    ("path", "normal"),
    [("a/./b", "a/b"), ("a//b", "a/b"), ("a/../b", "b"), ("..", None), ("", None), ("a\0", None)],
)
def test_a_path_is_normal_or_none(path: str, normal: str | None) -> None:
    assert normal_path(path) == normal


def test_a_zip_beside_the_main_file_gives_its_files(tmp_path: Path) -> None:
    archive = Archive(packed(tmp_path / "a.zip", {"docs/x.txt": b"x"}), "a.zip")

    assert dict(archive) == {"docs/x.txt": b"x"}
