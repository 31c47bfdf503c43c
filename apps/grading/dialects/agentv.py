"""Assertions of agentv, of every era, as rules."""

from collections.abc import Mapping
from typing import Any

from .agentv_rubrics import items
from .agentv_settings import MEMBERS, OURS_TOO, SETTINGS, kind_of, snake
from .naming import slug

Entry = dict[str, Any]

THRESHOLD = 0.8
"""What a grader must reach where it names no `min_score`."""

PROGRAM = "Programs that come with data are never executed."
PROMPT = (
    "It brings a prompt of its own, and data may not instruct a judge: a rule of the contract can, "
    "with the prompt as its template."
)
NOT_EXECUTED = {
    "code_grader": PROGRAM,
    "webhook": "It asks an address that came with the data, and none of these is ever called.",
    "similar": "It compares embeddings, which no rule here does; chrF and token F1 are near it.",
    "skill_trigger": "Which skills the system used is not among the things that are seen here.",
    "skill_used": "Which skills the system used is not among the things that are seen here.",
}
PROGRAMS = ("script", "command", "code", "preprocessors", "transform")
"""Keys of an entry whose value is, or names, a program."""

WITHOUT_MEANING = frozenset(
    (
        "comment",
        "config",
        "cwd",
        "description",
        "max_steps",
        "metadata",
        "metric",
        "model",
        "never_executed",
        "notes",
        "prompt_path",
        "provider",
        "tags",
        "target",
        "temperature",
    )
)
"""Keys that say nothing of how an answer is graded here; any other unknown key is a mistake."""


def knows(entry: Mapping[str, Any]) -> bool:
    """Whether the entry is written as agentv does, and not in our words."""
    said = entry["type"]
    kind, negated = kind_of(said)
    if kind in NOT_EXECUTED or kind == "llm_grader" or kind.startswith("trajectory:"):
        return True
    if kind not in SETTINGS:
        return False
    return negated or kind != said or kind not in OURS_TOO or _has_their_keys(kind, entry)


def translated(entry: Mapping[str, Any]) -> Entry:
    """The entry as a rule of ours; one that cannot be carried out as an `unexecutable` one."""
    kind, negated = kind_of(entry["type"])
    said = {snake(key): value for key, value in entry.items() if key != "type"}
    why = _why_not(kind, said)
    settings = {"type": "unexecutable", "why": why, "said": dict(entry)} if why else {}
    if not why:
        settings = SETTINGS[kind](said)
    common = _common(said, negated)
    rest = {} if why else {key: said[key] for key in said if key not in WITHOUT_MEANING}
    return {**settings, **common, **rest}


def criterion(text: str) -> Entry:
    """A text among assertions, which is a criterion for a judge."""
    return {
        "type": "rubric_judge",
        "items": items([text]),
        "threshold": THRESHOLD,
    }


def _has_their_keys(kind: str, entry: Mapping[str, Any]) -> bool:
    """For types that have the same name in our words."""
    keys = {snake(key) for key in entry}
    if keys & {"min_score", *PROGRAMS, *WITHOUT_MEANING} or keys != set(entry):
        return True
    name = entry.get("name")
    if isinstance(name, str) and slug(name) != name:  # ours are never like that
        return True
    if isinstance(entry.get("required"), int | float) and not isinstance(entry["required"], bool):
        return True
    theirs, ours = _TELLING.get(kind, (frozenset(), frozenset()))
    return bool(keys & theirs) and not keys & ours


def _why_not(kind: str, said: Entry) -> str:
    """The reason why an entry is not carried out, or nothing."""
    if kind in NOT_EXECUTED:
        return NOT_EXECUTED[kind]
    if kind.startswith("trajectory:"):
        return f"The assertion {kind} is not known here; a tool trajectory may say the same."
    if said.get("never_executed") or any(key in said for key in PROGRAMS):
        return PROGRAM
    return PROMPT if kind == "llm_grader" and said.get("prompt") else ""


def _common(said: Entry, negated: bool) -> Entry:
    """What all graders may say, taken out of the entry."""
    name = said.pop("name", None) or said.get("metric")
    required, least = said.pop("required", None), said.pop("min_score", None)
    if isinstance(required, int | float) and not isinstance(required, bool):
        least, required = required if least is None else least, True
    threshold = said.pop("threshold", None)
    stated = {
        "name": slug(name) if isinstance(name, str) else name,
        "required": required,
        "negate": said.pop("negate", None) or negated or None,
        "threshold": next(each for each in (least, threshold, THRESHOLD) if each is not None),
    }
    own = {key: said.pop(key, None) for key in ("weight", "blocking", "when_missing")}
    return {key: value for key, value in {**stated, **own}.items() if value is not None}


_TELLING: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "regex": (frozenset({"value"}), frozenset({"pattern"})),
    "latency": (frozenset({"threshold"}), frozenset({"max_ms"})),
    "cost": (frozenset({"max_usd"}), frozenset({"budget"})),
    "is_json": (frozenset({"value"}), frozenset()),
    "composite": (frozenset(MEMBERS), frozenset({"rules"})),
}
"""Keys by which an entry is agentv's, unless it has one of ours."""
