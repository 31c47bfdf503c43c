"""The form of a reply: its keys, and in words what each holds, for a model and a program alike.

A shape is a dict of key to one of the phrases below, or to a shape within it. The same line of
JSON tells it to the judge and is what the reply is checked by.
"""

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from .parsing import json_object

Shape = Mapping[str, Any]

TEXT = "text"
YES_NO = "true or false"
FAULT = "true or false, where true is a fault"
PLAIN = "true or false, whichever is so"
BINARY = "1 or 0"
LINE = "Reply keys: "
NO_JSON = "The judge's reply is not one JSON object."
_NUMBER = re.compile(r"a (whole )?number from (\S+) to (\S+)")


def number(lowest: float, highest: float) -> str:
    return f"a number from {plain(lowest)} to {plain(highest)}"


def whole_number(lowest: int, highest: int) -> str:
    return f"a whole number from {lowest} to {highest}"


def exactly(word: str) -> str:
    return f"the text {word}"


def one_of(*words: str) -> str:
    return f"one of: {', '.join(words)}"


def line(shape: Shape) -> str:
    """The line that ends each question."""
    return LINE + json.dumps(shape, ensure_ascii=True)


def read(shape: Shape, text: str) -> dict[str, Any] | str:
    """The reply with exactly these keys, or one sentence about what is wrong with it."""
    said = json_object(text)
    if said is None:
        return NO_JSON
    return wrong(shape, said) or said


def wrong(shape: Shape, said: Mapping[str, Any], where: str = "") -> str:
    """What is wrong with a reply, in one sentence without the judge's own words; empty: nothing."""
    if missing := [key for key in shape if key not in said]:
        return f"The judge's reply lacks the key {where}{missing[0]}."
    if len(said) > len(shape):
        return "The judge's reply has a key that was not asked for."
    for key, phrase in shape.items():
        if isinstance(phrase, str):
            if not _is(phrase, said[key]):
                return f"The judge's reply has something else than {phrase} at {where}{key}."
        elif not isinstance(said[key], dict):
            return f"The judge's reply has no object at {where}{key}."
        elif complaint := wrong(phrase, said[key], f"{where}{key}."):
            return complaint
    return ""


def _is(phrase: str, value: Any) -> bool:
    if phrase in (YES_NO, FAULT, PLAIN):
        return isinstance(value, bool)
    if phrase == TEXT:
        return isinstance(value, str)
    if phrase.startswith("the text "):
        return bool(value == phrase.removeprefix("the text "))
    if phrase.startswith("one of: "):
        return isinstance(value, str) and value in phrase.removeprefix("one of: ").split(", ")
    return not isinstance(value, bool) and isinstance(value, int | float) and _in(phrase, value)


def _in(phrase: str, value: float) -> bool:
    if phrase == BINARY:
        return value in (0, 1)
    scale = _NUMBER.fullmatch(phrase)
    if scale is None:
        raise ValueError(f"no such phrase: {phrase}")
    in_form = math.isfinite(value) and (scale[1] is None or float(value).is_integer())
    return in_form and float(scale[2]) <= value <= float(scale[3])


def plain(bound: float) -> str:
    """A bound as people write it: 5, not 5.0."""
    return str(int(bound)) if float(bound).is_integer() else repr(float(bound))
