"""One field of a document in JSON, and whether it is as expected."""

import math
import re
from datetime import date
from decimal import Decimal
from typing import Any, Literal, NamedTuple

from pydantic import Field, field_validator

from apps.contract import Contract
from apps.grading.rules.agents.arguments import same
from apps.grading.rules.answers.dates import MAX_FORMAT, check_format, read_date
from apps.grading.rules.words import kept

MAX_INDEX_DIGITS = 8
_ABSENT = object()
_STEP = re.compile(r"[^.\[\]]+")
_NUMBER = re.compile(
    r"\s*([+-]?(?:[0-9]{1,300}\.?[0-9]{0,300}|\.[0-9]{1,300})(?:[eE][+-]?[0-9]{1,3})?)"
)


class FieldSpec(Contract):
    """One field of the answer, and how it is compared with the expected one."""

    path: str = Field(
        min_length=1,
        max_length=500,
        title="Path",
        description="Where the field is: total, buyer.name, lines[0].price.",
    )
    match: Literal["exact", "numeric_tolerance", "date"] = Field(
        default="exact",
        title="Match",
        description="exact: the same value of the same kind. numeric_tolerance: a number that is "
        "near enough. date: the same day, in whatever format.",
    )
    required: bool = Field(
        default=True,
        title="Required",
        description="Whether it counts as wrong where the answer lacks it; else it is left out.",
    )
    weight: float = Field(
        default=1.0,
        ge=0,
        le=1_000_000,
        allow_inf_nan=False,
        title="Weight",
        description="The share of this field in the weighted average.",
    )
    tolerance: float = Field(
        default=0.0,
        ge=0,
        allow_inf_nan=False,
        title="Tolerance",
        description="For numbers: the difference that is still right.",
    )
    relative: bool = Field(
        default=False,
        title="Relative",
        description="The tolerance is a share of the expected number: 0.01 is one percent.",
    )
    formats: tuple[str, ...] = Field(
        default=(),
        max_length=20,
        title="Date formats",
        description="Like YYYY-MM-DD or DD-MMM-YYYY, in the order to try; ISO 8601 is always read.",
    )

    @field_validator("formats")
    @classmethod
    def _readable(cls, formats: tuple[str, ...]) -> tuple[str, ...]:
        for written in formats:
            if len(written) > MAX_FORMAT:
                raise ValueError(f"a date format has more than {MAX_FORMAT} characters")
            check_format(written)
        return formats


class Compared(NamedTuple):
    passed: bool
    text: str
    weight: float


def compared(field: FieldSpec, answer: Any, document: Any) -> Compared:
    path = kept(field.path, 500)
    found, wanted = _at(answer, field.path), _at(document, field.path)
    if wanted is _ABSENT:
        return Compared(True, f"{path}: no expected value", field.weight)
    if found is _ABSENT and not field.required:
        return Compared(True, f"{path}: optional field missing", 0.0)
    if found is _ABSENT:
        return Compared(False, f"{path} (required, missing)", field.weight)
    compare = {"exact": _exact, "numeric_tolerance": _near, "date": _same_day}[field.match]
    passed, note = compare(field, found, wanted)
    return Compared(passed, f"{path} ({note})" if note else path, field.weight)


def _at(document: Any, path: str) -> Any:
    """The value there, or _ABSENT; null is a value."""
    for step in _STEP.findall(path):
        if isinstance(document, dict):
            document = document.get(step, _ABSENT)
        elif isinstance(document, list) and step.isdecimal() and len(step) < MAX_INDEX_DIGITS:
            document = document[int(step)] if int(step) < len(document) else _ABSENT
        else:
            return _ABSENT
    return document


def _exact(field: FieldSpec, found: Any, wanted: Any) -> tuple[bool, str]:
    if same(found, wanted):
        return True, ""
    if _kind(found) != _kind(wanted):
        return False, f"type mismatch: got {_kind(found)}, expected {_kind(wanted)}"
    return False, "value mismatch"


def _near(field: FieldSpec, found: Any, wanted: Any) -> tuple[bool, str]:
    mine, theirs = _number(found), _number(wanted)
    if mine is None or theirs is None:
        return False, "non-numeric value"
    off = abs(mine - theirs)
    share = off / abs(theirs) if field.relative and theirs else off
    if share <= Decimal(repr(field.tolerance)):
        return True, f"within tolerance: diff={off:.2f}"
    return False, f"outside tolerance: diff={off:.2f}, tolerance={field.tolerance:g}"


def _same_day(field: FieldSpec, found: Any, wanted: Any) -> tuple[bool, str]:
    mine, theirs = _day(found, field), _day(wanted, field)
    if mine is None:
        return False, "unparseable candidate date"
    if theirs is None:
        return False, "unparseable expected date"
    return mine == theirs, "" if mine == theirs else f"date mismatch: got {mine}, expected {theirs}"


def _day(value: Any, field: FieldSpec) -> date | None:
    return read_date(str(value), field.formats) if isinstance(value, str | int) else None


def _kind(value: Any) -> str:
    """As JavaScript's typeof names it: null and lists are objects."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else "object"


def _number(value: Any) -> Decimal | None:
    """The number, also one at the beginning of a text, or None."""
    if isinstance(value, str):
        match = _NUMBER.match(value)
        return Decimal(match[1]) if match else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return Decimal(value) if isinstance(value, int) else Decimal(repr(value))
