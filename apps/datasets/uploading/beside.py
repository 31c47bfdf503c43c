"""The files that were uploaded along with a main one."""

from collections.abc import Iterator

from apps.artifacts import store
from apps.datasets.models import Upload, UploadFile

from .bundles import Archive, Files


class Beside(Files):
    """The files of an upload beside its main one; those of a zip by their paths in it."""

    def __init__(self, upload: Upload) -> None:
        others = upload.files.exclude(role=UploadFile.Role.MAIN)
        self._blobs: dict[str, str] = {}
        self._archives: list[Archive] = []
        for path, sha256 in others.order_by("path").values_list("path", "blob_id"):
            if path.lower().endswith(".zip"):
                self._archives.append(Archive(store.path(sha256), path))
            else:
                self._blobs[path] = sha256

    def __getitem__(self, path: str) -> bytes:
        if path in self._blobs:
            return store.path(self._blobs[path]).read_bytes()
        return next(archive for archive in self._archives if path in archive)[path]

    def __contains__(self, path: object) -> bool:
        return path in self._blobs or any(path in archive for archive in self._archives)

    def __iter__(self) -> Iterator[str]:
        yield from self._blobs
        for archive in self._archives:
            yield from (path for path in archive if path not in self._blobs)

    def __len__(self) -> int:
        return sum(1 for _ in self)
