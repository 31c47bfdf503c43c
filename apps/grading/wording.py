"""Settings and descriptions as people read them. Pure."""

import json
from collections.abc import Iterator
from typing import Any, Literal

from apps.contract import Contract

NOTHING = "–"


class Block(Contract):
    """A paragraph (one line) or a list of a description."""

    kind: Literal["paragraph", "list"]
    lines: tuple[str, ...]


def worded(value: Any) -> str:
    """A setting as people read it: yes, no, a list, or a dash where nothing is set."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ("", (), {}):
        return NOTHING
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    if isinstance(value, float):
        return f"{value:.7g}"
    if isinstance(value, str | int):
        return str(value)
    return json.dumps(_plain(value), ensure_ascii=False, indent=2)


def blocks(description: str) -> Iterator[Block]:
    """The paragraphs and lists of a docstring, each paragraph on one line."""
    for part in description.split("\n\n"):
        lines = [line.rstrip() for line in part.split("\n") if line.strip()]
        if any(line.startswith("- ") for line in lines):
            yield from _with_list(lines)
        elif lines:
            yield Block(kind="paragraph", lines=(" ".join(line.strip() for line in lines),))


def _with_list(lines: list[str]) -> Iterator[Block]:
    """A list, perhaps behind a sentence that leads to it."""
    first = next(at for at, line in enumerate(lines) if line.startswith("- "))
    if lines[:first]:
        yield Block(kind="paragraph", lines=(" ".join(line.strip() for line in lines[:first]),))
    items: list[str] = []
    for line in lines[first:]:
        if line.startswith("- "):
            items.append(line[2:])
        else:
            items[-1] += f" {line.strip()}"
    yield Block(kind="list", lines=tuple(items))


def _plain(value: Any) -> Any:
    """What JSON can write: models as their documents."""
    if isinstance(value, Contract):
        return value.model_dump(mode="json")
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return value
