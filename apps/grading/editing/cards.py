"""The rules of a draft as the editor lists them, right or wrong."""

from collections.abc import Mapping
from typing import Any

from apps.contract import Contract
from apps.grading.complaints import path, told
from apps.grading.describing import changed_settings
from apps.grading.documents import MAX_PROBLEMS
from apps.grading.rules import RULE_OF_TYPE, Rule

from .drafts import Document, Problem, problems_of, rule_of


class Card(Contract):
    """One entry of the draft; `rule` is None where it is none yet, and `problems` say why."""

    place: int
    name: str
    title: str
    type: str
    rule: Rule | None
    settings: tuple[tuple[str, str], ...]
    problems: tuple[str, ...]
    has_form: bool

    @property
    def number(self) -> int:
        return self.place + 1


def cards_of(document: Document) -> tuple[Card, ...]:
    problems: dict[int | None, list[str]] = {}
    for problem in problems_of(document):
        problems.setdefault(_place_of(problem), []).append(_sentence(problem))
    return tuple(
        _card(place, entry, _first(problems.get(place, [])))
        for place, entry in enumerate(document["rules"])
    )


def general_problems(document: Document) -> tuple[str, ...]:
    """What is wrong beside the single rules, each with its place."""
    return tuple(
        f"{'.'.join(str(step) for step in problem.at)}: {problem.text}"
        if problem.at
        else problem.text
        for problem in problems_of(document)
        if _place_of(problem) is None
    )


def _first(problems: list[str]) -> tuple[str, ...]:
    more = len(problems) - MAX_PROBLEMS
    return (*problems[:MAX_PROBLEMS], *((f"And {more:,} more.",) if more > 0 else ()))


def _card(place: int, entry: Any, problems: tuple[str, ...]) -> Card:
    said: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {}
    rule, rule_type = rule_of(entry), str(said.get("type", ""))
    known = RULE_OF_TYPE.get(rule_type)
    return Card(
        place=place,
        name=str(said.get("name") or f"rule {place + 1}")[:64],
        title=known.title if known else "Not a rule",
        type=rule_type[:64],
        rule=rule,
        settings=tuple(changed_settings(rule)) if rule else (),
        problems=problems,
        has_form=known is not None,
    )


def _place_of(problem: Problem) -> int | None:
    """Which rule it is about."""
    if len(problem.at) > 1 and problem.at[0] == "rules" and isinstance(problem.at[1], int):
        return problem.at[1]
    return None


def _sentence(problem: Problem) -> str:
    """Behind the number of the rule and its type stands the setting."""
    return told(path(problem.at[3:]).removeprefix("."), problem.text)
