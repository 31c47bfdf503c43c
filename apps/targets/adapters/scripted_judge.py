"""The scripted judge: strict JSON by comparing the answer with the reference, never an opinion.

It reads what judges are shown: a line `Criterion: …` and one line of JSON inside <material> tags.
"""

from typing import Any

import orjson

from apps.targets.contracts import Ask
from apps.targets.specs import ScriptedSpec

BROKEN = "Scripted reply that is not JSON."
_HIGH, _MIDDLE, _LOW = 9, 7, 2
_TURNED_AROUND = {_HIGH: _LOW, _MIDDLE: _LOW, _LOW: _HIGH}


def judge_answer(spec: ScriptedSpec, ask: Ask, *, wrong: bool, breaks: bool) -> str:
    """A mark as JSON, or a broken reply where the script says so."""
    if _is_broken(spec, ask.prompt.count(BROKEN), breaks=breaks):
        return BROKEN
    score = _mark(_material(ask.prompt))
    opinion = {
        "criterion": _criterion(ask.prompt),
        "score": _TURNED_AROUND[score] if wrong else score,
        "rationale": "Scripted: the answer was compared with the reference, no model judged.",
    }
    return orjson.dumps(opinion).decode()


def _is_broken(spec: ScriptedSpec, said_before: int, *, breaks: bool) -> bool:
    """A re-ask quotes the broken reply, so the prompt itself tells how often it came."""
    if said_before:
        return spec.broken_attempts == 0 or said_before < spec.broken_attempts
    return breaks


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


def _mark(material: dict[str, Any]) -> int:
    answer, reference = _words(material.get("answer")), _words(material.get("reference"))
    if not reference:
        return _MIDDLE
    return _HIGH if reference in answer else _LOW


def _words(text: Any) -> str:
    return " ".join(text.casefold().split()) if isinstance(text, str) else ""
