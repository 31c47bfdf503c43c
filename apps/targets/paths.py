"""Paths into JSON values: `choices[0].message.content`, `metadata.answers.0`."""

import re
from typing import Annotated, Any

from pydantic import AfterValidator

_PATH = re.compile(r"[\w-]+(?:\[\d+\])*(?:\.[\w-]+(?:\[\d+\])*)*")
_STEP = re.compile(r"[\w-]+")


class AbsentError(LookupError):
    """Nothing lies at the path; the message names the step that is missing."""


def checked_path(path: str) -> str:
    if path and not _PATH.fullmatch(path):
        raise ValueError("write a path like choices[0].message.content")
    return path


Path = Annotated[str, AfterValidator(checked_path)]


def value_at(value: Any, path: str) -> Any:
    """What lies at `path`; the empty path is the whole value. Raises AbsentError."""
    for step in _STEP.findall(path):
        value = _child(value, step)
    return value


def value_or_none(value: Any, path: str) -> Any:
    try:
        return value_at(value, path)
    except AbsentError:
        return None


def _child(value: Any, step: str) -> Any:
    if isinstance(value, dict) and step in value:
        return value[step]
    if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
        return value[int(step)]
    raise AbsentError(step)
