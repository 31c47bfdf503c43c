"""A version with all that belongs to it as one zip: its file, its sidecar, the files beside it."""

import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import IO

from apps.artifacts import store

from . import formats
from .bundles import Archive, is_zip
from .contracts import Header
from .models import DatasetVersion, UploadFile
from .sight import Sight

BLOCK = 1 << 20
IN_MEMORY = 4 << 20


def has_more(version: DatasetVersion) -> bool:
    """Whether the file alone would not be read as the same records."""
    dialect = formats.FORMATS[version.format]
    named = isinstance(dialect, formats.WithSidecar)
    return named or (dialect.refers_to_files and bool(_others(version)))


def zipped(
    version: DatasetVersion, header: Header, pieces: Iterator[bytes], sight: Sight
) -> Iterator[bytes]:
    """The zip in pieces. Where personal data is redacted, the files beside it stay out: nobody
    has looked into them."""
    with tempfile.SpooledTemporaryFile(IN_MEMORY) as out:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            main = _main_path(version)
            with archive.open(main, "w", force_zip64=True) as entry:
                for piece in pieces:
                    entry.write(piece)
            taken = {main}
            for path, content in _beside(version, header, main, sight):
                if path not in taken:
                    taken.add(path)
                    archive.writestr(path, content)
        yield from _blocks(out)


def _beside(
    version: DatasetVersion, header: Header, main: str, sight: Sight
) -> Iterator[tuple[str, bytes]]:
    dialect = formats.FORMATS[version.format]
    if isinstance(dialect, formats.WithSidecar):
        sidecar = dialect.sidecar(header)
        yield PurePosixPath(main).with_suffix(".yaml").as_posix(), sidecar.encode()
    if not sight.is_redacted:
        for file in _others(version):
            yield from _contents(file)


def _others(version: DatasetVersion) -> list[UploadFile]:
    """The files that the version was uploaded with, beside the main one; a main zip is one too."""
    upload = version.uploads.order_by("pk").first()
    files = upload.files.order_by("path") if upload else UploadFile.objects.none()
    return [file for file in files if file.role != UploadFile.Role.MAIN or _is_archive(file)]


def _contents(file: UploadFile) -> Iterator[tuple[str, bytes]]:
    if _is_archive(file):
        yield from Archive(store.path(file.blob_id), file.path).items()
    else:
        yield file.path, store.path(file.blob_id).read_bytes()


def _is_archive(file: UploadFile) -> bool:
    with store.open(file.blob_id) as content:
        return is_zip(content.read(4))


def _main_path(version: DatasetVersion) -> str:
    """Where the main file was, with the ending that it is written with."""
    upload = version.uploads.order_by("pk").first()
    files = upload.files.filter(role=UploadFile.Role.MAIN) if upload else None
    first = files.first() if files is not None else None
    named = version.header["dataset_id"] if first is None or _is_archive(first) else first.path
    ending = formats.FORMATS[version.format].endings[0]
    path = PurePosixPath(upload.options.get("main") or named) if upload else PurePosixPath(named)
    return path.with_name(path.name.split(".")[0] + ending).as_posix()


def _blocks(out: IO[bytes]) -> Iterator[bytes]:
    out.seek(0)
    while block := out.read(BLOCK):
        yield block
