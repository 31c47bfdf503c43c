"""A judge with criteria of one's own, each on a scale of one's own."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from apps.contract import Contract
from apps.grading.contracts import Check, Score, Subject
from apps.grading.rules.base import Example, Rule, threshold
from apps.grading.rules.judging import Inquiry, JudgeRule, Opinion, Wording
from apps.grading.rules.judging.material import answer_of
from apps.grading.rules.judging.parsing import rationale_of
from apps.grading.rules.judging.shapes import TEXT, exactly, number, plain, read
from apps.grading.rules.judging.wording import system
from apps.grading.rules.words import kept

MAX_CRITERIA = 20
FARTHEST = 1_000_000

_SYSTEM = system(
    "grade one answer of a language-model system by one criterion on a scale",
    "Grade by this criterion alone, whatever else is good or bad about the answer. Where marks "
    'are described in "anchors", an answer gets the mark whose description fits it best, or one '
    "between two of them.",
    "question",
    "conversation",
    "answer",
    "references",
    "context",
    "criterion",
)
_DEFINITION = 'Where on its scale does the answer stand by the key "criterion" of the material?'
_SCALE = "Scale: {lowest} to {highest}; {best} is the best."


class ScaledCriterion(Contract):
    """One criterion with its scale."""

    name: str = Field(
        pattern=r"^[a-z0-9_-]{1,64}$",
        title="Name",
        description="Unique in the rule: a-z, 0-9, _ and -, at most 64 characters.",
    )
    definition: str = Field(
        min_length=1,
        max_length=5_000,
        title="Definition",
        description="What the criterion asks of an answer, in words for the judge.",
    )
    lowest: float = Field(
        default=1,
        ge=-FARTHEST,
        le=FARTHEST,
        title="Lowest mark",
        description="Where the scale begins.",
    )
    highest: float = Field(
        default=5,
        ge=-FARTHEST,
        le=FARTHEST,
        title="Highest mark",
        description="Where the scale ends.",
    )
    best: Literal["highest", "lowest"] = Field(
        default="highest",
        title="Best mark",
        description="Which end is the best: lowest for what an answer should have little of.",
    )
    anchors: dict[str, str] = Field(
        default={},
        max_length=30,
        title="Anchors",
        description='What an answer with this mark is like, as {"1": "...", "5": "..."}.',
    )
    weight: float = Field(
        default=1.0,
        ge=0,
        le=1_000_000,
        allow_inf_nan=False,
        title="Weight",
        description="Its share in the mean.",
    )

    @model_validator(mode="after")
    def _is_a_scale(self) -> Self:
        if self.lowest >= self.highest:
            raise ValueError(f"the scale of {self.name} must end above where it begins")
        for mark in self.anchors:
            if not self.lowest <= _mark(mark) <= self.highest:
                raise ValueError(f"the anchor {mark[:40]!r} is no mark of the scale")
        return self

    def value(self, mark: float) -> float:
        """The mark as a number from 0, the worst, to 1, the best."""
        share = (mark - self.lowest) / (self.highest - self.lowest)
        share = min(max(share, 0.0), 1.0)
        return share if self.best == "highest" else 1.0 - share

    def mark(self, value: float) -> float:
        """The mark that has this value."""
        share = value if self.best == "highest" else 1.0 - value
        return self.lowest + share * (self.highest - self.lowest)

    @property
    def shown(self) -> dict[str, Any]:
        words = {"name": self.name, "definition": self.definition}
        return {**words, "anchors": self.anchors} if self.anchors else words


def _mark(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


class ScaleJudge(JudgeRule):
    """A model grades the answer by criteria that the contract defines, each on its own scale.

    A mark m on a scale from l to h becomes (m - l) / (h - l), or 1 minus that where the lowest
    mark is the best. The value is the mean by weight (the plain mean where all weights are 0),
    or the lowest. A mark outside of its scale is not read. If one criterion has no readable mark
    after being asked again once, there is no value at all: an error with the reason.
    """

    title: ClassVar[str] = "Judge by own scales"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            says="4 of 1 to 5 is 0.75; 1 of 0 to 4, where 0 is the best, is 0.75 too.",
            settings={
                "criteria": [
                    {"name": "tone", "definition": "Is the answer polite?"},
                    {
                        "name": "padding",
                        "definition": "How much of the answer says nothing?",
                        "lowest": 0,
                        "highest": 4,
                        "best": "lowest",
                    },
                ]
            },
            subject=Subject(prompt="May I return it?", response="Gladly, within 30 days."),
            answers={
                "1": '{"criterion": "criterion_1", "score": 4, "rationale": "Gladly."}',
                "2": '{"criterion": "criterion_2", "score": 1, "rationale": "A word."}',
            },
            value=0.75,
        ),
        Example(
            says="A mark outside of the scale is no mark.",
            settings={"criteria": [{"name": "tone", "definition": "Is the answer polite?"}]},
            subject=Subject(prompt="May I return it?", response="No."),
            answers={"1": '{"criterion": "criterion_1", "score": 9, "rationale": "Curt."}'},
            value=None,
        ),
    )

    type: Literal["scale_judge"] = "scale_judge"
    threshold: float = threshold(0.6)
    criteria: tuple[ScaledCriterion, ...] = Field(
        min_length=1,
        max_length=MAX_CRITERIA,
        title="Criteria",
        description="What the answer is graded by; each is one question to the judge.",
    )
    combine: Literal["mean", "lowest"] = Field(
        default="mean",
        title="Combine",
        description="What several values become: their mean by weight, or the lowest.",
    )

    @field_validator("criteria")
    @classmethod
    def _told_apart(cls, criteria: tuple[ScaledCriterion, ...]) -> tuple[ScaledCriterion, ...]:
        if len({criterion.name for criterion in criteria}) < len(criteria):
            raise ValueError("two criteria have the same name")
        return criteria

    @property
    def wording(self) -> Wording:
        return Wording(system=_SYSTEM, also=f"{_DEFINITION}\n{_SCALE}")

    def inquiries(self, subject: Subject) -> Sequence[Inquiry] | str:
        shown = answer_of(subject)
        return [
            _inquiry(place, criterion, shown)
            for place, criterion in enumerate(self.criteria, start=1)
        ]

    def opinion(self, reply: dict[str, Any], text: str) -> Opinion | str:
        said = read(reply, text)
        if isinstance(said, str):
            return said
        criterion = self.criteria[int(said["criterion"].removeprefix("criterion_")) - 1]
        value = criterion.value(said["score"])
        return Opinion(
            value=value,
            passed=value >= self.threshold,
            rationale=rationale_of(said),
            said={"score": said["score"]},
        )

    def concluded(
        self, subject: Subject, opinions: Sequence[Opinion], raw: dict[str, Any]
    ) -> Score:
        pairs = list(zip(self.criteria, opinions, strict=True))
        marks = {criterion.name: opinion.value for criterion, opinion in pairs}
        return self.scored(
            self._value(marks),
            checks=[_check(criterion, opinion) for criterion, opinion in pairs],
            raw={**raw, "criteria": marks},
        )

    def _value(self, values: dict[str, float]) -> float:
        if self.combine == "lowest":
            return min(values.values())
        weights = {criterion.name: criterion.weight for criterion in self.criteria}
        total = sum(weights.values())
        if not total:
            return min(sum(values.values()) / len(values), 1.0)
        return min(sum(weights[name] * values[name] for name in values) / total, 1.0)


def _inquiry(place: int, criterion: ScaledCriterion, answer: dict[str, Any]) -> Inquiry:
    name = f"criterion_{place}"
    ends = {"lowest": plain(criterion.lowest), "highest": plain(criterion.highest)}
    return Inquiry(
        call=str(place),
        material={"criterion": criterion.shown, **answer},
        reply={
            "criterion": exactly(name),
            "score": number(criterion.lowest, criterion.highest),
            "rationale": TEXT,
        },
        criterion=name,
        definition=_DEFINITION,
        scale=_SCALE.format(**ends, best=ends[criterion.best]),
    )


def _check(criterion: ScaledCriterion, opinion: Opinion) -> Check:
    scale = f"{plain(criterion.lowest)} to {plain(criterion.highest)}"
    return Check(
        text=f"{criterion.name}: {criterion.mark(opinion.value):.4g} on a scale of {scale}",
        passed=opinion.passed,
        evidence=kept(opinion.rationale, 1_000),
    )


RULES: tuple[type[Rule], ...] = (ScaleJudge,)
