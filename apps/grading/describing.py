"""A grading contract in words: catalog of rules, thresholds as sentences, diff of versions."""

import difflib
from collections.abc import Iterator
from typing import Any, Literal

from apps.contract import Contract

from .rules import Rule
from .spec import AtLeast, AtMost, AtMostMs, Thresholds, catalog

NOTHING = "–"
_TYPES = {
    "string": "text",
    "integer": "whole number",
    "boolean": "true or false",
    "array": "list",
    "object": "object",
    "null": "nothing",
}
_BOUNDS = {
    "lower": "by the lower bound of its 95 % interval",
    "upper": "by the upper bound of its 95 % interval",
    "point": "by the measured value",
}


class SettingEntry(Contract):
    """A setting as the editor explains it; `default` is empty where it must be given."""

    name: str
    kind: str
    default: str
    description: str


class RuleEntry(Contract):
    type: str
    title: str
    description: str
    method: str
    settings: tuple[SettingEntry, ...]


class ThresholdLine(Contract):
    title: str
    sentence: str
    description: str


class DiffLine(Contract):
    change: Literal["added", "removed", "same", "place"]
    text: str


def rule_catalog() -> tuple[RuleEntry, ...]:
    """Every type of rule with the settings of its own."""
    return tuple(
        RuleEntry(
            type=rule["type"],
            title=rule["title"],
            description=rule["description"],
            method=rule["method"],
            settings=tuple(_settings(rule["schema"], without=frozenset(Rule.model_fields))),
        )
        for rule in catalog()
    )


def common_settings() -> tuple[SettingEntry, ...]:
    """What every rule has."""
    return tuple(_settings(Rule.model_json_schema(), without=frozenset({"type"})))


def threshold_lines(thresholds: Thresholds) -> tuple[ThresholdLine, ...]:
    """Those that are set, in words."""
    fields = Thresholds.model_fields
    limits = ((name, getattr(thresholds, name)) for name in fields)
    return tuple(
        ThresholdLine(
            title=str(fields[name].title),
            sentence=f"{_limit(limit)}, {_BOUNDS[limit.by]}",
            description=fields[name].description or "",
        )
        for name, limit in limits
        if limit is not None
    )


def diff_lines(before: str, after: str) -> tuple[DiffLine, ...]:
    """The lines that differ with three around them; none where the texts are equal."""
    found = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=3)
    return tuple(_diff_line(line) for line in list(found)[2:])


def _settings(schema: dict[str, Any], without: frozenset[str]) -> Iterator[SettingEntry]:
    required = schema.get("required", [])
    for name, setting in schema["properties"].items():
        if name not in without:
            yield SettingEntry(
                name=name,
                kind=_kind(setting),
                default="" if name in required else _default(setting.get("default")),
                description=setting.get("description", ""),
            )


def _kind(setting: dict[str, Any]) -> str:
    if "enum" in setting:
        return " or ".join(str(value) for value in setting["enum"])
    if "anyOf" in setting:
        return " or ".join(_kind(each) for each in setting["anyOf"])
    kind = str(setting.get("type", "value"))
    return _TYPES.get(kind, kind)


def _default(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return NOTHING if value in (None, "", [], {}) else str(value)


def _limit(limit: AtLeast | AtMost | AtMostMs) -> str:
    if isinstance(limit, AtLeast):
        return f"at least {_percent(limit.at_least)}"
    if isinstance(limit, AtMostMs):
        return f"at most {limit.at_most:,} ms"
    return f"at most {_percent(limit.at_most)}"


def _percent(share: float) -> str:
    return f"{100 * share:.6g} %"


def _diff_line(line: str) -> DiffLine:
    if line.startswith("@@"):
        return DiffLine(change="place", text=line)
    if line.startswith("+"):
        return DiffLine(change="added", text=line[1:])
    if line.startswith("-"):
        return DiffLine(change="removed", text=line[1:])
    return DiffLine(change="same", text=line[1:])
