"""The files that a row names: looked for in the upload alone, and their texts taken along."""

from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

import orjson

from apps.datasets.contracts import Rejected
from apps.datasets.formats.building import Place, Problem
from apps.datasets.uploading.bundles import MOST_FILE_BYTES, Bundle
from apps.datasets.uploading.limits import MAX_RECORD_BYTES

from .pdf import PdfReader, Unreadable

FOLDERS = ("", "curated/", "data/", "data/curated/")
"""Where a path is looked for: as it is, then where builders of such files keep theirs."""

MOST_OF_ONE = 200_000
MOST_OF_ALL = 64 * 1024 * 1024
"""Bytes of text as JSON: of one attachment, and of all records of an upload together."""

MOST_A_RECORD = 50
MOST_NAMED = 50_000
REMEMBERED = 32 * 1024 * 1024
ENTRY_BYTES = 1_024
NOT_FOUND = "Attachment file not found on disk."
UPLOAD_IT = "Upload it with the dataset, in a zip or as a file beside it, under this path."


class Text(NamedTuple):
    """What a file says; `error` says why that cannot be told."""

    sha256: str
    text: str = ""
    error: str = ""


@dataclass(slots=True)
class Found:
    """Of one row: an entry for each attachment, and what is to be told of them."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)


class Attachments:
    """Finds the attachments of one upload's rows; close it, or use it as a context."""

    def __init__(self, bundle: Bundle, *, most: int = MOST_OF_ALL) -> None:
        self._bundle = bundle
        self._most = most
        self._pdfs = PdfReader()
        self._texts: dict[str, Text] = {}
        self._remembered = self._named = self._taken = 0

    def __enter__(self) -> "Attachments":
        return self

    def __exit__(self, *_: object) -> None:
        self._pdfs.close()

    def of(self, row: dict[str, Any], place: Place) -> Found:
        """Raises Rejected where the upload names too many, or where their texts are too long."""
        found, attachments = Found(), row["attachments"]
        room = MAX_RECORD_BYTES - place.length - ENTRY_BYTES * (1 + len(attachments))
        for at, attachment in enumerate(islice(attachments, MOST_A_RECORD)):
            room -= self._add(found, at, attachment, min(MOST_OF_ONE, room))
        if len(attachments) > MOST_A_RECORD:
            found.warnings.append(_too_many(len(attachments)))
        return found

    def _add(self, found: Found, at: int, attachment: dict[str, Any], room: int) -> int:
        """The bytes that its text takes."""
        named = attachment["path"]
        path = self._path(named)
        if path is None:
            found.entries.append({"path": named, "error": NOT_FOUND})
            found.warnings.append(_missing(at, named))
            return 0
        text = self._text(path, is_pdf=_is_pdf(attachment.get("kind", ""), path))
        entry = {"path": named, "resolved_path": path, "sha256": text.sha256}
        if text.error:
            found.entries.append({**entry, "error": text.error})
            found.warnings.append(Problem("attachment_unreadable", text.error, _at(at), named))
            return 0
        kept = fitting(text.text, room)
        if len(kept) < len(text.text):
            entry["clipped"] = True
            found.warnings.append(_clipped(at, named, len(kept)))
        found.entries.append({**entry, "text": kept})
        return self._count(kept)

    def _path(self, named: str) -> str | None:
        self._named += 1
        if self._named > MOST_NAMED:
            raise Rejected(f"The file names more than {MOST_NAMED:,} attachments.")
        for folder in FOLDERS:
            path = self._bundle.find(folder + named.strip().lstrip("/"))
            if path is not None:
                return path
        return None

    def _text(self, path: str, *, is_pdf: bool) -> Text:
        known = self._texts.get(path)
        if known is not None:
            return known
        text = self._read(path, is_pdf)
        if self._remembered < REMEMBERED:
            self._remembered += len(text.text)
            self._texts[path] = text
        return text

    def _read(self, path: str, is_pdf: bool) -> Text:
        try:
            content = self._bundle.files[path]
        except Rejected as rejected:
            return Text("", error=f"Failed to parse attachment: {rejected.message}")
        digest = sha256(content).hexdigest()
        try:
            if len(content) > MOST_FILE_BYTES:
                raise Unreadable(f"{path} is larger than 20 MB.")
            pdf = is_pdf or content.startswith(b"%PDF-")
            return Text(digest, self._pdfs.text(content) if pdf else _plain(path, content))
        except Unreadable as error:
            return Text(digest, error=f"Failed to parse attachment: {error}")

    def _count(self, text: str) -> int:
        size = len(orjson.dumps(text))
        self._taken += size
        if self._taken > self._most:
            raise Rejected(
                "The texts of the attachments come to more than 64 MB over all records: split the "
                "dataset.",
                code="payload_too_large",
                status=413,
            )
        return size


def fitting(text: str, room: int) -> str:
    """As much of the beginning of a text as takes no more than so many bytes of JSON."""
    kept = text[: max(0, room)]
    while (size := len(orjson.dumps(kept))) > max(2, room):
        kept = kept[: max(0, int(len(kept) * room / size) - 1)]
    return kept


def _is_pdf(kind: str, path: str) -> bool:
    return kind.strip().lower() == "pdf" or path.lower().endswith(".pdf")


def _plain(path: str, content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise Unreadable(f"{path} is neither UTF-8 text nor a PDF.")
    return text.strip()


def _at(at: int) -> str:
    return f"attachments[{at}].path"


def _missing(at: int, named: str) -> Problem:
    return Problem("attachment_not_found", NOT_FOUND, _at(at), named, UPLOAD_IT)


def _clipped(at: int, named: str, kept: int) -> Problem:
    sentence = f"Only the first {kept:,} characters of the attachment are kept."
    return Problem("attachment_clipped", sentence, _at(at), named)


def _too_many(given: int) -> Problem:
    sentence = f"Of {given:,} attachments the first {MOST_A_RECORD} are read."
    return Problem("attachments_left_out", sentence, "attachments")
