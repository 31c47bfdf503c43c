"""legal_eval_v1: attachments are looked for in the upload alone, and their texts go along."""

import json
import stat
import zipfile
from pathlib import Path
from typing import Any

import psutil
import pytest

from apps.datasets.contracts import AcceptedRecord, Rejected
from apps.datasets.formats.building import Place
from apps.datasets.formats.legal_eval_v1.attaching import Attachments
from apps.datasets.formats.legal_eval_v1.pdf import PdfReader, Unreadable
from apps.datasets.uploading.bundles import Archive, Bundle, Folder
from apps.datasets.uploading.limits import MAX_RECORD_BYTES
from tests.bounds import bounded
from tests.datasets.legal import accepted, lines, page, pdf, row, warnings

NOT_FOUND = "Attachment file not found on disk."
SLOW = b"BT /F1 12 Tf (x) Tj ET\n" * 2_000_000


def attached(*paths: str, **fields: Any) -> bytes:
    return lines(row(attachments=[{"path": path, **fields} for path in paths]))


def entries(record: AcceptedRecord) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(record.payload)["resolved"]["attachments"]
    return found


def test_a_text_is_taken_along_with_where_it_was_and_its_hash() -> None:
    (record,) = accepted(
        attached("lease.txt"), {"docs/lease.txt": b"\xef\xbb\xbfThe lease\n"}, "docs/a.jsonl"
    )

    (entry,) = entries(record)
    assert entry["path"] == "lease.txt"
    assert entry["resolved_path"] == "docs/lease.txt"
    assert entry["text"] == "The lease"
    assert len(entry["sha256"]) == 64
    assert record.warnings == ()


@pytest.mark.parametrize("where", ["evals/v1", "evals", ".", "evals/curated", "data/curated"])
def test_a_file_is_looked_for_from_the_folder_of_the_dataset_upwards(where: str) -> None:
    files = {f"{where}/lease.txt".removeprefix("./"): b"found"}

    (record,) = accepted(attached("lease.txt"), files, "evals/v1/set.jsonl")

    assert entries(record)[0]["text"] == "found"


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "/etc/passwd", "..\\..\\etc\\passwd", "a/../../..", "\0", ".", "~"]
)
def test_nothing_outside_the_upload_is_ever_read(path: str, tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret.txt").write_text("secret")

    (record,) = accepted(attached(path, "../secret.txt"), Folder(tmp_path / "inside"))  # type: ignore[arg-type]

    assert [entry["error"] for entry in entries(record)] == [NOT_FOUND, NOT_FOUND]
    assert [told[::2] for told in warnings(record)] == [("attachment_not_found", NOT_FOUND)] * 2


def test_a_link_in_a_folder_or_a_zip_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "lease.txt").symlink_to(tmp_path / "secret.txt")
    link = zipfile.ZipInfo("lease.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(link, "../secret.txt")

    (record,) = accepted(attached("lease.txt"), Folder(tmp_path / "inside"))  # type: ignore[arg-type]

    assert entries(record)[0]["error"] == NOT_FOUND
    with pytest.raises(Rejected, match="symbolic link"):
        Archive(tmp_path / "a.zip", "a.zip")


def test_the_text_of_a_pdf_is_read_by_its_name_its_kind_or_its_beginning() -> None:
    content = pdf(page(b"Article 5"), pages=2)
    files = {"a.PDF": content, "b": content, "c.bin": content}
    rows = lines(
        row(attachments=[{"path": "a.PDF"}, {"path": "b", "kind": "pdf"}, {"path": "c.bin"}])
    )

    (record,) = accepted(rows, files)

    assert [entry["text"] for entry in entries(record)] == ["Article 5\n\nArticle 5"] * 3


def test_what_has_no_text_is_told_and_the_row_is_kept() -> None:
    files = {"a.pdf": b"%PDF-1.4 nothing", "b.png": b"\x89PNG\0\xff", "c.txt": b"a\0b"}

    (record,) = accepted(attached(*files), files)

    errors = [entry["error"] for entry in entries(record)]
    assert all(error.startswith("Failed to parse attachment: ") for error in errors)
    assert errors[1:] == [
        "Failed to parse attachment: b.png is neither UTF-8 text nor a PDF.",
        "Failed to parse attachment: c.txt is neither UTF-8 text nor a PDF.",
    ]
    assert [told[0] for told in warnings(record)] == ["attachment_unreadable"] * 3


def test_a_long_text_is_kept_from_its_beginning_and_the_record_stays_small_enough() -> None:
    files = {f"{n}.txt": b"\n\xc3\xa9" + b"x\n" * 300_000 for n in range(8)}

    (record,) = accepted(attached(*files), files)

    assert all(entry["clipped"] for entry in entries(record))
    assert len(entries(record)[0]["text"]) > 100_000
    assert len(record.payload) <= MAX_RECORD_BYTES
    assert [told[0] for told in warnings(record)] == ["attachment_clipped"] * 8


def test_of_very_many_attachments_the_first_fifty_are_read() -> None:
    (record,) = accepted(attached(*["a.txt"] * 60), {"a.txt": b"told"})

    assert len(entries(record)) == 50
    assert warnings(record)[-1][0] == "attachments_left_out"


def test_texts_that_fill_the_memory_refuse_the_upload() -> None:
    bundle = Bundle("dataset.jsonl", b"", {"a.txt": b"x" * 190_000})
    given = row(attachments=[{"path": "a.txt"}])

    with Attachments(bundle, most=500_000) as attachments:
        attachments.of(given, Place(0, 0, 100))
        attachments.of(given, Place(1, 0, 100))
        with pytest.raises(Rejected, match="split the dataset"):
            attachments.of(given, Place(2, 0, 100))


def test_the_same_file_gives_the_same_record_each_time() -> None:
    files = {"a.pdf": pdf(page(b"Article 5"))}

    first, second = (accepted(attached("a.pdf"), files)[0] for _ in range(2))

    assert first.sha256 == second.sha256


HOSTILE = {
    "bomb": pdf(b"\0" * 200_000_000, deflated=True),
    "nested": b"%PDF-1.4\n1 0 obj\n" + b"[" * 100_000 + b"\nendobj\ntrailer << /Root 1 0 R >>",
    "empty": b"",
    "cut short": pdf(page(b"Article 5"))[:150],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_pdf_explodes_nowhere(name: str) -> None:
    with bounded():
        (record,) = accepted(attached("a.pdf", kind="pdf"), {"a.pdf": HOSTILE[name]})

    assert "error" in entries(record)[0]


def test_after_a_pdf_that_takes_too_long_no_other_is_read() -> None:
    reader = PdfReader(file_seconds=0.5)

    with pytest.raises(Unreadable, match="takes more than"):
        reader.text(pdf(SLOW, deflated=True))
    with pytest.raises(Unreadable, match="an earlier PDF of the upload"):
        reader.text(pdf(page(b"Article 5")))
    reader.close()


def test_all_pdfs_of_an_upload_share_one_process_and_it_ends_with_them() -> None:
    before = set(psutil.Process().children())
    reader = PdfReader()

    texts = [reader.text(pdf(page(text))) for text in (b"one", b"two")]
    (started,) = set(psutil.Process().children()) - before
    reader.close()

    assert texts == ["one", "two"]
    assert not started.is_running()
