"""The files that a version was uploaded with, as one zip that is read as the same version."""

import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from typing import IO

from apps.artifacts import store
from apps.datasets.models import UploadFile
from apps.datasets.uploading.bundles import Archive, is_zip

BLOCK = 1 << 20
IN_MEMORY = 4 << 20


def has_more(files: Sequence[UploadFile]) -> bool:
    """Whether a version was uploaded as more than one plain file."""
    return len(files) > 1 or any(map(_is_archive, files))


def zipped(files: Sequence[UploadFile]) -> Iterator[bytes]:
    """The zip in pieces: every file at its path, byte for byte as it was sent."""
    with tempfile.SpooledTemporaryFile(IN_MEMORY) as out:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            taken: set[str] = set()
            for path, content in _contents(files):
                if path not in taken:
                    taken.add(path)
                    archive.writestr(path, content)
        yield from _blocks(out)


def _contents(files: Sequence[UploadFile]) -> Iterator[tuple[str, bytes]]:
    for file in files:
        if _is_archive(file):
            yield from Archive(store.path(file.blob_id), file.path).items()
        else:
            yield file.path, store.path(file.blob_id).read_bytes()


def _is_archive(file: UploadFile) -> bool:
    with store.open(file.blob_id) as content:
        return is_zip(content.read(4))


def _blocks(out: IO[bytes]) -> Iterator[bytes]:
    out.seek(0)
    while block := out.read(BLOCK):
        yield block
