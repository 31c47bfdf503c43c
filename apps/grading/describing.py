"""A grading contract in words: its rules and thresholds as sentences, the diff of versions."""

import difflib
from collections.abc import Iterator
from typing import Literal

from apps.contract import Contract

from .rules import Rule
from .spec import AtLeast, AtMost, AtMostCost, AtMostMs, ContractSpec, Thresholds
from .wording import worded

DATA_RULES = {
    "combine": "Rules that came with the data count too. Of two with one name the record's counts "
    "before the dataset's, and the dataset's before the contract's.",
    "ignore": "Rules that came with the data do not count: the contract alone decides.",
}
TRIALS = {
    "mean": "Of several trials of a record the mean score counts; it passes by most of them.",
    "pass_any": "Of several trials of a record one that passes is enough.",
    "pass_all": "Of several trials of a record all must pass.",
    "interval": "Of several trials of a record the lower bound of the 95 % interval of their "
    "scores counts.",
}
_TOLD_APART = frozenset({"type", "name", "blocking", "weight", "threshold", "required", "negate"})
_BOUNDS = {
    "lower": "by the lower bound of its 95 % interval",
    "upper": "by the upper bound of its 95 % interval",
    "point": "by the measured value",
}


class ThresholdLine(Contract):
    title: str
    sentence: str
    description: str


class DiffLine(Contract):
    change: Literal["added", "removed", "same", "place"]
    text: str


def in_words(spec: ContractSpec) -> Iterator[str]:
    """What a contract says, line by line."""
    if spec.description:
        yield spec.description
    yield f"{len(spec.rules)} rules, in order:" if len(spec.rules) > 1 else "One rule:"
    for place, rule in enumerate(spec.rules, 1):
        yield f"  {place}. {rule.name}: {rule.title}. {_part_of(rule)}"
        yield from (f"     {title}: {value}" for title, value in changed_settings(rule))
    yield decision_in_words(spec)
    yield DATA_RULES[spec.data_rules]
    yield TRIALS[spec.trials]
    for line in threshold_lines(spec.thresholds):
        yield f"A run must have: {line.title} {line.sentence}."


def decision_in_words(spec: ContractSpec) -> str:
    """By what an answer passes."""
    if spec.passing_score is None:
        return "An answer passes when no blocking rule is below its threshold."
    return (
        "An answer passes when no blocking rule is below its threshold and the weighted score is "
        f"at least {spec.passing_score:g}."
    )


def changed_settings(rule: Rule) -> Iterator[tuple[str, str]]:
    """The settings that are not at their default, as title and value; without what is common."""
    for name, field in type(rule).model_fields.items():
        value = getattr(rule, name)
        if name not in _TOLD_APART and value != field.default:
            yield str(field.title), worded(value)


def threshold_lines(thresholds: Thresholds) -> tuple[ThresholdLine, ...]:
    """Those that are set, in words."""
    fields = Thresholds.model_fields
    limits = ((name, getattr(thresholds, name)) for name in fields)
    return tuple(
        ThresholdLine(
            title=str(fields[name].title),
            sentence=f"{_limit(limit)}, {_BOUNDS[limit.by]}",
            description=fields[name].description or "",
        )
        for name, limit in limits
        if limit is not None
    )


def diff_lines(before: str, after: str) -> tuple[DiffLine, ...]:
    """The lines that differ with three around them; none where the texts are equal."""
    found = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=3)
    return tuple(_diff_line(line) for line in list(found)[2:])


def _part_of(rule: Rule) -> str:
    """Its part in the decision and in the score."""
    if rule.required:
        part = "Required: an answer below the threshold fails with a score of 0"
    elif rule.blocking:
        part = "Blocking: an answer below the threshold fails"
    else:
        part = "Warning only"
    turned = "; what it finds must not be there" if rule.negate else ""
    weight = f"weight {rule.weight:g}" if rule.weight else "not in the score"
    return f"{part}; threshold {rule.threshold:g}, {weight}{turned}."


def _limit(limit: AtLeast | AtMost | AtMostMs | AtMostCost) -> str:
    if isinstance(limit, AtLeast):
        return f"at least {_percent(limit.at_least)}"
    if isinstance(limit, AtMostMs):
        return f"at most {limit.at_most:,} ms"
    if isinstance(limit, AtMostCost):
        return f"at most {limit.at_most:g} for an answer"
    return f"at most {_percent(limit.at_most)}"


def _percent(share: float) -> str:
    return f"{100 * share:.6g} %"


def _diff_line(line: str) -> DiffLine:
    if line.startswith("@@"):
        return DiffLine(change="place", text=line)
    if line.startswith("+"):
        return DiffLine(change="added", text=line[1:])
    if line.startswith("-"):
        return DiffLine(change="removed", text=line[1:])
    return DiffLine(change="same", text=line[1:])
