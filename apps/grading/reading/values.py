"""Single values of a subject that somebody wrote: texts, numbers, lists."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

LARGEST = 10**15
"""Beyond it a count of ms or tokens is a mistake."""
MOST_DEEP = 100


class SubjectError(ValueError):
    """A value that no subject can have: where it stands and what belongs there."""


def text(value: Any, place: str) -> str:
    """A text as it is; what is another kind of value as its JSON; null is no text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return as_json(value, place)


def as_json(value: Any, place: str) -> str:
    if _is_deep(value):  # each level indents all that is in it
        raise SubjectError(f"{place} is nested too deeply: {MOST_DEEP} levels are the most.")
    try:
        return json.dumps(value, ensure_ascii=False, indent=2)
    except (RecursionError, TypeError, ValueError):
        raise SubjectError(f"{place} is nested too deeply, or no JSON.") from None


def texts(value: Any, place: str) -> tuple[str, ...]:
    """One text or a list of them."""
    return tuple(text(each, f"{place}[{at}]") for at, each in enumerate(listed(value)))


def listed(value: Any) -> list[Any]:
    """The value as a list: null is empty, one thing a list of one."""
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def mapping(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise SubjectError(f"{place} must be an object, not {said(value)}.")
    return value


def number(value: Any, place: str) -> float | None:
    """A finite number of 0 or more; null is none."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not _fits(value):
        raise SubjectError(f"{place} must be a number of 0 or more, not {said(value)}.")
    return float(value)


def whole(value: Any, place: str) -> int | None:
    """A count, rounded; null is none."""
    found = number(value, place)
    return None if found is None else round(found)


def share(value: Any, place: str) -> float | None:
    found = number(value, place)
    if found is not None and found > 1:
        raise SubjectError(f"{place} must be a number from 0 to 1, not {said(value)}.")
    return found


def flag(value: Any, place: str) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    raise SubjectError(f"{place} must be true or false, not {said(value)}.")


def first_of(document: Mapping[str, Any], *names: str) -> tuple[str, Any]:
    """The first of these names that says something, and its value; the first and None without."""
    found = ((name, document[name]) for name in names if document.get(name) is not None)
    return next(found, (names[0], None))


def said(value: Any) -> str:
    """A value as an error repeats it, kept short."""
    if isinstance(value, list | tuple | Mapping):
        return "an object" if isinstance(value, Mapping) else "a list"
    try:
        shown = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        shown = type(value).__name__
    return shown if len(shown) <= 60 else shown[:57] + "…"


def _fits(value: float) -> bool:
    """Compared and not converted: an integer may be larger than any float."""
    return 0 <= value <= LARGEST


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MOST_DEEP):
        level = [each for held in level for each in _inside(held)]
        if not level:
            return False
    return any(isinstance(each, list | tuple | Mapping) for each in level)


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list | tuple) else ()
