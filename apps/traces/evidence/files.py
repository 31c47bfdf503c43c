"""The files of a manifest: nothing outside the root is read, and no link is followed."""

import hashlib
import os
import re
import stat
from pathlib import Path
from typing import Any

from apps.datasets.formats.yaml_text import NotYaml, load_yaml
from apps.datasets.uploading.bundles import normal_path

from .checked import Fault

LARGEST_MANIFEST = 1024 * 1024
BLOCK = 1 << 20
SIGNALS = re.compile(r"^signals\s*:", re.MULTILINE)
TOP_LEVEL = re.compile(r"^[^\s#]", re.MULTILINE)


def folder_of(root: Path) -> Path:
    if not root.exists():
        raise Fault("root_not_found", "root", f"There is no folder {root}.")
    if not root.is_dir():
        raise Fault("invalid_root", "root", f"{root} is no folder.")
    return root.resolve()


def content_of(manifest: Path, root: Path) -> bytes:
    if not os.path.lexists(manifest):
        raise Fault("manifest_not_found", "manifest", f"There is no file {manifest}.")
    place = manifest.parent.resolve() / manifest.name
    if not place.is_relative_to(root) or manifest.is_symlink():
        sentence = f"{manifest} must be a file below {root}, not a link and not elsewhere."
        raise Fault("manifest_outside_root", "manifest", sentence)
    try:
        if place.stat().st_size > LARGEST_MANIFEST:
            raise Fault("manifest_unreadable", "manifest", "The manifest is larger than 1 MB.")
        return place.read_bytes()
    except OSError as error:
        raise Fault("manifest_unreadable", "manifest", f"{error.strerror}.") from None


def parsed(content: bytes) -> Any:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Fault("manifest_unreadable", "manifest", "The manifest is not UTF-8.") from None
    try:
        return load_yaml(text)
    except NotYaml as error:
        repeated = error.message.endswith("is repeated") and _in_signals(text, error.line)
        code, place = ("duplicate_signal_id", "signals") if repeated else ("invalid_yaml", "")
        location = place or f"line {error.line}"
        raise Fault(code, location, f"Line {error.line}: {error.message}.") from None


def _in_signals(text: str, line: int) -> bool:
    """Whether a line stands in the block of the signals."""
    found = SIGNALS.search(text)
    if found is None:
        return False
    following = TOP_LEVEL.search(text, found.end())
    first = text.count("\n", 0, found.start()) + 1
    last = text.count("\n", 0, following.start()) if following else line
    return first <= line <= last


def file_of(path: str, root: Path, location: str) -> Path:
    """The artifact's file below the root; no part of its path may be a symbolic link."""
    if path.startswith(("/", "\\")) or normal_path(path) != path.removeprefix("./"):
        sentence = f"{path[:200]} does not lead to a file below the root."
        raise Fault("artifact_outside_root", location, sentence)
    place = root
    for part in path.removeprefix("./").split("/"):
        place = place / part
        if place.is_symlink():
            sentence = f"{path[:200]} goes through a symbolic link."
            raise Fault("artifact_outside_root", location, sentence)
    try:
        mode = place.lstat().st_mode
    except FileNotFoundError:
        raise Fault("artifact_not_found", location, f"There is no file {path[:200]}.") from None
    except OSError as error:
        raise Fault("artifact_unreadable", location, f"{error.strerror}.") from None
    if not stat.S_ISREG(mode):
        raise Fault("artifact_not_file", location, f"{path[:200]} is no file.")
    return place


def digest_of(file: Path, location: str) -> str:
    digest = hashlib.sha256()
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(descriptor, "rb") as content:
            while block := content.read(BLOCK):
                digest.update(block)
    except OSError as error:
        raise Fault("artifact_unreadable", location, f"{error.strerror}.") from None
    return digest.hexdigest()
