"""The scripted judge: strict JSON by comparing the answer with what is known, never an opinion.

It reads what judges are shown: a line `Criterion: …`, one line of JSON inside <material> tags,
and a line `Reply keys: …` that says in words what each key of the reply holds. A prompt without
that line asks for `criterion`, `score` from 1 to 10 and `rationale`.
"""

import re
from collections.abc import Mapping
from typing import Any

import orjson

from apps.targets.contracts import Ask
from apps.targets.specs import ScriptedSpec

BROKEN = "Scripted reply that is not JSON."
RATIONALE = "Scripted: the answer was compared with what is known, no model judged."
_HIGH, _MIDDLE, _LOW = 8 / 9, 6 / 9, 1 / 9
_TURNED_AROUND = {_HIGH: _LOW, _MIDDLE: _LOW, _LOW: _HIGH}
_KEYS = "Reply keys: "
_NUMBER = re.compile(r"a (whole )?number from (\S+) to (\S+)")
_WORD = re.compile(r"\w{4,}")


def judge_answer(spec: ScriptedSpec, ask: Ask, *, wrong: bool, breaks: bool) -> str:
    """A mark as JSON, or a broken reply where the script says so."""
    if _is_broken(spec, ask.prompt.count(BROKEN), breaks=breaks):
        return BROKEN
    mark = _mark(_material(ask.prompt))
    mark = _TURNED_AROUND[mark] if wrong else mark
    return orjson.dumps(reply_of(ask.prompt, mark, RATIONALE)).decode()


def reply_of(prompt: str, mark: float, rationale: str) -> dict[str, Any]:
    """What a prompt asks for, with a mark from 0 to 1 in place of an opinion."""
    return _filled(_keys(prompt), mark, rationale)


def _is_broken(spec: ScriptedSpec, said_before: int, *, breaks: bool) -> bool:
    """A re-ask quotes the broken reply, so the prompt itself tells how often it came."""
    if said_before:
        return spec.broken_attempts == 0 or said_before < spec.broken_attempts
    return breaks


def _keys(prompt: str) -> Mapping[str, Any]:
    asked = [line for line in prompt.splitlines() if line.startswith(_KEYS)]
    if asked:
        found: dict[str, Any] = orjson.loads(asked[-1].removeprefix(_KEYS))
        return found
    return {
        "criterion": f"the text {_criterion(prompt)}",
        "score": "a number from 1 to 10",
        "rationale": "text",
    }


def _filled(keys: Mapping[str, Any], mark: float, rationale: str) -> dict[str, Any]:
    return {
        key: _value(phrase, mark, rationale)
        if isinstance(phrase, str)
        else _filled(phrase, mark, rationale)
        for key, phrase in keys.items()
    }


def _value(phrase: str, mark: float, rationale: str) -> Any:
    if phrase == "true or false, whichever is so":
        return True  # merely something seen, which other keys may depend on
    if phrase.startswith("true or false"):
        return (mark >= 0.5) is not phrase.endswith("where true is a fault")
    if phrase == "1 or 0":
        return int(mark >= 0.5)
    if phrase.startswith("the text "):
        return phrase.removeprefix("the text ")
    if phrase.startswith("one of: "):
        words = phrase.removeprefix("one of: ").split(", ")
        return words[0] if mark >= 0.5 else words[-1]
    if scale := _NUMBER.fullmatch(phrase):
        lowest, highest = float(scale[2]), float(scale[3])
        point = lowest + mark * (highest - lowest)
        whole = scale[1] or (lowest.is_integer() and highest - lowest > 1)
        return round(point) if whole else round(point, 2)
    return rationale


def _criterion(prompt: str) -> str:
    first = next((line for line in prompt.splitlines() if line.startswith("Criterion:")), "")
    return first.removeprefix("Criterion:").strip() or "overall"


def _material(prompt: str) -> dict[str, Any]:
    _before, _tag, rest = prompt.partition("<material>")
    try:
        found = orjson.loads(rest.partition("</material>")[0].strip())
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _mark(material: dict[str, Any]) -> float:
    answer = _words(material.get("answer"))
    if isinstance(criterion := material.get("criterion"), dict) and (wanted := _wanted(criterion)):
        return _HIGH if 2 * len(wanted & set(_WORD.findall(answer))) >= len(wanted) else _LOW
    known = material.get("references") or [material.get("reference")]
    references = [_words(text) for text in known if _words(text)]
    if not references:
        return _MIDDLE
    return _HIGH if any(reference in answer for reference in references) else _LOW


def _wanted(criterion: dict[str, Any]) -> set[str]:
    """The longer words of a rubric's criterion: an answer with half of them meets it."""
    return set(_WORD.findall(_words(criterion.get("title") or criterion.get("description"))))


def _words(text: Any) -> str:
    return " ".join(text.casefold().split()) if isinstance(text, str) else ""
