"""The files of a form: which is the main one, and where each stands in the bundle."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from .bundles import normal_path

MOST_FILES = 500
"""In one form; a zip may have more."""

TOO_MANY = "More than 500 files at once: send those that go with the main file as a zip."


class Parts(NamedTuple):
    """`name` is the main file's path in the bundle, `beside` has the others by theirs."""

    name: str
    main: UploadedFile[Any]
    beside: Mapping[str, UploadedFile[Any]]

    def chunks_beside(self) -> dict[str, Any]:
        return {path: file.chunks() for path, file in self.beside.items()}


def parts_of(
    main: UploadedFile[Any], files: Sequence[UploadedFile[Any]], paths: str, at: str = ""
) -> Parts:
    """`paths` are those of the files as a JSON list, `at` is the main one's, where they are known.

    The main file that is among the others too stands where it was found there.
    """
    named = zip(_paths_of(files, paths), files, strict=True)
    beside = {path: file for path, file in named if not _is_hidden(path)}
    name = str(main.name)
    for path, file in beside.items():
        if PurePosixPath(path).name == name and _same(file, main):
            others = {other: each for other, each in beside.items() if other != path}
            return Parts(path, main, others)
    told = normal_path(at)
    return Parts(told if told and "/" in told else placed(name, list(beside)), main, beside)


def placed(name: str, paths: Sequence[str]) -> str:
    """Where a main file stands of which only the name is known: in the one folder that was sent
    along, if it is one, so that what it refers to is found from there."""
    tops = {path.split("/")[0] for path in paths if "/" in path}
    return f"{tops.pop()}/{name}" if len(tops) == 1 else name


def _paths_of(files: Sequence[UploadedFile[Any]], paths: str) -> list[str]:
    """As the browser tells them; the names alone where it runs no script."""
    names = [str(file.name) for file in files]
    told = _told(paths)
    if len(told) == len(files):
        names = [normal_path(path) or name for path, name in zip(told, names, strict=True)]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated:
        raise ValidationError(f"{repeated[:200]} is there twice.")
    return names


def _told(paths: str) -> list[str]:
    try:
        told = json.loads(paths or "[]")
    except (ValueError, RecursionError):
        return []
    return told if isinstance(told, list) and all(isinstance(path, str) for path in told) else []


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


def _same(one: UploadedFile[Any], other: UploadedFile[Any]) -> bool:
    if one.size != other.size:
        return False
    same = all(left == right for left, right in zip(one.chunks(), other.chunks(), strict=True))
    for file in (one, other):
        file.seek(0)
    return same
