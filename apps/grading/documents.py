"""Grading contracts as JSON and YAML text: read without trust, explain, write."""

import json
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import yaml
from pydantic import ValidationError

from .complaints import name_said, path, sentence_of, told
from .reading.rules import contract_document
from .rules import Rule
from .spec import ContractSpec

MAX_CHARACTERS = 500_000
MAX_DEPTH = 60
MAX_PROBLEMS = 20
_TOO_DEEP = f"The contract is nested deeper than {MAX_DEPTH} levels."
_LONG_NUMBER = re.compile(r"[-+0-9][0-9_:.a-fxA-F]{1000,}")


class SpecError(Exception):
    """A text or object that is no grading contract, with a sentence for each problem."""

    def __init__(self, *problems: str) -> None:
        super().__init__(" ".join(problems))
        self.problems = problems


class _NotJsonError(SpecError):
    """The text is no JSON, and may be YAML."""


def read_spec(source: str | Mapping[str, Any]) -> ContractSpec:
    """The contract in a JSON or YAML text, or in an object; SpecError with every problem."""
    document = contract_document(read_document(source) if isinstance(source, str) else source)
    try:
        return ContractSpec.model_validate(document)
    except ValidationError as error:
        raise SpecError(*explain(error, document)) from error


def read_document(text: str) -> dict[str, Any]:
    """The object in a JSON or YAML text; aliases, duplicate keys and deep nesting are refused."""
    document = read_value(text)
    if not isinstance(document, dict):
        raise SpecError("A contract is an object with the key rules; this is something else.")
    return document


def read_value(text: str) -> Any:
    """What a JSON or YAML text holds, as careful as `read_document`."""
    if len(text) > MAX_CHARACTERS:
        raise SpecError(f"The contract has more than {MAX_CHARACTERS:,} characters.")
    if not text.lstrip().startswith("{"):
        return _read_yaml(text)
    try:
        return _read_json(text)
    except _NotJsonError as error:
        return _read_flow(text, error)


def write_yaml(spec: ContractSpec, *, name: str = "") -> str:
    """YAML that reads back as the same contract; a name comes first.

    What is at its default is left out, so that people see what was decided; only `data_rules`
    stands there always, since it says whose rules count.
    """
    return dump({"name": name, **readable(spec)} if name else readable(spec))


def write_whole(spec: ContractSpec) -> str:
    """YAML with every default written out, for comparing line by line."""
    return dump(spec.model_dump(mode="json"))


def readable(spec: ContractSpec) -> dict[str, Any]:
    """The contract without its defaults where it reads back as the same without them."""
    said = spec.model_dump(mode="json", exclude_defaults=True, exclude={"rules", "data_rules"})
    rules = [_readable_rule(rule) for rule in spec.rules]
    description = {key: said.pop(key) for key in ("description",) if key in said}
    document = {**description, "rules": rules, "data_rules": spec.data_rules, **said}
    if ContractSpec.model_validate(document).sha256 == spec.sha256:
        return document
    return spec.model_dump(mode="json")


def dump(value: Any) -> str:
    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100)
    return text


def write_json(value: Any) -> str:
    """JSON as people read it."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def explain(error: ValidationError, document: Any) -> list[str]:
    """One sentence for each problem: where it is, which rule that is, and what is wrong."""
    errors = error.errors(include_url=False)
    sentences = [_sentence(problem, document) for problem in errors[:MAX_PROBLEMS]]
    left = len(errors) - len(sentences)
    return [*sentences, f"And {left} more."] if left > 0 else sentences


def _readable_rule(rule: Rule) -> dict[str, Any]:
    """A rule may hold rules, whose types are defaults too: then it is written out."""
    short = rule.model_dump(mode="json", exclude_defaults=True)
    document = {"type": rule.type, "name": rule.name, **short}
    return document if _reads_back(document, rule) else rule.model_dump(mode="json")


def _reads_back(document: Any, rule: Rule) -> bool:
    try:
        return type(rule).model_validate(document) == rule
    except ValidationError:
        return False


def _sentence(problem: Any, document: Any) -> str:
    return told(_path(problem["loc"], document), sentence_of(problem))


def _path(location: tuple[int | str, ...], document: Any) -> str:
    """`rules[1] (length).threshold`: as in the text, without the rule type pydantic puts in."""
    if location[:1] != ("rules",) or len(location) == 1:
        return path(location).removeprefix(".")
    return f"rules[{location[1]}]{_name_of_rule(document, location[1])}{path(location[3:])}"


def _name_of_rule(document: Any, index: int | str) -> str:
    try:
        return name_said(document["rules"][index])
    except (KeyError, IndexError, TypeError):
        return ""


def _read_json(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_refused)
    except RecursionError as error:
        raise SpecError(_TOO_DEEP) from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise _NotJsonError(f"This is not valid JSON: {error.msg} ({where}).") from error
    except ValueError as error:  # a number with thousands of digits
        raise SpecError(f"This is not valid JSON: {error}.") from error


def _read_flow(text: str, error: SpecError) -> Any:
    """`{type: regex, …}` is YAML; what is neither is told as the JSON that it looks like."""
    try:
        return _read_yaml(text)
    except SpecError:
        raise error from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    _check_keys([key for key, _ in pairs])
    return dict(pairs)


def _check_keys(keys: Sequence[Hashable]) -> None:
    seen: set[Hashable] = set()
    for key in keys:
        if key in seen:
            raise SpecError(f"The key {str(key)[:60]!r} stands twice in one object.")
        seen.add(key)


def _refused(constant: str) -> Any:
    raise SpecError(f"{constant} is not a number that JSON has.")


class _Loader(yaml.SafeLoader):
    """SafeLoader that refuses duplicate keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        _check_keys(keys)
        return super().construct_mapping(node, deep=deep)


def _read_yaml(text: str) -> Any:
    try:
        _check_events(yaml.parse(text, Loader=yaml.SafeLoader))
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a SafeLoader
    except yaml.MarkedYAMLError as error:
        where = error.problem_mark
        place = f" (line {where.line + 1}, column {where.column + 1})" if where else ""
        raise SpecError(f"This is not valid YAML: {error.problem}{place}.") from error
    except (yaml.YAMLError, ValueError) as error:  # 2026-99-99 is a ValueError
        raise SpecError(f"This is not valid YAML: {error}.") from error


def _check_events(events: Iterator[yaml.Event]) -> None:
    """Refuse, before anything is built, what grows when it is: aliases, depth, endless numbers."""
    depth = 0
    for event in events:
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise SpecError(_TOO_DEEP)
        if isinstance(event, yaml.AliasEvent):
            raise SpecError("Aliases (*name) are not allowed; write the value out.")
        if isinstance(event, yaml.ScalarEvent) and _LONG_NUMBER.fullmatch(event.value):
            raise SpecError("A number has more than 1,000 digits.")
