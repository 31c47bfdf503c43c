"""Which rules are in force for one answer: those of its record, its dataset and the contract.

Rules are told apart by their names. Of two with one name the record's counts before the
dataset's, and the dataset's before the contract's; all others stand side by side. Only a name
that the data states replaces another rule: one that is made of type and place gets a number.
"""

from collections.abc import Collection

from .brought import MOST_RULES, NO_RULES, Brought, OwnRules, brought, own
from .contracts import Source
from .dialects import Names
from .rules import Rule
from .rules.unexecutable import Unexecutable
from .rules.words import kept
from .spec import ContractSpec, RuleSet

__all__ = ["MOST_RULES", "NO_RULES", "InForce", "OwnRules", "in_force", "own"]

PRECEDENCE: tuple[Source, ...] = ("record", "dataset", "contract")


class InForce(RuleSet):
    """The rules for one answer in their order, whose each of them is, and what was replaced."""

    whose: tuple[Source, ...]
    replaced: tuple[tuple[str, Source], ...] = ()
    """The names of rules that a higher source replaced, with the source that lost."""

    @property
    def sources(self) -> tuple[Source, ...]:
        return self.whose


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
    holders: tuple[tuple[Source, tuple[Brought, ...]], ...] = (
        ("contract", tuple(Brought(rule, True) for rule in (contract.rules if contract else ()))),
        ("dataset", _judged(brought(dataset), judges)),
        ("record", _judged(brought(record), judges)),
    )
    names = Names(each.rule.name for _, rules in holders for each in rules if each.named)
    found: dict[str, tuple[Rule, Source]] = {}
    replaced = []
    for source, rules in holders:
        for each in rules:
            rule = (each if each.named else each.called(names.free(each.rule.name))).rule
            if rule.name in found:
                replaced.append((rule.name, found[rule.name][1]))
            found[rule.name] = (rule, source)
    return InForce.model_construct(
        rules=tuple(rule for rule, _ in found.values()),
        whose=tuple(source for _, source in found.values()),
        replaced=tuple(replaced),
        passing_score=_passing_score(contract, record, dataset),
    )


def _judged(rules: tuple[Brought, ...], judges: Collection[str] | None) -> tuple[Brought, ...]:
    """The rules, without those that ask a judge whom nobody named for the run."""
    if judges is None:
        return rules
    return tuple(
        Brought(_without_judge(rule, missing), named)
        if (missing := [name for name in rule.judge_names if name not in judges])
        else Brought(rule, named)
        for rule, named in rules
    )


def _without_judge(rule: Rule, missing: list[str]) -> Rule:
    """It counts as the rule did; that nobody was asked is no lack of the record, so not skipped."""
    return Unexecutable(
        name=rule.name,
        blocking=rule.blocking,
        required=rule.required,
        weight=rule.weight,
        why=_unasked(missing),
        said=rule.model_dump(mode="json"),
    )


def _unasked(missing: list[str]) -> str:
    if "" in missing:
        return "The rule asks a judge, and none was chosen for this run."
    judges = "the judge" if len(missing) == 1 else "the judges"
    return f"The rule asks {judges} {kept(', '.join(missing), 400)}, which this run does not have."


def _nothing(*given: OwnRules) -> bool:
    return not any(each.rules for each in given)


def _passing_score(contract: ContractSpec | None, *own: OwnRules) -> float | None:
    stated = (contract.passing_score if contract else None, *(each.passing_score for each in own))
    return next((score for score in stated if score is not None), None)
