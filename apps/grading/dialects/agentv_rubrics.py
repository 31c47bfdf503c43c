"""Rubrics of agentv as criteria of ours."""

from collections.abc import Mapping, Sequence
from typing import Any

Entry = dict[str, Any]

WORDS = ("outcome", "description", "criteria", "expected_outcome")
KEPT = ("title", "weight", "required", "operator", "min_score")
TENTHS = 10


def items_of(said: Entry) -> list[Any]:
    """The criteria of a grader, its keys taken out of the entry; none: those of the record."""
    stated = [said.pop(key, None) for key in ("rubrics", "value", "criteria")]
    ranges = said.pop("score_ranges", None)
    given: Any = next((each for each in stated if each), [])
    found = items(given if isinstance(given, list) else [given])
    if ranges and len(found) == 1 and isinstance(found[0], dict):
        found[0].setdefault("score_ranges", bands(ranges))
    return found


def items(given: Sequence[Any]) -> list[Any]:
    return [_item(each, number) for number, each in enumerate(given, 1)]


def _item(given: Any, number: int) -> Any:
    """A text is a required criterion, as in agentv; what is neither stays as it is."""
    if isinstance(given, str):
        return {"id": f"rubric-{number}", "description": given, "required": True}
    if not isinstance(given, Mapping):
        return given
    found: Entry = {key: given[key] for key in KEPT if given.get(key) is not None}
    found["id"] = str(given.get("id") or f"rubric-{number}")
    found["description"] = next((given[key] for key in WORDS if given.get(key)), "")
    if given.get("score_ranges"):
        # with bands the least score decides, and not whether the criterion is required
        found.pop("required", None)
        found["score_ranges"] = bands(given["score_ranges"])
    if "min_score" not in found and isinstance(given.get("required_min_score"), int | float):
        found["min_score"] = given["required_min_score"] / TENTHS
    return found


def bands(given: Any) -> Any:
    """Bands like 0-3, or where each begins, by what such an answer is like.

    agentv writes an object of these, or a list of `{score_range: [0, 3], outcome}`.
    """
    if isinstance(given, list):
        return dict(_band(each) for each in given if isinstance(each, Mapping))
    return {str(key): said for key, said in given.items()} if isinstance(given, Mapping) else given


def _band(given: Mapping[str, Any]) -> tuple[str, Any]:
    span = given.get("score_range")
    name = "-".join(map(str, span)) if isinstance(span, list) else str(span)
    return name, next((given[key] for key in WORDS if given.get(key)), "")
