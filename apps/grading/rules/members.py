"""The rules inside a rule: reading them within bounds, and telling their questions apart."""

import functools
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError

from apps.grading.complaints import complaint
from apps.grading.contracts import Answer, Question, Subject
from apps.grading.dialects import Names, normalised
from apps.grading.rules.base import Rule

MOST_DEEP = 5
MOST_MEMBERS = 200
LONGEST_CALL = 60
LISTS = ("rules", "assertions", "assert", "evaluators", "graders")
"""Where a rule keeps its members, in our words and in those of other formats."""


class MemberQuestion(Question):
    """A member's question, under a call of its own: `place` is the member's, `asked` its own."""

    place: int = Field(exclude=True)
    asked: Question = Field(exclude=True)


def asked_for(place: int, question: Question) -> MemberQuestion:
    said = {name: getattr(question, name) for name in Question.model_fields}
    said["call"] = _call(place, question.call)
    return MemberQuestion(**said, place=place, asked=question)


def own_calls(
    place: int, rule: Rule, subject: Subject, answers: Sequence[Answer]
) -> tuple[Answer, ...]:
    """The answers to the questions of this member, by its own calls."""
    if not answers or not rule.judge_names:
        return ()
    by_call = {answer.call: answer for answer in answers}
    calls = {_call(place, question.call): question.call for question in rule.ask(subject)}
    return tuple(
        by_call[outer].model_copy(update={"call": inner})
        for outer, inner in calls.items()
        if outer in by_call
    )


def members(entries: Sequence[Any], context: Any = None) -> tuple[Rule, ...]:
    """The rules that the entries mean; raises ValueError with the place of one that is none.

    `context` is that of the validation: members of a rule of the data are rules of the data.
    """
    _require_bounds(entries)
    names = Names()
    rules = [_read(entry, place, context) for place, entry in enumerate(normalised(entries))]
    return tuple(rule.model_copy(update={"name": names.free(rule.name)}) for rule in rules)


def _require_bounds(entries: Sequence[Any]) -> None:
    """Level by level, so that no nesting is too deep to be refused."""
    level, seen = list(entries), 0
    for _ in range(MOST_DEEP):
        seen += len(level)
        if seen > MOST_MEMBERS:
            raise ValueError(f"there are more than {MOST_MEMBERS} rules in it")
        level = [inner for entry in level for inner in _inside(entry)]
        if not level:
            return
    raise ValueError(f"rules are nested deeper than {MOST_DEEP} levels")


def _inside(entry: Any) -> Iterable[Any]:
    if isinstance(entry, Rule):
        return getattr(entry, "rules", ())
    if not isinstance(entry, Mapping):
        return ()
    lists = (entry.get(key) for key in LISTS)
    return [inner for each in lists if isinstance(each, list | tuple) for inner in each]


def _read(entry: Any, place: int, context: Any) -> Rule:
    try:
        return _any_rule().validate_python(entry, context=context)
    except ValidationError as error:
        raise ValueError(complaint(error, entry, place)) from None


@functools.cache
def _any_rule() -> TypeAdapter[Rule]:
    from apps.grading.rules import AnyRule  # every rule, this family among them: known once all are

    return TypeAdapter(AnyRule)


def _call(place: int, call: str) -> str:
    """The member's call with its place in front; a long one ends in a hash of its whole."""
    full = f"{place}.{call}"
    if len(full) <= LONGEST_CALL:
        return full
    return f"{full[: LONGEST_CALL - 9]}~{hashlib.sha256(full.encode()).hexdigest()[:8]}"
