"""The settings of a rule as a form asks for them, read from the schema of its class."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal

from apps.contract import Contract
from apps.grading.rules import RULE_OF_TYPE, Rule
from apps.grading.spec import ContractSpec, Thresholds

Kind = Literal["text", "words", "number", "whole", "choice", "flag", "texts", "choices", "yaml"]
"""words: a text of any length. texts: one a line. choices: several of a list."""

SHORT = 200
"""A text that may be longer gets more than a line."""
COMMON = ("blocking", "weight", "threshold", "required", "negate", "when_missing")
OF_CONTRACT = ("description", "passing_score", "data_rules", "trials")
_KINDS: dict[str, Kind] = {"boolean": "flag", "integer": "whole", "number": "number"}


class Part(Contract):
    """A key of the objects that a setting is made of."""

    name: str
    help: str
    required: bool


class Setting(Contract):
    """One setting; `default` is None as well where it must be given (`required`).

    `example` is what the first of the rule's examples that has it says; None where none has.
    """

    name: str
    title: str
    help: str
    kind: Kind
    required: bool
    nullable: bool
    default: Any
    choices: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    example: Any = None

    @property
    def common(self) -> bool:
        """Whether every rule has it."""
        return self.name in COMMON


@cache
def settings_of(rule_type: str) -> tuple[Setting, ...]:
    """Name first, then what is the rule's own, then what every rule has."""
    rule = RULE_OF_TYPE[rule_type]
    found = {each.name: each for each in _settings(rule.model_json_schema())}
    own = [
        each.model_copy(update={"example": _example(rule, name)})
        for name, each in found.items()
        if name not in Rule.model_fields
    ]
    return (found["name"], *own, *(found[name] for name in COMMON))


@cache
def contract_settings() -> tuple[Setting, ...]:
    """What a contract says beside its rules and its thresholds."""
    schema = ContractSpec.model_json_schema()
    found = {each.name: each for each in _settings(schema)}
    return tuple(found[name] for name in OF_CONTRACT)


@cache
def threshold_settings() -> tuple[Setting, ...]:
    """Of each threshold its limit, named like `pass_rate.at_least`, and which bound counts."""
    schema = Thresholds.model_json_schema()
    return tuple(
        each
        for name, said in schema["properties"].items()
        for each in _of_threshold(name, said, _without_null(said, schema))
    )


def _example(rule: type[Rule], name: str) -> Any:
    given = (each.settings[name] for each in rule.examples if name in each.settings)
    return next(given, None)


def _of_threshold(
    name: str, said: Mapping[str, Any], shape: Mapping[str, Any]
) -> Iterator[Setting]:
    for each in _settings(shape):
        if each.kind == "choice":
            changes: dict[str, Any] = {"title": f"{said['title']}, judged by", "help": ""}
        else:
            title = f"{said['title']}, {each.title.lower()}"
            changes = {"title": title, "help": said["description"], "required": False}
        yield each.model_copy(update={"name": f"{name}.{each.name}", **changes})


def _settings(schema: Mapping[str, Any]) -> Iterator[Setting]:
    required = schema.get("required", ())
    for name, said in schema["properties"].items():
        if name == "type":
            continue
        shape = _without_null(_resolved(said, schema), schema)
        yield Setting(
            name=name,
            title=said.get("title", name.replace("_", " ").capitalize()),
            help=said.get("description") or shape.get("description", ""),
            kind=_kind(name, shape, schema),
            required=name in required,
            nullable=_takes_null(said),
            default=said.get("default"),
            choices=_choices(shape, schema),
            parts=tuple(_parts(shape, schema)),
        )


def _kind(name: str, shape: Mapping[str, Any], schema: Mapping[str, Any]) -> Kind:
    match shape.get("type"):
        case "string" if "enum" in shape:
            return "choice"
        case "string":
            return (
                "text" if name == "name" or shape.get("maxLength", SHORT + 1) <= SHORT else "words"
            )
        case "array":
            return _kind_of_list(_resolved(shape.get("items", {}), schema))
        case kind:
            return _KINDS.get(str(kind), "yaml")


def _kind_of_list(items: Mapping[str, Any]) -> Kind:
    if items.get("type") != "string":
        return "yaml"
    return "choices" if "enum" in items else "texts"


def _choices(shape: Mapping[str, Any], schema: Mapping[str, Any]) -> tuple[str, ...]:
    listed = shape if "enum" in shape else _resolved(shape.get("items", {}), schema)
    return tuple(str(each) for each in listed.get("enum", ()))


def _parts(shape: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Part]:
    inner = _resolved(shape.get("items", shape), schema)
    for name, said in inner.get("properties", {}).items():
        yield Part(
            name=name,
            help=said.get("description", ""),
            required=name in inner.get("required", ()),
        )


def _without_null(said: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """What it may be beside null; nothing that a field of a form knows where it is several."""
    several = [each for each in said.get("anyOf", ()) if each.get("type") != "null"]
    if "anyOf" not in said:
        return said
    return _resolved(several[0], schema) if len(several) == 1 else {}


def _takes_null(said: Mapping[str, Any]) -> bool:
    return any(each.get("type") == "null" for each in said.get("anyOf", ()))


def _resolved(said: Any, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a reference inside the schema stands for."""
    if not isinstance(said, Mapping):
        return {}
    name = str(said.get("$ref", "")).removeprefix("#/$defs/")
    return schema.get("$defs", {}).get(name, {}) if name else said
