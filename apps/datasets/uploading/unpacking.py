"""A .gz or a zip that came as the main file, unpacked within the limits of any upload."""

import gzip
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import NamedTuple

from apps.datasets import formats
from apps.datasets.contracts import Options, Rejected

from .bundles import Archive, Files, is_zip
from .limits import MAX_DOCUMENT_BYTES

GZIP = b"\x1f\x8b"
BLOCK = 1 << 20
HEAD_BYTES = 65_536
LISTED = 8
MOST_NAMED = 100


class Found(NamedTuple):
    """The main file as it is read: where it is, its path in the bundle, and what is beside it."""

    file: Path
    name: str
    files: Files


@contextmanager
def unpacked(path: Path, name: str, files: Files, options: Options) -> Iterator[Found]:
    """The file itself, or what is in it; raises Rejected for what cannot or may not be unpacked."""
    with path.open("rb") as file:
        head = file.read(4)
    with TemporaryDirectory(prefix="evalhub-") as folder:
        inside = Path(folder) / "main"
        if is_zip(head):
            archive = Archive(path, name)
            main = options.main or _main_of(archive, options.format)
            if main not in archive:
                raise Rejected(f"{name} has no file {main}.")
            inside.write_bytes(archive[main])
            yield Found(_not_empty(inside, main), main, {**files, **archive} if files else archive)
        elif head.startswith(GZIP):
            _expand(path, inside, name)
            yield Found(_not_empty(inside, name), name.removesuffix(".gz"), files)
        else:
            yield Found(path, name, files)


def _expand(source: Path, target: Path, name: str) -> None:
    size = 0
    try:
        with gzip.open(source) as packed, target.open("wb") as out:
            while block := packed.read(BLOCK):
                size += len(block)
                if size > MAX_DOCUMENT_BYTES:
                    raise Rejected(
                        f"{name} is larger than 100 MB when unpacked.",
                        code="payload_too_large",
                        status=413,
                    )
                out.write(block)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise Rejected(f"{name} cannot be unpacked: {error}.") from None


def _not_empty(file: Path, name: str) -> Path:
    if not file.stat().st_size:
        raise Rejected(f"{name} is empty: upload a document with records.")
    return file


def _main_of(archive: Mapping[str, bytes], wanted: str) -> str:
    """The one file of a zip that is a dataset; raises Rejected where it is not plain which."""
    found = [path for path in archive if _is_main(path, archive, wanted)]
    found = [path for path in found if not _is_sidecar(path, found)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise Rejected("No file in the zip is a dataset: name its main file and its format.")
    listed = ", ".join(found[:LISTED]) + (", …" if len(found) > LISTED else "")
    raise Rejected(
        f"The zip has {len(found)} dataset files: name the main one of {listed}.",
        code="main_needed",
        details={"main_files": found[:MOST_NAMED]},
    )


def _is_main(path: str, archive: Mapping[str, bytes], wanted: str) -> bool:
    if not any(
        path.endswith(ending) for each in formats.FORMATS.values() for ending in each.endings
    ):
        return False
    dialect = formats.detect(path, archive[path][:HEAD_BYTES])
    return dialect is not None and wanted in ("", dialect.id)


def _is_sidecar(path: str, found: list[str]) -> bool:
    """Whether it is the YAML that goes with lines of the same name."""
    own = PurePosixPath(path)
    return own.suffix in (".yaml", ".yml") and any(
        str(own.with_suffix(ending)) in found for ending in (".jsonl", ".csv")
    )
