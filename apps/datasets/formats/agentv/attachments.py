"""Files that cases refer to: found in the bundle, read once, marked as instructions."""

from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from apps.datasets.contracts import Rejected
from apps.datasets.formats.agentv.notes import Notes
from apps.datasets.uploading.bundles import Bundle, normal_path
from apps.datasets.uploading.limits import MAX_RECORD_BYTES

INSTRUCTIONS = ("*.instructions.md", "*.prompt.md", "instructions/*", "*/instructions/*")
"""Guidelines, unless a suite or `.agentv/config.yaml` names other `guideline_patterns`."""

MOST_KEPT = 16 * 1024 * 1024
"""Characters of texts kept at hand; past them, files are read again."""


class Attached(NamedTuple):
    path: str
    sha256: str
    text: str
    instruction: bool


class Attachments:
    """The files of a bundle by what cases call them."""

    def __init__(self, bundle: Bundle, patterns: tuple[str, ...] = INSTRUCTIONS) -> None:
        self._bundle = bundle
        self._patterns = patterns
        self._kept: dict[str, Attached | str] = {}
        self._size = 0

    def get(self, reference: str, beside: str, notes: Notes, path: str) -> Attached | None:
        """The file, or None with a note: a warning when it is not there or cannot be read."""
        name = reference.removeprefix("file://")
        found = self._bundle.find(name, beside=beside) or self._bundle.find(name)
        if found is None:
            self._missing(reference, name, beside, notes, path)
            return None
        attached = self._read(found)
        if isinstance(attached, Attached):
            return attached
        if attached:
            notes.told("file_unreadable", attached, path)
        else:
            message = f"File {reference[:200]} is larger than a record may be."
            hint = f"A record takes {MAX_RECORD_BYTES:,} bytes: refer to a shorter file."
            notes.wrong("record_too_large", message, path, reference, hint)
        return None

    def _missing(self, reference: str, name: str, beside: str, notes: Notes, path: str) -> None:
        folder = PurePosixPath(beside or self._bundle.name).parent
        roots = (folder, *folder.parents)
        tried = dict.fromkeys(normal_path(f"{root}/{name.lstrip('/')}") for root in roots)
        listed = ", ".join(each[:200] for each in tried if each) or "nothing inside the upload"
        hint = f"Tried: {listed}. Upload the file beside the dataset."
        notes.told("file_not_found", f"File not found: {reference[:200]}", path, hint)

    def _read(self, path: str) -> Attached | str:
        """The file, or why it was left out; an empty reason where it is too large."""
        if path not in self._kept:
            found = self._opened(path)
            self._size += len(found.text) if isinstance(found, Attached) else 0
            if self._size > MOST_KEPT:
                self._kept.clear()
                self._size = 0
            self._kept[path] = found
        return self._kept[path]

    def _opened(self, path: str) -> Attached | str:
        try:
            content = self._bundle.files[path]
            text = content.decode("utf-8-sig").replace("\r\n", "\n")
        except UnicodeDecodeError:
            return f"{path[:200]} is not UTF-8 text: it was left out."
        except Rejected as rejected:
            return f"{rejected.message} It was left out."
        if len(content) > MAX_RECORD_BYTES:
            return ""
        return Attached(path, sha256(content).hexdigest(), text, self._is_instruction(path))

    def _is_instruction(self, path: str) -> bool:
        names = (path, PurePosixPath(path).name)
        return any(fnmatchcase(name, each) for each in self._patterns for name in names)


def patterns_of(value: Any) -> tuple[str, ...]:
    """The `guideline_patterns` that somebody wrote down, or the usual ones."""
    named = [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
    clipped = [each[:200] for each in named[:50]]
    # A star takes any folders here; `**/` must match in the bundle's root as well.
    return (
        tuple(dict.fromkeys([*clipped, *(e.removeprefix("**/") for e in clipped)])) or INSTRUCTIONS
    )
