"""The rules that a grading contract may hold, one family per file."""

from typing import Annotated

from pydantic import Field

from .base import JudgeRule, Rule, grade_safely
from .judge import CriteriaJudge
from .limits import MaxLatency
from .numbers import Numeric
from .reference import RougeL, TokenF1
from .structure import ValidJson
from .text import Contains, ExactMatch, Regex

RULES: tuple[type[Rule], ...] = (
    ExactMatch,
    Contains,
    Regex,
    Numeric,
    ValidJson,
    TokenF1,
    RougeL,
    MaxLatency,
    CriteriaJudge,
)
AnyRule = Annotated[
    ExactMatch
    | Contains
    | Regex
    | Numeric
    | ValidJson
    | TokenF1
    | RougeL
    | MaxLatency
    | CriteriaJudge,
    Field(discriminator="type"),
]

__all__ = [
    "RULES",
    "AnyRule",
    "Contains",
    "CriteriaJudge",
    "ExactMatch",
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
