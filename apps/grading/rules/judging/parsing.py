"""Reading what a judge replied, as tolerant as the legal_eval_v1 pipeline and no more."""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from apps.contract import Contract

MAX_REPLY = 20_000
MAX_TEXT = 500_000
UNREADABLE = "Failed to parse judge JSON output."
_RATIONALE = ("rationale", "reason", "reasoning", "explanation")
_BINARY = ("result", "criteria_met", "grade")
_YES = frozenset({"1", "true", "yes", "met"})
_NO = frozenset({"0", "false", "no", "not_met", "not met"})
_OPENING = re.compile("<(think|thinking|reasoning|analysis)>", re.IGNORECASE)
_FENCE = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL)


class ParsedJudgment(Contract):
    """What a judge's text says: `score` and each of `criteria` from 0 to 1.

    A text that cannot be read has `parse_error`, score 0 and no pass. `clamped`: the score was
    outside of 0 to 1 and stands at the nearer end.
    """

    score: float
    passed: bool
    rationale: str
    criteria: dict[str, float]
    parse_error: bool
    clamped: bool = False


def read_judgment(text: str, threshold: float) -> ParsedJudgment:
    """The judgment in a judge's text, by the rules of legal_eval_v1.

    The score is the first of `score`, `result`, `criteria_met` and `grade` that can be read: a
    number of `score` as it is, all others as 1 or 0 (1, true, yes, met; 0, false, no, not met; a
    number of at least 0.5 is 1). A boolean `pass` decides the pass, else the threshold. Without
    criteria there is one, `overall`.
    """
    said = json_object(text)
    score = None if said is None else _score(said)
    if said is None or score is None:
        return ParsedJudgment(
            score=0.0,
            passed=False,
            rationale=UNREADABLE,
            criteria={"overall": 0.0},
            parse_error=True,
        )
    value = _clamped(score)
    passed = said.get("pass")
    return ParsedJudgment(
        score=value,
        passed=passed if isinstance(passed, bool) else value >= threshold,
        rationale=rationale_of(said),
        criteria=_criteria(said.get("criteria")) or {"overall": value},
        parse_error=False,
        clamped=value != score,
    )


def json_object(text: str) -> dict[str, Any] | None:
    """The JSON object of a reply: all of it, or from the first { to the last }; None without one.

    What stands between the tags of thinking (think, thinking, reasoning, analysis) is left out.
    """
    if len(text) > MAX_TEXT:
        return None
    said = without_thinking(text).strip()
    if len(said) > MAX_REPLY:
        return None
    fenced = _FENCE.fullmatch(said)
    outermost = said[max(said.find("{"), 0) : said.rfind("}") + 1]
    for candidate in (fenced[1] if fenced else said, outermost):
        try:
            found = orjson.loads(candidate)
        except ValueError:  # not JSON, nested too deeply or not storable text
            continue
        if isinstance(found, dict):
            return found
    return None


def without_thinking(text: str) -> str:
    """The text without its closed blocks of thinking; a block that stays open stays."""
    return "".join(_outside(text))


def _outside(text: str) -> Iterator[str]:
    lowered = text.translate(_LOWER)
    unclosed: set[str] = set()  # each name is looked for in vain only once: the scan is linear
    start = at = 0
    while opening := _OPENING.search(text, at):
        name = opening[1].lower()
        closing = f"</{name}>"
        end = -1 if name in unclosed else lowered.find(closing, opening.end())
        if end < 0:
            unclosed.add(name)
            at = opening.end()
            continue
        yield text[start : opening.start()]
        start = at = end + len(closing)
    yield text[start:]


# str.lower changes the length of some letters, and with it every place after them
_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def _score(said: Mapping[str, Any]) -> float | None:
    number = _number(said.get("score"))
    if number is not None:
        return number
    marks = (_binary(said.get(key)) for key in ("score", *_BINARY))
    return next((mark for mark in marks if mark is not None), None)


def _number(value: Any) -> float | None:
    """A finite number, or the text of one."""
    if isinstance(value, str) and len(value) <= 40:
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def _binary(value: Any) -> float | None:
    if isinstance(value, bool):
        return float(value)
    if (number := _number(value)) is not None:
        return float(number >= 0.5)
    word = value.strip().lower() if isinstance(value, str) else ""
    return 1.0 if word in _YES else 0.0 if word in _NO else None


def _clamped(number: float) -> float:
    return min(max(number, 0.0), 1.0)


def rationale_of(said: Mapping[str, Any]) -> str:
    """The reasons in a reply, under any of the names that they have."""
    texts = (said.get(key) for key in _RATIONALE)
    return next((text for text in texts if isinstance(text, str) and text), "")


def _criteria(given: Any) -> dict[str, float]:
    if not isinstance(given, dict):
        return {}
    numbers = {
        name: float(value) if isinstance(value, bool) else _number(value)
        for name, value in given.items()
    }
    return {name: _clamped(number) for name, number in numbers.items() if number is not None}
