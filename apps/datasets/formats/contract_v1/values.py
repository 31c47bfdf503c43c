"""Looking through a JSON value: Unicode normal form, forbidden characters, depth, numbers."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from math import isfinite
from typing import Any

from apps.datasets.contracts import Rejected

Path = tuple[str | int, ...]

CONTAINERS = (dict, list)
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

# Where a forbidden character can hide in JSON text: behind these escapes, or as these bytes.
ESCAPED = re.compile(rb"\\[ubf]")
_C1 = re.compile(rb"\xc2[\x80-\x9f]")
_NONCHARACTER = re.compile(rb"\xef\xbf[\xbe\xbf]")


def may_hide_forbidden(canonical: bytes) -> bool:
    """Whether canonical JSON may hold a forbidden character; False is certain, True is not."""
    if ESCAPED.search(canonical) or b"\x7f" in canonical:
        return True
    if canonical.isascii():
        return False
    return bool(
        (b"\xc2" in canonical and _C1.search(canonical))
        or (b"\xef" in canonical and _NONCHARACTER.search(canonical))
    )


class Oddities:
    """Strings and keys with a forbidden character, and numbers that are not finite: the first few
    of a value with their places, and how many there are in all."""

    def __init__(self, value: Any, most: int) -> None:
        self.listed: list[tuple[Path, str | float]] = []
        self.count = 0
        self._most = most
        if isinstance(value, CONTAINERS):
            self._look_into(value, ())
        elif _is_odd(value):
            self._note((), value)

    def _look_into(self, container: dict[str, Any] | list[Any], path: Path) -> None:
        steps: Iterable[tuple[str | int, Any]] = (
            container.items() if isinstance(container, dict) else enumerate(container)
        )
        for step, item in steps:
            if isinstance(step, str) and FORBIDDEN.search(step):
                self._note((*path, step), step)
            if isinstance(item, CONTAINERS):
                self._look_into(item, (*path, step))
            elif _is_odd(item):
                self._note((*path, step), item)

    def _note(self, path: Path, leaf: str | float) -> None:
        self.count += 1
        if self.count <= self._most:
            self.listed.append((path, leaf))


def _is_odd(leaf: Any) -> bool:
    if isinstance(leaf, str):
        return FORBIDDEN.search(leaf) is not None
    return isinstance(leaf, float) and not isfinite(leaf)


def deeper_than(value: Any, levels: int) -> bool:
    """Whether objects and arrays nest deeper than `levels`; `{}` is one level, a text none."""
    layer = [value] if isinstance(value, CONTAINERS) else []
    while layer and levels:
        levels -= 1
        layer = [
            child
            for item in layer
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, CONTAINERS)
        ]
    return bool(layer)


LONG_RUN, SHORT_RUN = 100, 30
"""Of combining marks: those to put in order before Python does, and those it orders quickly."""


class Normaliser:
    """Puts strings and keys into Unicode NFC and counts how many it changed."""

    def __init__(self) -> None:
        self.changed = 0
        self._where = ""

    def apply(self, value: Any, where: str) -> Any:
        """The value in NFC; Rejected, naming `where` it stood, when two keys become one."""
        self._where = where
        return self._normal(value)

    def _normal(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list):
            return [
                self._text(item) if isinstance(item, str) else self._normal(item) for item in value
            ]
        return value

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        normal = {self._text(key): self._normal(item) for key, item in value.items()}
        if len(normal) < len(value):
            raise Rejected(
                "Invalid JSON: two keys of one object are the same key in Unicode NFC, "
                f"in {self._where}."
            )
        return normal

    def _text(self, text: str) -> str:
        if text.isascii():
            return text
        ordered = text if len(text) < LONG_RUN else _long_runs().sub(_in_order, text)
        normal = unicodedata.normalize("NFC", ordered)
        self.changed += normal != text
        return normal


def _in_order(run: re.Match[str]) -> str:
    pieces = (run[0][start : start + SHORT_RUN] for start in range(0, len(run[0]), SHORT_RUN))
    marks = "".join(unicodedata.normalize("NFD", piece) for piece in pieces)
    return "".join(sorted(marks, key=unicodedata.combining))


@cache
def _long_runs() -> re.Pattern[str]:
    """Long runs of combining marks. Python normalises them in a time that grows with the square of
    their length, unless they stand in canonical order already."""
    codes = map(chr, range(0x300, 0x1F000))
    marks = [code for code in codes if unicodedata.combining(unicodedata.normalize("NFD", code)[0])]
    return re.compile(f"[{re.escape(''.join(marks))}]{{{LONG_RUN},}}")
