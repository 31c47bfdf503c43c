"""Every type of rule in words: what it does, its settings, examples with what comes out. Pure."""

import inspect
from collections.abc import Sequence
from functools import cache
from typing import Any

from apps.contract import Contract

from .contracts import Aspect, Score
from .editing.settings import Setting, settings_of
from .editing.values import as_yaml
from .rules import FAMILIES, RULE_OF_TYPE, Example, Rule, grade_safely
from .rules.unexecutable import Unexecutable
from .spec import RuleSet
from .trying import answers_from, questions_in_order
from .wording import Block, blocks, worded

TITLES = {
    "text": "Texts",
    "numbers": "Numbers",
    "structure": "JSON",
    "fields": "Fields of JSON",
    "reference": "Likeness to a reference",
    "choice": "Multiple choice",
    "retrieval": "Retrieval",
    "limits": "Latency",
    "usage": "Cost and effort",
    "trajectory": "Tools in order",
    "behaviour": "What an agent did",
    "evidence": "What a run leaves behind",
    "judge": "Judges by criteria",
    "rubric": "Rubrics",
    "reference_judge": "Judges with a reference",
    "scale_judge": "Judges on any scale",
    "families": "Judges of query and response",
    "composite": "Rules made of rules",
    "unexecutable": "Not executed",
}
"""Of the families, by the module that each of them is."""
_CONTROLS = {
    "text": "text",
    "words": "text",
    "number": "number",
    "whole": "whole number",
    "flag": "true or false",
    "texts": "list of texts",
    "yaml": "YAML",
}


class SettingEntry(Contract):
    """A setting as its page explains it; `default` is empty where it must be given."""

    name: str
    title: str
    kind: str
    default: str
    help: str


class ShownExample(Contract):
    """Settings and answer as YAML, a judge's replies by call, and what the rule made of them."""

    says: str
    settings: str
    subject: str
    replies: tuple[tuple[str, str], ...]
    score: Score


class RuleEntry(Contract):
    """A type of rule as a list shows it."""

    type: str
    title: str
    summary: str
    method: str
    aspect: Aspect


class RulePage(RuleEntry):
    """A type of rule with all that there is to say of it."""

    family: str
    description: str
    blocks: tuple[Block, ...]
    own: tuple[SettingEntry, ...]
    common: tuple[SettingEntry, ...]
    examples: tuple[ShownExample, ...]


class Family(Contract):
    """Types of rules that look at the same thing."""

    name: str
    title: str
    rules: tuple[RuleEntry, ...]


def families(search: str = "") -> tuple[Family, ...]:
    """The families in the order of the catalog, with the rules that have every word searched."""
    words = search.lower().split()
    found = (
        family.model_copy(update={"rules": _matching(family, words)}) for family in _families()
    )
    return tuple(family for family in found if family.rules)


@cache
def rule_page(rule_type: str) -> RulePage:
    """KeyError where there is no such type."""
    rule = RULE_OF_TYPE[rule_type]
    settings = settings_of(rule_type)
    text = inspect.getdoc(rule) or ""
    return RulePage(
        **_entry(rule).model_dump(),
        family=_family_of(rule_type),
        description=text,
        blocks=tuple(blocks(rule.description())),
        own=tuple(_setting(each) for each in settings if not _is_common(each)),
        common=tuple(_setting(each) for each in settings if _is_common(each)),
        examples=tuple(_shown(rule, example) for example in rule.examples),
    )


def is_offered(rule: type[Rule]) -> bool:
    """Whether people may add it: what stands for rules that cannot be carried out is not."""
    return rule is not Unexecutable


@cache
def _families() -> tuple[Family, ...]:
    named = ((module.__name__.rpartition(".")[2], module.RULES) for module in FAMILIES)
    return tuple(
        Family(name=name, title=TITLES.get(name, name), rules=_entries(rules))
        for name, rules in named
        if _entries(rules)
    )


def _entries(rules: Sequence[type[Rule]]) -> tuple[RuleEntry, ...]:
    return tuple(_entry(rule) for rule in rules if is_offered(rule))


def _entry(rule: type[Rule]) -> RuleEntry:
    return RuleEntry(
        type=str(rule.model_fields["type"].default),
        title=rule.title,
        summary=next(blocks(rule.description())).lines[0],
        method=rule.method,
        aspect=rule.aspect,
    )


def _matching(family: Family, words: Sequence[str]) -> tuple[RuleEntry, ...]:
    return tuple(
        rule for rule in family.rules if all(word in _said(family, rule) for word in words)
    )


@cache
def _said(family: Family, rule: RuleEntry) -> str:
    return f"{family.title} {rule.type} {rule.title} {rule.summary} {rule.method}".lower()


def _family_of(rule_type: str) -> str:
    found = (each.title for each in _families() if rule_type in {r.type for r in each.rules})
    return next(found, TITLES["unexecutable"])


def _is_common(setting: Setting) -> bool:
    return setting.common or setting.name == "name"


def _setting(setting: Setting) -> SettingEntry:
    default = setting.default
    if isinstance(default, list) and all(isinstance(each, str) for each in default):
        default = tuple(default)
    return SettingEntry(
        name=setting.name,
        title=setting.title,
        kind=_kind(setting),
        default="" if setting.required else worded(default),
        help=setting.help,
    )


def _kind(setting: Setting) -> str:
    match setting.kind:
        case "choice":
            return " or ".join(setting.choices)
        case "choices":
            return f"some of {', '.join(setting.choices)}"
        case kind:
            return _CONTROLS[kind]


def _shown(rule_class: type[Rule], example: Example) -> ShownExample:
    said: dict[str, Any] = {"type": rule_class.model_fields["type"].default, **example.settings}
    rule = rule_class.model_validate({"name": said["type"], **said})
    asked = questions_in_order(RuleSet.model_construct(rules=(rule,)), example.subject)
    answers = answers_from(example.answers, asked).get(rule.name, ())
    return ShownExample(
        says=example.says,
        settings=as_yaml(said),
        subject=as_yaml(example.subject.model_dump(mode="json", exclude_defaults=True)),
        replies=tuple(example.answers.items()),
        score=grade_safely(rule, example.subject, answers),
    )
