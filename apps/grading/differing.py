"""What one version of a contract says differently from another, rule by rule. Pure."""

from collections.abc import Iterator
from typing import Literal

from apps.contract import Contract

from .describing import threshold_lines
from .rules import Rule
from .spec import ContractSpec, Thresholds
from .wording import NOTHING, worded


class SettingChange(Contract):
    """A setting in words, before and after."""

    title: str
    before: str
    after: str


class RuleChange(Contract):
    """`moved`: the rule says the same at another place among those that both have."""

    name: str
    title: str
    change: Literal["added", "removed", "changed", "moved"]
    settings: tuple[SettingChange, ...] = ()


class SpecDiff(Contract):
    """What changed in the contract itself, and in its rules in the order of the newer."""

    settings: tuple[SettingChange, ...]
    rules: tuple[RuleChange, ...]

    @property
    def is_empty(self) -> bool:
        return not self.settings and not self.rules


def differences(before: ContractSpec, after: ContractSpec) -> SpecDiff:
    """Rules are told apart by their names."""
    return SpecDiff(
        settings=tuple(_of_contract(before, after)), rules=tuple(_of_rules(before, after))
    )


def _of_rules(before: ContractSpec, after: ContractSpec) -> Iterator[RuleChange]:
    old = {rule.name: rule for rule in before.rules}
    new = {rule.name: rule for rule in after.rules}
    moved = _moved([name for name in old if name in new], [name for name in new if name in old])
    for name, rule in new.items():
        changes = tuple(_of_rule(old[name], rule)) if name in old else ()
        if name not in old:
            yield RuleChange(name=name, title=rule.title, change="added")
        elif changes:
            yield RuleChange(name=name, title=rule.title, change="changed", settings=changes)
        elif name in moved:
            yield RuleChange(name=name, title=rule.title, change="moved")
    for name, rule in old.items():
        if name not in new:
            yield RuleChange(name=name, title=rule.title, change="removed")


def _moved(before: list[str], after: list[str]) -> set[str]:
    """The names that stand elsewhere, once those that fit at both ends are left out."""
    return {name for name, other in zip(after, before, strict=True) if name != other}


def _of_rule(before: Rule, after: Rule) -> Iterator[SettingChange]:
    if before.type != after.type:
        yield SettingChange(title="Type", before=before.title, after=after.title)
    fields = {**type(before).model_fields, **type(after).model_fields}
    for name, field in fields.items():
        old, new = getattr(before, name, None), getattr(after, name, None)
        if name != "type" and old != new:
            yield SettingChange(title=str(field.title), before=worded(old), after=worded(new))


def _of_contract(before: ContractSpec, after: ContractSpec) -> Iterator[SettingChange]:
    for name, field in ContractSpec.model_fields.items():
        old, new = getattr(before, name), getattr(after, name)
        if name not in ("rules", "thresholds") and old != new:
            yield SettingChange(title=str(field.title), before=worded(old), after=worded(new))
    yield from _of_thresholds(_limits(before.thresholds), _limits(after.thresholds))


def _of_thresholds(before: dict[str, str], after: dict[str, str]) -> Iterator[SettingChange]:
    for title in dict.fromkeys([*before, *after]):
        old, new = before.get(title, NOTHING), after.get(title, NOTHING)
        if old != new:
            yield SettingChange(title=title, before=old, after=new)


def _limits(thresholds: Thresholds) -> dict[str, str]:
    return {line.title: line.sentence for line in threshold_lines(thresholds)}
