"""Which rules are in force for one answer: those of its record, its dataset and the contract.

Rules are told apart by their names. Of two with one name the record's counts before the
dataset's, and the dataset's before the contract's; all others stand side by side.
"""

from collections.abc import Collection, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from apps.contract import Contract

from .complaints import path, sentence_of, told
from .contracts import Source
from .dialects import normalised, slug
from .rules import AnyRule, Rule
from .rules.judging.rule import OF_THE_DATA
from .rules.unexecutable import Unexecutable
from .spec import ContractSpec, RuleSet

PRECEDENCE: tuple[Source, ...] = ("record", "dataset", "contract")


class OwnRules(Contract):
    """Rules that came with the data, as their format writes them; None: no opinion."""

    rules: tuple[dict[str, Any], ...] = ()
    passing_score: float | None = None


class InForce(RuleSet):
    """The rules for one answer in their order, whose each of them is, and what was replaced."""

    whose: tuple[Source, ...]
    replaced: tuple[tuple[str, Source], ...] = ()
    """The names of rules that a higher source replaced, with the source that lost."""

    @property
    def sources(self) -> tuple[Source, ...]:
        return self.whose


NO_RULES = OwnRules()
_RULE: TypeAdapter[Rule] = TypeAdapter(AnyRule)


def in_force(
    contract: ContractSpec | None,
    dataset: OwnRules,
    record: OwnRules,
    *,
    judges: Collection[str] | None = None,
) -> RuleSet:
    """The rules of all three; of two with one name the record's, then the dataset's counts.

    The passing score is the contract's where it has one, else the record's, else the dataset's.
    A contract that ignores the data's rules stands alone. Where `judges` are named, a rule of the
    data that asks another one gives no score, with that reason.
    """
    if contract is not None and (contract.data_rules == "ignore" or _nothing(dataset, record)):
        return contract
    found: dict[str, tuple[Rule, Source]] = {}
    replaced = []
    holders: tuple[tuple[Source, tuple[Rule, ...]], ...] = (
        ("contract", contract.rules if contract else ()),
        ("dataset", _judged(own(dataset), judges)),
        ("record", _judged(own(record), judges)),
    )
    for source, rules in holders:
        for rule in rules:
            if rule.name in found:
                replaced.append((rule.name, found[rule.name][1]))
            found[rule.name] = (rule, source)
    return InForce.model_construct(
        rules=tuple(rule for rule, _ in found.values()),
        whose=tuple(source for _, source in found.values()),
        replaced=tuple(replaced),
        passing_score=_passing_score(contract, record, dataset),
    )


def own(given: OwnRules) -> tuple[Rule, ...]:
    """The rules as ours; one that cannot be carried out gives no score, with that reason."""
    rules: dict[str, Rule] = {}
    for place, entry in enumerate(normalised(given.rules)):
        rule = _read(entry, place)
        name = _free(rule.name, rules)
        rules[name] = rule if name == rule.name else rule.model_copy(update={"name": name})
    return tuple(rules.values())


def _judged(rules: tuple[Rule, ...], judges: Collection[str] | None) -> tuple[Rule, ...]:
    """The rules, without those that ask a judge whom nobody named for the run."""
    if judges is None:
        return rules
    return tuple(
        rule if set(rule.judge_names) <= set(judges) else _without_judge(rule) for rule in rules
    )


def _without_judge(rule: Rule) -> Rule:
    return Unexecutable(
        name=rule.name,
        blocking=rule.blocking,
        weight=rule.weight,
        when_missing=rule.when_missing,
        why="The rule asks a judge, and none was chosen for this run.",
        said=rule.model_dump(mode="json"),
    )


def _free(name: str, taken: Mapping[str, Rule]) -> str:
    """The name, with a number where another rule of the same source has it."""
    names = (name, *(f"{name[:58]}_{number}" for number in range(2, len(taken) + 3)))
    return next(each for each in names if each not in taken)


def _nothing(*given: OwnRules) -> bool:
    return not any(each.rules for each in given)


def _passing_score(contract: ContractSpec | None, *own: OwnRules) -> float | None:
    stated = (contract.passing_score if contract else None, *(each.passing_score for each in own))
    return next((score for score in stated if score is not None), None)


def _read(entry: Any, place: int) -> Rule:
    try:
        # data may not instruct a judge: the context tells the rules whose entry it is
        return _RULE.validate_python(entry, context={OF_THE_DATA: True})
    except ValidationError as error:
        said = entry if isinstance(entry, Mapping) else {"said": entry}
        return Unexecutable(
            name=slug(str(said.get("name", f"rule_{place}"))),
            why=f"The rule cannot be read: {_fault(error)}."[:500],
            said=dict(said),
        )


def _fault(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    if first["type"] == "union_tag_invalid":
        return f"there is no rule type {first['ctx']['tag'][:40]!r} here"
    where = path(first["loc"][1:]).removeprefix(".")
    return told(where, sentence_of(first)).removesuffix(".")
