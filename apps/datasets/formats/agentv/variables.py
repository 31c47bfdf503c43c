"""`${{ NAME }}` in a case or suite: what the workspace defined, and nothing else."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from apps.datasets.formats.agentv.notes import Notes, TooLong
from apps.datasets.uploading.limits import MAX_RECORD_BYTES

REFERENCE = re.compile(r"\$\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
UNKNOWN = "An admin defines variables on the page Variables of the workspace."


def with_variables(value: Any, known: Mapping[str, str], notes: Notes, path: str = "") -> Any:
    """The value with each reference in its texts replaced; raises TooLong."""

    missing = set()

    def lookup(found: re.Match[str]) -> str:
        name = found[1]
        if name not in known and name not in missing:
            missing.add(name)
            message = f"The variable {name} is not defined: it was left empty."
            notes.told("unknown_variable", message, path, UNKNOWN)
        return known.get(name, "")

    return _replaced(value, lookup)


def filled(pattern: re.Pattern[str], text: str, lookup: Callable[[re.Match[str]], str]) -> str:
    """The text with every match replaced; raises TooLong before it outgrows a record."""
    pieces, at, size = [], 0, len(text)
    for found in pattern.finditer(text):
        put = lookup(found)
        size += len(put)
        if size > MAX_RECORD_BYTES:
            raise TooLong
        pieces += [text[at : found.start()], put]
        at = found.end()
    return "".join([*pieces, text[at:]])


def _replaced(value: Any, lookup: Callable[[re.Match[str]], str]) -> Any:
    if isinstance(value, str):
        return filled(REFERENCE, value, lookup) if "${{" in value else value
    if isinstance(value, list):
        return [_replaced(each, lookup) for each in value]
    if isinstance(value, dict):
        return {key: _replaced(each, lookup) for key, each in value.items()}
    return value
