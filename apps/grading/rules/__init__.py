"""The rules that a grading contract may hold, one family per module, each with its `RULES`."""

from typing import TYPE_CHECKING, Annotated, Union

from pydantic import Field

from . import composite, unexecutable
from .agents import behaviour, evidence, trajectory
from .answers import choice, fields, numbers, reference, structure, text
from .answers.numbers import Numeric
from .answers.patterns import Regex
from .answers.reference import RougeL, TokenF1
from .answers.structure import ValidJson
from .answers.text import Contains, ExactMatch
from .base import Example, Rule, grade_safely
from .effort import limits, usage
from .effort.limits import MaxLatency
from .judges import judge, reference_judge, rubric, scale_judge
from .judges.judge import CriteriaJudge
from .judging import JudgeRule
from .pairs import families, retrieval

FAMILIES = (
    text,
    numbers,
    structure,
    fields,
    reference,
    choice,
    retrieval,
    limits,
    usage,
    trajectory,
    behaviour,
    evidence,
    judge,
    rubric,
    reference_judge,
    scale_judge,
    families,
    composite,
    unexecutable,
)
"""In the order of the catalog."""

RULES: tuple[type[Rule], ...] = tuple(rule for family in FAMILIES for rule in family.RULES)
RULE_OF_TYPE: dict[str, type[Rule]] = {
    str(rule.model_fields["type"].default): rule for rule in RULES
}

if TYPE_CHECKING:
    AnyRule = Rule
else:
    AnyRule = Annotated[Union[RULES], Field(discriminator="type")]  # noqa: UP007 - of a tuple

__all__ = [
    "FAMILIES",
    "RULES",
    "RULE_OF_TYPE",
    "AnyRule",
    "Contains",
    "CriteriaJudge",
    "ExactMatch",
    "Example",
    "JudgeRule",
    "MaxLatency",
    "Numeric",
    "Regex",
    "RougeL",
    "Rule",
    "TokenF1",
    "ValidJson",
    "grade_safely",
]
