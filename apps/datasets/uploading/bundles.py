"""What an upload consists of: one main file, and the files that were sent along with it. Pure."""

import stat
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath

from apps.datasets.contracts import Rejected

from . import encodings
from .limits import MAX_DOCUMENT_BYTES, Source

MOST_FILES = 2_000
SAMPLE = 1 << 16
MOST_FILE_BYTES = 20 * 1024 * 1024
"""Of one file beside the main one."""

Files = Mapping[str, bytes]
"""The files beside the main one by their path in the bundle: relative, with slashes."""

NO_FILES: Files = {}


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a reader reads. `name` is the main file's path in the bundle, `mapping` says which
    column of the file each field of the format is in, `variables` are the workspace's."""

    name: str
    raw: Source
    files: Files = field(default_factory=dict)
    mapping: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        """The main file's name without folder and endings: `dataset` of `evals/dataset.jsonl`."""
        return PurePosixPath(self.name).name.split(".")[0] or "dataset"

    def find(self, reference: str, *, beside: str = "") -> str | None:
        """The path of the file that a text refers to: from the folder of the file that says so
        (the main one unless `beside` names another) up to the bundle's root; None if there is none.

        Nothing outside the bundle is ever found: `..` above its root leads nowhere.
        """
        folder = PurePosixPath(beside or self.name).parent
        for root in (folder, *folder.parents):
            path = normal_path(f"{root}/{reference.lstrip('/')}")
            if path is not None and path in self.files:
                return path
        return None

    def text(self, path: str) -> str:
        """A file of the bundle as text; raises Rejected, naming it, where it is not UTF-8."""
        content = self.files[path]
        try:
            return content.decode("utf-8-sig")
        except UnicodeDecodeError:
            name = encodings.guessed(content[:SAMPLE])
            raise Rejected(f"{path} is not UTF-8 text: it looks like {name}.") from None


def normal_path(path: str) -> str | None:
    """The path without `.` and `..`; None when it leads out of the bundle or is no path."""
    parts: list[str] = []
    for part in path.replace("\\", "/").split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    joined = "/".join(parts)
    return joined if parts and "\0" not in joined else None


class Folder(Files):
    """The files under a folder of this machine, for commands; `used` are those that were read.

    Symbolic links are not followed, wherever they lead, and nothing hidden is seen.
    """

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self.used: dict[str, Path] = {}

    def __getitem__(self, path: str) -> bytes:
        file = self._file(path)
        if file is None:
            raise KeyError(path)
        _require_small(path, file.stat().st_size)
        self.used[path] = file
        return file.read_bytes()

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._file(path) is not None

    def __iter__(self) -> Iterator[str]:
        files = (file for file in self._root.rglob("*") if file.is_file())
        for file in islice(files, MOST_FILES):
            path = file.relative_to(self._root).as_posix()
            if path in self:
                yield path

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _file(self, path: str) -> Path | None:
        if normal_path(path) != path:
            return None
        file = self._root
        for part in path.split("/"):
            file = file / part
            if part.startswith(".") or file.is_symlink():
                return None
        return file if file.is_file() else None


class Archive(Files):
    """The files of a zip, read where they are; raises Rejected for one not to be trusted."""

    def __init__(self, file: Path, name: str) -> None:
        self.file = file
        self.name = name
        self._members = _members(file, name)

    def __getitem__(self, path: str) -> bytes:
        member = self._members[path]
        _require_small(path, member.file_size)
        try:
            with zipfile.ZipFile(self.file) as archive, archive.open(member) as content:
                found = content.read(MOST_FILE_BYTES + 1)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
            raise Rejected(f"{path} in the zip cannot be read: {error}.") from None
        _require_small(path, len(found))
        return found

    def __contains__(self, path: object) -> bool:
        return path in self._members

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


def is_zip(head: bytes) -> bool:
    return head.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def _members(file: Path, name: str) -> dict[str, zipfile.ZipInfo]:
    try:
        with zipfile.ZipFile(file) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError) as error:
        raise Rejected(f"{name} is not a zip that can be read: {error}.") from None
    if len(infos) > MOST_FILES:
        raise Rejected(f"{name} has {len(infos):,} files: at most {MOST_FILES:,} are taken.")
    if sum(info.file_size for info in infos) > MAX_DOCUMENT_BYTES:
        raise _too_large(f"{name} is larger than 100 MB when unpacked.")
    members: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        members[_member_path(info, name)] = info
    return members


def _member_path(info: zipfile.ZipInfo, name: str) -> str:
    path = normal_path(info.filename)
    if path is None or path != info.filename.removeprefix("./"):
        raise Rejected(f"{name} has a file that leads out of it: {info.filename[:200]}.")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise Rejected(f"{name} has a symbolic link, {path[:200]}: put the file itself there.")
    if info.flag_bits & 1:
        raise Rejected(f"{name} is encrypted: send it without a password.")
    return path


def _require_small(path: str, size: int) -> None:
    if size > MOST_FILE_BYTES:
        raise _too_large(f"{path} is larger than 20 MB.")


def _too_large(message: str) -> Rejected:
    return Rejected(message, code="payload_too_large", status=413)
