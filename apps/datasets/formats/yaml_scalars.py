"""What a YAML scalar without quotes means, by the core schema of YAML 1.2."""

import re
from math import isfinite
from typing import Any, NoReturn

NULLS = frozenset(("", "~", "null", "Null", "NULL"))
BOOLEANS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
LONGEST_NUMBER = 310


class NotYaml(ValueError):
    """Why a text is not read as YAML, and in which line (from 1)."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def plain_value(text: str, line: int) -> Any:
    """What a scalar without quotes means."""
    if text in NULLS:
        return None
    if text in BOOLEANS:
        return BOOLEANS[text]
    if text[0] not in "+-.0123456789":
        return text
    return _number(text, line)


def _number(text: str, line: int) -> Any:
    if NOT_FINITE.fullmatch(text):
        _refuse_number(text, line)
    if INTEGER.fullmatch(text):
        if len(text) > LONGEST_NUMBER:
            _refuse_number(text, line)
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        return int(text, base)
    if not FLOAT.fullmatch(text):
        return text
    number = float(text)
    if not isfinite(number):
        _refuse_number(text, line)
    return number


def _refuse_number(text: str, line: int) -> NoReturn:
    raise NotYaml(f"{text[:40]} is no number that JSON can say: put it in quotes", line)
