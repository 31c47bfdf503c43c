"""Rules that came with the data, read as rules of ours. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError, field_validator

from apps.contract import Contract

from .complaints import path, sentence_of, told
from .dialects import Names, slug, with_names
from .rules import AnyRule, Rule
from .rules.judging.rule import OF_THE_DATA
from .rules.unexecutable import Unexecutable

MOST_RULES = 100
"""Of one record, or of one dataset, are read; the rest stand as one that is never executed."""
COUNTING = ("blocking", "required", "weight")
LEFT_OUT = "rules_left_out"
LONGEST_WHY = 500


class OwnRules(Contract):
    """Rules that came with the data, as their format writes them; None: no opinion.

    `unnamed` are the places of rules whose name nobody wrote: it says their type and place, and
    replaces no other rule.
    """

    rules: tuple[dict[str, Any], ...] = ()
    passing_score: float | None = None
    unnamed: tuple[int, ...] = ()

    @field_validator("passing_score", mode="before")
    @classmethod
    def _from_0_to_1(cls, said: Any) -> Any:
        """Anything else is not stated: no answer could reach it, or none fall short of it."""
        is_number = isinstance(said, int | float) and not isinstance(said, bool)
        return said if is_number and 0 <= said <= 1 else None


class Brought(NamedTuple):
    """A rule of the data, and whether the data states its name."""

    rule: Rule
    named: bool

    def called(self, name: str) -> "Brought":
        """Under a name of ours, which replaces no other rule."""
        same = name == self.rule.name
        return Brought(self.rule if same else self.rule.model_copy(update={"name": name}), False)


NO_RULES = OwnRules()
_RULE: TypeAdapter[Rule] = TypeAdapter(AnyRule)


def brought(given: OwnRules) -> tuple[Brought, ...]:
    """The rules as ours; one that cannot be carried out gives no score, with that reason."""
    unnamed, rest = set(given.unnamed), given.rules[MOST_RULES:]
    found = []
    for place, (entry, named) in enumerate(with_names(given.rules[:MOST_RULES])):
        rule = _read(entry, place)
        stated = named and place not in unnamed and rule.name == entry["name"]
        found.append(Brought(rule, stated))
    return tuple(_told_apart([*found, *_left_out(rest)]))


def own(given: OwnRules) -> tuple[Rule, ...]:
    return tuple(rule for rule, _ in brought(given))


def _told_apart(rules: Sequence[Brought]) -> Iterable[Brought]:
    """The first of each name that is stated has it; all others get one that is free."""
    first = {each.rule.name: at for at, each in reversed(list(enumerate(rules))) if each.named}
    names = Names(first)
    for at, each in enumerate(rules):
        is_first = each.named and first[each.rule.name] == at
        yield each if is_first else each.called(names.free(each.rule.name))


def _left_out(rest: Sequence[Mapping[str, Any]]) -> Iterable[Brought]:
    if rest:
        why = f"{len(rest):,} more rules are left out: the first {MOST_RULES} of a source are read."
        yield Brought(
            Unexecutable(name=LEFT_OUT, why=why, blocking=any(_decides(each) for each in rest)),
            False,
        )


def _decides(entry: Mapping[str, Any]) -> bool:
    """In agentv a number under `required` is what a required rule must reach."""
    return bool(counting(entry).get("blocking", True) or entry.get("required"))


def counting(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What an entry says of how much it counts, as far as that can be read."""
    found = {}
    for key in COUNTING:
        if key in entry:
            with suppress(ValidationError):
                rule = Unexecutable.model_validate({"name": LEFT_OUT, key: entry[key]})
                found[key] = getattr(rule, key)
    return found


def _read(entry: Any, place: int) -> Rule:
    try:
        # data may not instruct a judge: the context tells the rules whose entry it is
        return _RULE.validate_python(entry, context={OF_THE_DATA: True})
    except ValidationError as error:
        return _unread(entry if isinstance(entry, Mapping) else {"said": entry}, place, error)


def _unread(entry: Mapping[str, Any], place: int, error: ValidationError) -> Rule:
    """Never executed; it counts as much as it says, where that can be read."""
    said, why = entry, f"The rule cannot be read: {_fault(error)}."
    if entry.get("type") == "unexecutable":  # a format has said already what is wrong with it
        inner, before = entry.get("said"), entry.get("why")
        said = inner if isinstance(inner, Mapping) else entry
        why = before if isinstance(before, str) and before else why
    return Unexecutable(
        name=slug(str(entry.get("name", f"rule_{place}"))),
        why=why[:LONGEST_WHY],
        said={str(key): value for key, value in said.items()},
        **counting(entry),
    )


def _fault(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    if first["type"] == "union_tag_invalid":
        return f"there is no rule type {first['ctx']['tag'][:40]!r} here"
    where = path(first["loc"][1:]).removeprefix(".")
    return told(where, sentence_of(first)).removesuffix(".")
