"""What pydantic finds wrong with a rule or a contract, in sentences for people. Pure."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

MOST_NEAR = 5
NAME = r"^[a-z0-9_-]{1,64}$"
"""How the schemas of rules write down what a name may be."""
_KINDS = {
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "an object",
    "mapping_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "string_type": "a text",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
}


def sentence_of(problem: Any) -> str:
    """One of pydantic's findings, without its place."""
    match problem["type"]:
        case "missing":
            return "is required."
        case "extra_forbidden":
            return "is not known here; check the spelling or remove it."
        case "union_tag_not_found":
            return "type is required: one of those in the catalog of rules."
        case "union_tag_invalid":
            said = problem["ctx"]["tag"][:40]
            return f"there is no rule type {said!r}; {_types(said, problem['ctx'])}."
        case "value_error":
            return f"{problem['ctx']['error']}."
        case "too_short" | "too_long":
            return f"{_wrong_length(problem)}."
        case "string_pattern_mismatch":
            return f"{_misfit(problem['ctx']['pattern'])}{_given(problem)}."
        case kind if kind in _KINDS:
            return f"must be {_KINDS[kind]}{_given(problem)}."
        case _:
            return f"{problem['msg'].replace('Input should', 'should')}{_given(problem)}."


def findings(error: ValidationError) -> list[Any]:
    """What pydantic found, without lists that are too short only because an entry is wrong."""
    return [each for each in error.errors(include_url=False) if not _miscounted(each)]


def _miscounted(problem: Any) -> bool:
    """Pydantic counts the entries that are right."""
    given = problem["input"]
    if problem["type"] != "too_short" or not isinstance(given, list | tuple):
        return False
    return len(given) >= int(problem["ctx"]["min_length"])


def complaint(error: ValidationError, entry: Any, place: int) -> str:
    """The first thing wrong with a rule of a list: `rules[0] (length).threshold: …`, no full stop.

    `place` counts from 0.
    """
    first = findings(error)[0]
    where = f"rules[{place}]{name_said(entry)}{path(first['loc'][1:])}"  # behind the rule's type
    return told(where, sentence_of(first)).removesuffix(".")


def told(where: str, sentence: str) -> str:
    """A sentence with its place; one about a rule inside a rule goes on with the outer's place."""
    if where.endswith("rules") and sentence.startswith("rules["):
        return where.removesuffix("rules") + sentence
    return f"{where}: {sentence}" if where else sentence


def path(steps: Sequence[int | str]) -> str:
    """`.fields[0].path`, to be put behind what it lies in."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)


def name_said(entry: Any) -> str:
    """` (length)`, the name that an entry gives itself; nothing where it gives none."""
    name = entry.get("name") if isinstance(entry, Mapping) else None
    return f" ({name[:64]})" if isinstance(name, str) else ""


def _types(said: str, context: Any) -> str:
    """The types that are spelled much like it; else the first of all, and where the rest are."""
    known = re.findall(r"'([^']+)'", context["expected_tags"])
    near = get_close_matches(said, known, n=MOST_NEAR)
    if near:
        return f"near it {'is' if len(near) == 1 else 'are'} {', '.join(near)}"
    first = ", ".join(known[:MOST_NEAR])
    return f"the {len(known)} types are {first} and those in the catalog of rules"


def _wrong_length(problem: Any) -> str:
    context = problem["ctx"]
    if problem["type"] == "too_short":
        return f"must have at least {context['min_length']}, and has {context['actual_length']}"
    most, has = context["max_length"], context["actual_length"]
    return f"must have at most {most}" + (f", and has {has}" if has is not None else "")


def _misfit(pattern: str) -> str:
    if pattern == NAME:
        return "a name has only a-z, 0-9, _ and -, at most 64"
    return f"must match the pattern {pattern}"


def _given(problem: Any) -> str:
    given = problem["input"]
    return f" (given: {str(given)[:60]!r})" if isinstance(given, str | int | float) else ""
