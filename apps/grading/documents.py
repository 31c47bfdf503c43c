"""Grading contracts as JSON and YAML text: read, explain, write."""

import json
from collections.abc import Mapping
from typing import Any

import yaml
from pydantic import ValidationError

from .complaints import findings, name_said, path, sentence_of, told
from .reading.rules import contract_document
from .reading.texts import SpecError, read_document
from .rules import Rule
from .spec import ContractSpec

MAX_PROBLEMS = 20


def read_spec(source: str | Mapping[str, Any]) -> ContractSpec:
    """The contract in a JSON or YAML text, or in an object; SpecError with every problem."""
    document = contract_document(read_document(source) if isinstance(source, str) else source)
    try:
        return ContractSpec.model_validate(document)
    except ValidationError as error:
        raise SpecError(*explain(error, document)) from error


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
    errors = findings(error)
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
