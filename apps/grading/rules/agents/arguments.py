"""Comparing the arguments of a call with those that are expected."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from apps.grading.rules.answers.structure import read_json

_Path = Annotated[str, Field(min_length=1, max_length=200)]
ArgsMatch = (
    Literal["exact", "ignore", "subset", "superset"]
    | Annotated[tuple[_Path, ...], Field(max_length=100)]
)
MISSING = object()


def fits(expected: Any, given: Any, how: ArgsMatch) -> bool:
    """Whether the arguments are as expected: an object, keys that must be there, or any."""
    if expected == "any" or how == "ignore":
        return True
    actual = as_object(given)
    if actual is None:
        return False
    if not isinstance(expected, Mapping):
        return all(key in actual for key in expected)
    if isinstance(how, tuple):
        return _agree_on(how, expected, actual)
    return _COMPARED[how](expected, actual)


def as_object(given: Any) -> Mapping[str, Any] | None:
    """The arguments as an object, read from their text where the system gave that."""
    if isinstance(given, str):
        try:
            given = read_json(given)
        except ValueError:
            return None
    return given if isinstance(given, Mapping) else None


def same(left: Any, right: Any) -> bool:
    """Equal as JSON: 1 is 1.0 and not true; of any depth, since it does not recurse."""
    pairs = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            if one.keys() != other.keys():
                return False
            pairs.extend((one[key], other[key]) for key in one)
        elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
            if len(one) != len(other):
                return False
            pairs.extend(zip(one, other, strict=True))
        elif isinstance(one, bool) != isinstance(other, bool) or one != other:
            return False
    return True


def _exact(expected: Mapping[str, Any], actual: Mapping[str, Any]) -> bool:
    return same(expected, actual)


def _superset(expected: Mapping[str, Any], actual: Mapping[str, Any]) -> bool:
    return all(same(value, actual.get(key, MISSING)) for key, value in expected.items())


def _subset(expected: Mapping[str, Any], actual: Mapping[str, Any]) -> bool:
    return _superset(actual, expected)


def _agree_on(
    fields: Sequence[str], expected: Mapping[str, Any], actual: Mapping[str, Any]
) -> bool:
    """Fields that nothing is expected of do not count."""
    wanted = ((field, _at(expected, field)) for field in fields)
    return all(value is MISSING or same(value, _at(actual, field)) for field, value in wanted)


def _at(holder: Any, path: str) -> Any:
    for step in path.split("."):
        if not isinstance(holder, Mapping) or step not in holder:
            return MISSING
        holder = holder[step]
    return holder


_COMPARED = {"exact": _exact, "superset": _superset, "subset": _subset}
