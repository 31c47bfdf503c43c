"""A contract while it is edited: a document that need not be right yet, and what is done to it."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from apps.contract import Contract
from apps.grading.complaints import findings, sentence_of
from apps.grading.dialects import normalised
from apps.grading.documents import explain
from apps.grading.reading.rules import contract_document
from apps.grading.reading.texts import SpecError, read_document
from apps.grading.rules import AnyRule, Rule
from apps.grading.spec import MAX_RULES, ContractSpec

from .settings import contract_settings, settings_of
from .values import UNSET, as_yaml

Document = dict[str, Any]
LONGEST_NAME = 64
FULL = f"A contract has at most {MAX_RULES} rules"
_RULE: TypeAdapter[Rule] = TypeAdapter(AnyRule)


class Problem(Contract):
    """What is wrong, and where: the steps of pydantic's location."""

    at: tuple[int | str, ...]
    text: str


def read_draft(text: str) -> Document:
    """The document of a draft, its rules in our words; SpecError where it is none."""
    document = dict(contract_document(read_document(text)))
    rules, thresholds = document.get("rules", []), document.get("thresholds", {})
    if not isinstance(rules, list):
        raise SpecError("rules must be a list.")
    if len(rules) > MAX_RULES:
        raise SpecError(f"{FULL}, and this one has {len(rules):,}: take some of them out.")
    if not isinstance(thresholds, Mapping) or not all(
        _is_limit(each) for each in thresholds.values()
    ):
        raise SpecError("thresholds must be an object of objects such as {at_least: 0.8}.")
    return {**document, "rules": normalised(rules)}


def write_draft(document: Document) -> str:
    return as_yaml(document) + "\n"


def rule_of(entry: Any) -> Rule | None:
    """The rule that an entry says, or None where something is wrong with it."""
    try:
        return _RULE.validate_python(entry)
    except ValidationError:
        return None


def spec_of(document: Document) -> ContractSpec | None:
    try:
        return ContractSpec.model_validate(document)
    except ValidationError:
        return None


def problems_of(document: Document) -> tuple[Problem, ...]:
    """All that keeps the draft from being a contract."""
    try:
        ContractSpec.model_validate(document)
    except ValidationError as error:
        return _located(error)
    return ()


def explained(document: Document) -> list[str]:
    """The same as sentences with the paths of the text."""
    try:
        ContractSpec.model_validate(document)
    except ValidationError as error:
        return explain(error, document)
    return []


def problems_of_rule(entry: Document, others: Sequence[Any]) -> tuple[Problem, ...]:
    """What is wrong with one rule beside the others; the steps begin with the setting's name."""
    found: tuple[Problem, ...] = ()
    if str(entry.get("name")) in _names(others):
        found = (Problem(at=("name",), text="another rule of this contract has this name."),)
    try:
        _RULE.validate_python(entry)
    except ValidationError as error:
        found += tuple(each.model_copy(update={"at": each.at[1:]}) for each in _located(error))
    return found


def entry_of(rule_type: str, values: Mapping[str, Any], rest: Mapping[str, Any]) -> Document:
    """A rule as it is written down: what is at its default is left out.

    `rest` is what the entry said that no form asks for; it stays, so that it is not lost unseen.
    """
    said = {
        each.name: values[each.name]
        for each in settings_of(rule_type)
        if values.get(each.name, UNSET) is not UNSET
        and (each.required or values[each.name] != each.default)
    }
    return {"type": rule_type, **said, **rest}


def with_settings(
    document: Document, values: Mapping[str, Any], limits: Mapping[str, Any]
) -> Document:
    """With what the contract says beside its rules; `limits` by names like `pass_rate.at_least`."""
    kept = {key: value for key, value in document.items() if key not in {*values, "thresholds"}}
    said = {
        each.name: values[each.name]
        for each in contract_settings()
        if each.name in values and (each.name == "data_rules" or values[each.name] != each.default)
    }
    thresholds = _thresholds(limits)
    return {**kept, **said, **({"thresholds": thresholds} if thresholds else {})}


def limits_of(document: Document) -> dict[str, Any]:
    """The thresholds of a document by names like `pass_rate.at_least`."""
    return {
        f"{name}.{key}": value
        for name, limit in document.get("thresholds", {}).items()
        for key, value in (limit or {}).items()
    }


def new_name(document: Document, wished: str) -> str:
    """The name, with a number where another rule has it."""
    taken = _names(document["rules"])
    names = (wished, *(f"{wished[: LONGEST_NAME - 4]}_{at}" for at in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def is_full(document: Document) -> bool:
    """Whether no further rule may be added."""
    return len(document["rules"]) >= MAX_RULES


def put(document: Document, place: int, entry: Document) -> Document:
    """In the place of the rule there; behind the last where nothing is there."""
    rules = document["rules"]
    return {**document, "rules": [*rules[:place], entry, *rules[place + 1 :]]}


def inserted(document: Document, place: int, entry: Any) -> Document:
    rules = document["rules"]
    return {**document, "rules": [*rules[:place], entry, *rules[place:]]}


def removed(document: Document, place: int) -> Document:
    rules = document["rules"]
    return {**document, "rules": [*rules[:place], *rules[place + 1 :]]}


def moved(document: Document, place: int, to: int) -> Document:
    """The rule at another place; nothing changes where there is no such place."""
    if not 0 <= to < len(document["rules"]):
        return document
    entry = document["rules"][place]
    return inserted(removed(document, place), to, entry)


def copied(document: Document, place: int) -> Document:
    """The rule once more, behind itself, under a name of its own."""
    entry = document["rules"][place]
    if isinstance(entry, Mapping):
        entry = {**entry, "name": new_name(document, str(entry.get("name", "rule")))}
    return inserted(document, place + 1, entry)


def _is_limit(value: Any) -> bool:
    return value is None or isinstance(value, Mapping)


def _thresholds(limits: Mapping[str, Any]) -> Document:
    """The thresholds that have a limit; without one it does not matter what it is judged by."""
    found: dict[str, Document] = {}
    for name, value in limits.items():
        threshold, _, key = name.partition(".")
        found.setdefault(threshold, {})[key] = value
    return {name: limit for name, limit in found.items() if set(limit) - {"by"}}


def _names(entries: Sequence[Any]) -> set[Any]:
    named = (entry.get("name") for entry in entries if isinstance(entry, Mapping))
    return {name for name in named if isinstance(name, str)}


def _located(error: ValidationError) -> tuple[Problem, ...]:
    return tuple(
        Problem(at=problem["loc"], text=sentence_of(problem)) for problem in findings(error)
    )
