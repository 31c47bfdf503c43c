"""YAML as plain values: no tags, no bombs, and scalars as the core schema of YAML 1.2 has them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from .yaml_scalars import NotYaml, plain_value

__all__ = ["Lines", "NotYaml", "load_yaml", "load_yaml_with_lines"]

MOST_CHARACTERS = 20 * 1024 * 1024
MOST_NODES = 500_000
MOST_LEVELS = 100
MOST_REPEATED = 1_000_000
"""Characters and nodes that aliases may add to what is written."""

LINED_LEVELS = 6
"""So deep the line of each value is known; below, the line of what it is in."""

MERGE = "<<"
DIRECTIVE = re.compile("^%TAG", re.MULTILINE)

# The parser in C where there is one: it is about ten times as fast.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Path = tuple[str | int, ...]


class Lines(dict[Path, int]):
    """The line (from 1) in which the value at a path begins."""

    def of(self, *path: str | int) -> int:
        """The line of a value, or of the innermost thing around it that is known."""
        for end in range(len(path), 0, -1):
            if path[:end] in self:
                return self[path[:end]]
        return self.get((), 1)


def load_yaml(text: str) -> Any:
    """The one document of a text, None where there is none; raises NotYaml."""
    return load_yaml_with_lines(text)[0]


def load_yaml_with_lines(text: str) -> tuple[Any, Lines]:
    """The one document of a text with the line of each value; raises NotYaml.

    Dates, `yes` and `no` are texts and every key is one. `<<` merges, as in YAML 1.1. Refused are
    tags, repeated keys, complex keys, numbers that JSON does not know, more than 100 levels or
    500,000 values, and aliases that repeat more than a million characters.
    """
    if len(text) > MOST_CHARACTERS:
        raise NotYaml(f"The YAML is longer than {MOST_CHARACTERS:,} characters")
    if DIRECTIVE.search(text):
        raise NotYaml("Tags are not taken: leave out %TAG")
    builder = _Builder()
    try:
        for event in yaml.parse(text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}"), Loader=LOADER):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise NotYaml(_sentence(error.problem), mark.line + 1 if mark else 1) from None
    except yaml.YAMLError as error:
        raise NotYaml(_sentence(str(error).splitlines()[0])) from None
    except UnicodeEncodeError:
        raise NotYaml("Unpaired surrogates are no characters") from None
    return builder.value, builder.lines


@dataclass(slots=True)
class _Open:
    """A mapping or list whose end has not been read."""

    value: dict[str, Any] | list[Any]
    path: Path
    line: int
    anchor: str | None
    size_before: int
    key: str | None = None
    merged: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Anchored:
    value: Any
    size: int


class _Builder:
    """Puts values together from the parser's events, one by one and without recursion."""

    def __init__(self) -> None:
        self.value: Any = None
        self.lines = Lines()
        self._open: list[_Open] = []
        self._anchors: dict[str, _Anchored | None] = {}
        self._nodes = 0
        self._size = 0
        self._repeated = 0
        self._documents = 0

    def take(self, event: Any) -> None:
        line = event.start_mark.line + 1
        match event:
            case yaml.ScalarEvent():
                self._scalar(event, line)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                self._begin(event, line)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                self._end()
            case yaml.AliasEvent():
                self._alias(str(event.anchor), line)
            case yaml.DocumentStartEvent():
                self._documents += 1
                if self._documents > 1:
                    raise NotYaml("There is more than one YAML document in the file", line)

    def _scalar(self, event: Any, line: int) -> None:
        self._count(event, line)
        self._size += len(event.value)
        holder = self._open[-1] if self._open else None
        plain = event.implicit[0]
        if holder and isinstance(holder.value, dict) and holder.key is None:
            self._key(holder, event.value, plain, line)
            self._keep(event.anchor, event.value, self._size - len(event.value) - 1)
            return
        value = plain_value(event.value, line) if plain else event.value
        self._put(value, line)
        self._keep(event.anchor, value, self._size - len(event.value) - 1)

    def _begin(self, event: Any, line: int) -> None:
        self._count(event, line)
        if len(self._open) == MOST_LEVELS:
            raise NotYaml(f"Nested too deep: at most {MOST_LEVELS} levels are read", line)
        holder = self._open[-1] if self._open else None
        if holder and isinstance(holder.value, dict) and holder.key is None:
            raise NotYaml("A key must be a text, not a list or a mapping", line)
        path = self._path()
        self._mark(path, line)
        value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._open.append(_Open(value, path, line, event.anchor, self._size - 1))

    def _end(self) -> None:
        closed = self._open.pop()
        for merged in closed.merged:
            for key, value in merged.items():
                closed.value.setdefault(key, value)  # type: ignore[union-attr]
        self._keep(closed.anchor, closed.value, closed.size_before)
        self._put(closed.value, closed.line)

    def _alias(self, anchor: str, line: int) -> None:
        found = self._anchors.get(anchor)
        if found is None:
            why = "contains itself" if anchor in self._anchors else "is not defined before"
            raise NotYaml(f"The alias *{anchor[:100]} {why}", line)
        self._repeated += found.size
        self._size += found.size
        if self._repeated > MOST_REPEATED:
            raise NotYaml("Aliases repeat too much: write the values out", line)
        holder = self._open[-1]
        if isinstance(holder.value, dict) and holder.key is None:
            if not isinstance(found.value, str):
                raise NotYaml("A key must be a text, not an alias of something else", line)
            self._key(holder, found.value, False, line)
            return
        self._put(found.value, line)

    def _key(self, holder: _Open, key: str, plain: bool, line: int) -> None:
        if key in holder.value and not (plain and key == MERGE):
            raise NotYaml(f"The key {key[:100]!r} is repeated", line)
        holder.key = MERGE if plain and key == MERGE else key
        if not (plain and key == MERGE):
            holder.value[key] = None  # type: ignore[call-overload]

    def _put(self, value: Any, line: int) -> None:
        """Into the list, the mapping or the document that is open."""
        if not self._open:
            self.value = value
            self._mark((), line)
            return
        holder = self._open[-1]
        self._mark(self._path(), line)
        if isinstance(holder.value, list):
            holder.value.append(value)
            return
        key, holder.key = holder.key, None
        if key == MERGE and MERGE not in holder.value:
            holder.merged += _mappings(value, line)
        else:
            holder.value[key or ""] = value

    def _path(self) -> Path:
        if not self._open:
            return ()
        holder = self._open[-1]
        if isinstance(holder.value, list):
            return (*holder.path, len(holder.value))
        return (*holder.path, holder.key or "")

    def _mark(self, path: Path, line: int) -> None:
        if len(path) <= LINED_LEVELS:
            self.lines.setdefault(path, line)

    def _keep(self, anchor: str | None, value: Any, size_before: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = _Anchored(value, self._size - size_before)

    def _count(self, event: Any, line: int) -> None:
        self._nodes += 1
        self._size += 1
        if self._nodes > MOST_NODES:
            raise NotYaml(f"There are more than {MOST_NODES:,} values", line)
        if event.tag is not None:
            raise NotYaml(f"Tags are not taken: leave out {event.tag[:100]}", line)


def _mappings(value: Any, line: int) -> Iterator[dict[str, Any]]:
    for each in value if isinstance(value, list) else [value]:
        if not isinstance(each, dict):
            raise NotYaml("<< takes a mapping, or a list of them", line)
        yield each


def _sentence(problem: str | None) -> str:
    text = problem or "it cannot be read"
    return text[0].upper() + text[1:]
