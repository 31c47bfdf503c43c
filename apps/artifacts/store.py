"""Files named by their content: written whole or not at all, never changed."""

import hashlib
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from django.conf import settings
from django.core.exceptions import ValidationError

from .models import Blob

CHUNK = 1 << 20
IDLE_SECONDS = 3600  # a file written or asked for within the hour is not ours to remove
_READ_ONLY = 0o440
_SHA256 = re.compile(r"[0-9a-f]{64}")


class FileTooLarge(ValidationError):
    """The bytes went past the limit that the caller gave; nothing was kept."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"The file is larger than {limit:,} bytes.", code="payload_too_large")
        self.limit = limit


@dataclass(frozen=True)
class Staged:
    """Bytes on the store's volume, hashed, and gone with the `with` unless kept."""

    sha256: str
    size: int
    file: Path

    def keep(self) -> Blob:
        """Give the bytes their final name and their row.

        The rename also happens where the file exists: it heals a damaged one, and its fresh time
        tells `remove` that somebody is about to refer to it.
        """
        target = path(self.sha256)
        _make_folder(target.parent)
        self.file.replace(target)
        _sync(target.parent)
        return Blob.objects.get_or_create(sha256=self.sha256, defaults={"size": self.size})[0]


def put(chunks: Iterable[bytes], *, limit: int | None = None) -> Blob:
    """Store the bytes once; the same bytes again give the same blob."""
    with staged(chunks, limit=limit) as file:
        return file.keep()


def put_file(source: Path, *, limit: int | None = None) -> Blob:
    with source.open("rb") as file:
        return put(_chunks(file), limit=limit)


@contextmanager
def staged(chunks: Iterable[bytes], *, limit: int | None = None) -> Iterator[Staged]:
    """Write and hash the bytes under a name that nobody looks at."""
    temporary = _temporary()
    try:
        yield _write(temporary, chunks, limit)
    finally:
        temporary.unlink(missing_ok=True)


def path(sha256: str) -> Path:
    if not _SHA256.fullmatch(sha256):
        raise ValueError(f"{sha256!r} is not a sha256 in lower-case hexadecimal.")
    return _root() / sha256[:2] / sha256[2:4] / sha256


def open(sha256: str) -> BinaryIO:  # noqa: A001 - read as store.open
    return path(sha256).open("rb")


def read(sha256: str) -> Iterator[bytes]:
    with open(sha256) as file:
        yield from _chunks(file)


def exists(sha256: str) -> bool:
    return path(sha256).is_file()


def remove(sha256: str) -> bool:
    """Delete the bytes unless somebody stored them within the hour; True when they are gone.

    Moved aside first: a `keep` before the move shows in the file's time and is undone here, a
    `keep` after the move made a file of its own.
    """
    final, aside = path(sha256), _temporary()
    with suppress(FileNotFoundError):
        final.replace(aside)
        if not _idle(aside):
            aside.replace(final)
            return False
    aside.unlink(missing_ok=True)
    return True


def sweep() -> int:
    """Remove what killed writers left behind; how many files that were."""
    orphans = [file for file in _workshop().iterdir() if _idle(file)]
    for orphan in orphans:
        orphan.unlink(missing_ok=True)
    return len(orphans)


def _write(temporary: Path, chunks: Iterable[bytes], limit: int | None) -> Staged:
    digest, size = hashlib.sha256(), 0
    with temporary.open("wb") as file:
        for chunk in chunks:
            size += len(chunk)
            if limit is not None and size > limit:
                raise FileTooLarge(limit)
            digest.update(chunk)
            file.write(chunk)
        file.flush()
        os.fchmod(file.fileno(), _READ_ONLY)
        os.fsync(file.fileno())
    return Staged(digest.hexdigest(), size, temporary)


def _root() -> Path:
    return Path(settings.FILES_DIR)


def _workshop() -> Path:
    """Where files are written: on the same volume as their final names."""
    folder = _root() / "tmp"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _temporary() -> Path:
    handle, name = tempfile.mkstemp(dir=_workshop())
    os.close(handle)
    return Path(name)


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk


def _make_folder(folder: Path) -> None:
    """Make it and its parents, so that they outlive a power cut as the file does."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        _sync(folder.parent)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _idle(file: Path) -> bool:
    try:
        return file.stat().st_mtime < time.time() - IDLE_SECONDS
    except FileNotFoundError:
        return True


def sha256_of(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
