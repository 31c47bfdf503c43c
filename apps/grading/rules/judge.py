"""Rules that ask a model: one question for each criterion that a record requires."""

import re
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, get_args

from pydantic import Field, ValidationError

from apps.contract import Contract
from apps.grading.contracts import Answer, Question, Score, Subject

from . import judge_prompts as prompts
from .base import JudgeRule, Rule, WhenMissing, threshold, when_missing
from .record import expected, reference
from .words import kept

Criterion = Literal["accuracy", "clarity", "reasoning", "factuality", "overall"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
LOWEST, HIGHEST = 1, 10
MAX_REPLY = 20_000
MAX_RATIONALE = 2_000
_FENCE = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL)


class Opinion(Contract):
    """What a judge must reply, to the letter."""

    criterion: Criterion
    score: float = Field(ge=LOWEST, le=HIGHEST, allow_inf_nan=False, strict=True)
    rationale: str

    @property
    def value(self) -> float:
        return (self.score - LOWEST) / (HIGHEST - LOWEST)


class CriteriaJudge(JudgeRule):
    """A model scores the answer from 1 to 10 on each criterion of `expected.required_criteria`.

    Each score s becomes (s - 1) / 9; the value is their mean, or the lowest. If the judge leaves
    one criterion without a readable score, after being asked again once, there is no value at
    all: an error with the reason, beside the scores that did come.
    """

    title: ClassVar[str] = "Judge by criteria"

    type: Literal["criteria_judge"] = "criteria_judge"
    threshold: float = threshold(0.6)
    when_missing: WhenMissing = when_missing("skip")
    default_criteria: tuple[Criterion, ...] = Field(
        default=(),
        max_length=len(CRITERIA),
        title="Default criteria",
        description="For records that set no expected.required_criteria; none: skip those.",
    )
    combine: Literal["mean", "lowest"] = Field(
        default="mean",
        title="Combine",
        description="What the scores of several criteria become: their mean, or the lowest.",
    )

    @property
    def verifier(self) -> str:
        return f"{self.type}@{self.version}:{_TEMPLATE_HASH[:16]}"

    def ask(self, subject: Subject) -> tuple[Question, ...]:
        return tuple(_question(subject, criterion) for criterion in self._criteria(subject))

    def complaint(self, question: Question, text: str) -> str:
        opinion = read_opinion(question.call, text)
        return opinion if isinstance(opinion, str) else ""

    def reask(self, question: Question, bad_text: str) -> Question:
        again = prompts.REASK.format(
            complaint=self.complaint(question, bad_text),
            reply=prompts.one_line(bad_text[:MAX_REPLY]),
            criterion=question.call,
        )
        return question.model_copy(update={"user": question.user + again})

    def settle(self, subject: Subject, answers: Sequence[Answer]) -> Score:
        criteria = self._criteria(subject)
        if not criteria:
            return self.cannot_say("The record sets no expected.required_criteria.")
        said = {answer.call: answer for answer in answers}
        opinions = {name: _opinion(name, said.get(name)) for name in criteria}
        raw = {"scale": [LOWEST, HIGHEST], "criteria": _kept(opinions)}
        silent = [f"{name}: {why}" for name, why in opinions.items() if isinstance(why, str)]
        if silent:
            return self.broke("; ".join(silent), raw=raw)
        values = [opinion.value for opinion in opinions.values() if isinstance(opinion, Opinion)]
        value = min(values) if self.combine == "lowest" else sum(values) / len(values)
        return self.scored(min(value, 1.0), raw=raw)

    def _criteria(self, subject: Subject) -> tuple[Criterion, ...]:
        wanted = expected(subject, "required_criteria")
        asked = tuple(c for c in CRITERIA if isinstance(wanted, list) and c in wanted)
        return asked or tuple(dict.fromkeys(self.default_criteria))


_TEMPLATE_HASH = prompts.template_hash()


def read_opinion(criterion: str, text: str) -> Opinion | str:
    """The judge's opinion, or one sentence about why the text is none."""
    if len(text) > MAX_REPLY:
        return f"The judge's reply is longer than {MAX_REPLY:,} characters."
    fenced = _FENCE.fullmatch(text.strip())
    try:
        opinion = Opinion.model_validate_json(fenced[1] if fenced else text.strip())
    except (ValidationError, ValueError) as error:
        return _unreadable(error)
    if opinion.criterion != criterion:
        return f"The judge's reply is about {opinion.criterion}, not {criterion}."
    return opinion


def _unreadable(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return "The judge's reply is not valid text."
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "extra_forbidden":  # the key is the judge's own text: do not repeat it
        return "The judge's reply has a key that was not asked for."
    where = ".".join(str(step) for step in first["loc"]) or "reply"
    return f"The judge's reply could not be read: {where}: {first['msg']}."


def _question(subject: Subject, criterion: Criterion) -> Question:
    material = {"question": subject.prompt, "answer": subject.response}
    known = reference(subject)
    if known is not None:
        material["reference"] = known
    definition, anchors = prompts.DEFINITIONS[criterion]
    user = prompts.USER.format(
        criterion=criterion,
        definition=definition,
        anchors=anchors,
        material=prompts.one_line(material),
    )
    return Question(call=criterion, system=prompts.SYSTEM, user=user)


def _opinion(criterion: str, answer: Answer | None) -> Opinion | str:
    if answer is None:
        return "The judge was not asked."
    if answer.text is None:
        return answer.reason or "The judge gave no answer."
    return read_opinion(criterion, answer.text)


def _kept(opinions: dict[Criterion, Opinion | str]) -> dict[str, dict[str, Any]]:
    return {
        name: {"error": opinion}
        if isinstance(opinion, str)
        else {"score": opinion.score, "rationale": kept(opinion.rationale, MAX_RATIONALE)}
        for name, opinion in opinions.items()
    }


RULES: tuple[type[Rule], ...] = (CriteriaJudge,)
