"""What the graders of agentv are set to, in the words of our rules."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from .agentv_rubrics import items_of

Entry = dict[str, Any]

KINDS = {
    "llm_judge": "llm_grader",
    "llm_rubric": "llm_grader",
    "rubric": "llm_grader",
    "rubrics": "llm_grader",
    "g_eval": "llm_grader",
    "code_judge": "code_grader",
    "script_grader": "code_grader",
    "script": "code_grader",
    "python": "code_grader",
    "javascript": "code_grader",
    "ruby": "code_grader",
    "inline_assert": "code_grader",
    "custom": "code_grader",
    "assert_set": "composite",
}
"""Names of other eras, in snake case."""

MEMBERS = ("assertions", "assert", "evaluators")


def kind_of(said: str) -> tuple[str, bool]:
    """The name of a type in one spelling, and whether it is to be turned round."""
    name = said.replace("-", "_")
    negated = name.startswith("not_")
    name = name.removeprefix("not_")
    return KINDS.get(name, name), negated


def snake(key: Any) -> Any:
    """maxTotal as max_total."""
    if not isinstance(key, str) or key.lower() == key:
        return key
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in key).lstrip("_")


def _contains(mode: Literal["one", "all", "any"], *, ignore_case: bool) -> Callable[[Entry], Entry]:
    def settings(said: Entry) -> Entry:
        value = said.pop("value", None)
        found: Entry = {"type": "contains", "nfc": False}
        if mode == "one" and value is not None:
            found["value"] = value
        else:
            listed = [value] if isinstance(value, str) else value
            found |= {"values": listed, "mode": "any" if mode == "any" else "all"}
        return {**found, "ignore_case": True} if ignore_case else found

    return settings


def _regex(said: Entry) -> Entry:
    return {"type": "regex", "pattern": said.pop("value", None)}


def _is_json(said: Entry) -> Entry:
    schema = said.pop("value", None)
    return {"type": "valid_json", "json_schema": schema} if schema else {"type": "is_json"}


def _latency(said: Entry) -> Entry:
    stated = said.pop("max_ms", None)
    return {"type": "latency", "max_ms": said.pop("threshold", None) if stated is None else stated}


def _cost(said: Entry) -> Entry:
    stated = said.pop("budget", None)
    return {"type": "cost", "budget": said.pop("max_usd", None) if stated is None else stated}


def _fields(said: Entry) -> Entry:
    given = said.pop("fields", None)
    fields = [_field(each) for each in given] if isinstance(given, list) else given
    return {"type": "field_accuracy", "fields": fields}


def _field(given: Any) -> Any:
    if not isinstance(given, Mapping):
        return given
    names = {"match_type": "match", "numeric_tolerance": "tolerance"}
    return {names.get(key, key): value for key, value in given.items()}


def _trajectory(said: Entry) -> Entry:
    steps = said.pop("expected", None)
    found: Entry = {"type": "tool_trajectory"}
    if steps is not None:
        found["expected"] = [_step(step) for step in steps] if isinstance(steps, list) else steps
    return found


def _step(step: Any) -> Any:
    return {snake(key): step[key] for key in step} if isinstance(step, Mapping) else step


def _composite(said: Entry) -> Entry:
    """Its members are translated where the composite reads them."""
    members = [said.pop(key, None) for key in MEMBERS]
    found: Entry = {
        "type": "composite",
        "rules": next((each for each in members if each is not None), said.pop("rules", None)),
    }
    aggregator = said.pop("aggregator", None)
    return found if aggregator is None else {**found, "aggregator": _aggregator(aggregator)}


def _aggregator(given: Any) -> Any:
    if not isinstance(given, Mapping) or not isinstance(given.get("type"), str):
        return given
    kind, _ = kind_of(given["type"])
    elsewhere = {"code_grader": "code", "llm_grader": "llm"}.get(kind)
    return {"type": elsewhere, "said": dict(given)} if elsewhere else {**given, "type": kind}


def _judge(said: Entry) -> Entry:
    items = items_of(said)
    return {"type": "rubric_judge", **({"items": items} if items else {})}


def _plain(kind: str) -> Callable[[Entry], Entry]:
    """Of kinds whose settings have the same names here."""
    return lambda said: {"type": kind}


SETTINGS: dict[str, Callable[[Entry], Entry]] = {
    "contains": _contains("one", ignore_case=False),
    "contains_any": _contains("any", ignore_case=False),
    "contains_all": _contains("all", ignore_case=False),
    "icontains": _contains("one", ignore_case=True),
    "icontains_any": _contains("any", ignore_case=True),
    "icontains_all": _contains("all", ignore_case=True),
    "starts_with": _plain("starts_with"),
    "ends_with": _plain("ends_with"),
    "equals": _plain("equals"),
    "regex": _regex,
    "is_json": _is_json,
    "field_accuracy": _fields,
    "latency": _latency,
    "cost": _cost,
    "token_usage": _plain("token_usage"),
    "execution_metrics": _plain("execution_metrics"),
    "tool_trajectory": _trajectory,
    "composite": _composite,
    "llm_grader": _judge,
}
"""What takes the settings of a kind out of an entry, as settings of a rule of ours."""

OURS_TOO = SETTINGS.keys() - {
    "contains_any",
    "contains_all",
    "icontains",
    "icontains_any",
    "icontains_all",
    "llm_grader",
}
"""Kinds that have the same name in our words; their keys tell whose an entry is."""
