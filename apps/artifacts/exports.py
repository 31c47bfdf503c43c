"""A bundle on its way out: as a folder, or as a zip that is never held whole."""

import io
import json
import shutil
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from django.core.exceptions import ValidationError
from django.utils import timezone

from . import store
from .models import Artifact, Bundle
from .verification import PURGED, SUMS


def export(bundle: Bundle, folder: Path) -> list[str]:
    """Write the files and what proves them into the folder; the names written or found there.

    Beside the artifacts: `SHA256SUMS`, which `sha256sum -c` understands, and `PURGED.json` when
    retention took some. A file that is there with other content is left alone and refused.
    """
    artifacts = _present(bundle)
    folder.mkdir(parents=True, exist_ok=True)
    for artifact in artifacts:
        _copy(artifact, folder / artifact.name)
    notes = _notes(bundle, artifacts)
    for name, content in notes.items():
        (folder / name).write_bytes(content)
    return [artifact.name for artifact in artifacts] + list(notes)


def zip_stream(bundle: Bundle) -> Iterator[bytes]:
    """The same files as a zip, in pieces; what is missing is said before the first byte."""
    artifacts = _present(bundle)
    return _zip(artifacts, _notes(bundle, artifacts), bundle.sealed_at or timezone.now())


def _present(bundle: Bundle) -> list[Artifact]:
    artifacts = list(bundle.artifacts.filter(blob__isnull=False).order_by("name"))
    missing = [artifact.name for artifact in artifacts if not store.exists(artifact.sha256)]
    if missing:
        raise ValidationError(
            f"{bundle.id} cannot be exported: the store has lost {', '.join(missing)}."
            " Verify the bundle and restore the files from a backup."
        )
    return artifacts


def _notes(bundle: Bundle, artifacts: list[Artifact]) -> dict[str, bytes]:
    sums = "".join(f"{artifact.sha256}  {artifact.name}\n" for artifact in artifacts)
    notes = {SUMS: sums.encode()}
    purged = {
        artifact.name: {"sha256": artifact.sha256, "purged_at": artifact.purged_at.isoformat()}
        for artifact in bundle.artifacts.filter(purged_at__isnull=False).order_by("name")
        if artifact.purged_at
    }
    if purged:
        notes[PURGED] = json.dumps(purged, indent=2).encode() + b"\n"
    return notes


def _copy(artifact: Artifact, target: Path) -> None:
    if not target.exists():
        shutil.copyfile(store.path(artifact.sha256), target)
    elif store.sha256_of(target) != artifact.sha256:
        raise ValidationError(
            f"{target} is there already with other content. Choose an empty folder."
        )


def _zip(artifacts: list[Artifact], notes: dict[str, bytes], made: datetime) -> Iterator[bytes]:
    outbox = _Outbox()
    with zipfile.ZipFile(outbox, "w", zipfile.ZIP_DEFLATED) as archive:
        for artifact in artifacts:
            entry = _entry(artifact.name, made, artifact.size)
            with archive.open(entry, "w", force_zip64=artifact.size >= 1 << 31) as member:
                for chunk in store.read(artifact.sha256):
                    member.write(chunk)
                    yield outbox.take()
        for name, content in notes.items():
            archive.writestr(_entry(name, made, len(content)), content)
    yield outbox.take()


def _entry(name: str, made: datetime, size: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, made.timetuple()[:6])
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o440 << 16
    entry.file_size = size
    return entry


class _Outbox(io.RawIOBase):
    """A stream that cannot seek: what was written waits here until it is taken."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        piece = bytes(data)  # type: ignore[call-overload]
        self._waiting += piece
        return len(piece)

    def take(self) -> bytes:
        taken = bytes(self._waiting)
        self._waiting.clear()
        return taken
