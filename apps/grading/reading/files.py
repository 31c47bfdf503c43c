"""The texts of files that hold subjects, or a judge's replies."""

import json
from math import isfinite
from typing import Any, NoReturn

from .values import SubjectError

JSON_LINES = (".jsonl", ".ndjson")


def read_subjects(text: str, *, name: str = "") -> Any:
    """One subject, or a list of them: JSON, or JSON Lines by the file's name."""
    if name.lower().endswith(JSON_LINES):
        lines = text.split("\n")
        return [
            _json(line, f"{name}, line {at}") for at, line in enumerate(lines, 1) if line.strip()
        ]
    return _json(text, name or "The subject")


def read_answers(text: str, *, name: str = "") -> Any:
    """A judge's replies as JSON; a file that is called something else holds one, word for word."""
    return _json(text, name) if name.lower().endswith(".json") or name == "-" else text


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refused, parse_float=_finite)
    except RecursionError:
        raise SubjectError(f"{name} is nested too deeply.") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise SubjectError(f"{name} is not valid JSON: {error.msg} ({where}).") from None
    except ValueError as error:  # a number with thousands of digits
        raise SubjectError(f"{name} is not valid JSON: {error}.") from None


def _finite(digits: str) -> float:
    number = float(digits)
    return number if isfinite(number) else _refused(digits[:60])


def _refused(constant: str) -> NoReturn:
    raise SubjectError(f"{constant} is not a number that JSON has.")
