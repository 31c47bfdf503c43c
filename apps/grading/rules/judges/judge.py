"""Rules that ask a model: one question for each criterion that a record requires."""

import re
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, get_args

from pydantic import Field, ValidationError

from apps.contract import Contract
from apps.grading.contracts import Question, Score, Subject
from apps.grading.rules.base import Example, Rule, WhenMissing, threshold, when_missing
from apps.grading.rules.judges import judge_prompts as prompts
from apps.grading.rules.judging import Inquiry, JudgeRule, Opinion, Wording
from apps.grading.rules.judging.parsing import MAX_REPLY
from apps.grading.rules.judging.shapes import TEXT, exactly, number
from apps.grading.rules.judging.voting import Voice, Vote
from apps.grading.rules.record import expected, reference

Criterion = Literal["accuracy", "clarity", "reasoning", "factuality", "overall"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)
LOWEST, HIGHEST = 1, 10
_FENCE = re.compile(r"```(?:json)?\s*(\{.*\})\s*```", re.DOTALL)


class Mark(Contract):
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
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            says="Accuracy 10 and clarity 4 become 1 and 1/3; the value is their mean.",
            settings={"default_criteria": ["accuracy", "clarity"]},
            subject=Subject(
                prompt="What is 2 + 2?", response="Well, 4 I guess.", reference_answers=("4",)
            ),
            answers={
                "accuracy": '{"criterion": "accuracy", "score": 10, "rationale": "It is 4."}',
                "clarity": '{"criterion": "clarity", "score": 4, "rationale": "It wavers."}',
            },
            value=2 / 3,
        ),
        Example(
            says="A reply that is not the agreed JSON leaves no value, with the reason.",
            settings={"default_criteria": ["overall"]},
            subject=Subject(prompt="What is 2 + 2?", response="4"),
            answers={"overall": "I would say 9 out of 10."},
            value=None,
        ),
    )

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
        if self.template:
            return super().verifier
        return f"{self.type}@{self.version}:{_PROMPTS_HASH[:16]}"

    @property
    def wording(self) -> Wording:
        return Wording(system=prompts.SYSTEM, also=_PROMPTS_HASH)

    def inquiries(self, subject: Subject) -> Sequence[Inquiry] | str:
        criteria = self._criteria(subject)
        if not criteria:
            return "The record sets no expected.required_criteria."
        material = _material(subject)
        return [_inquiry(criterion, material) for criterion in criteria]

    def message(self, inquiry: Inquiry, line: str) -> str:
        if self.template:
            return super().message(inquiry, line)
        definition, anchors = prompts.DEFINITIONS[inquiry.criterion]
        return prompts.USER.format(
            criterion=inquiry.criterion,
            definition=definition,
            anchors=anchors,
            material=line,
        )

    def reask(self, question: Question, bad_text: str) -> Question:
        if self.template:
            return super().reask(question, bad_text)
        again = prompts.REASK.format(
            complaint=self.complaint(question, bad_text),
            reply=prompts.one_line(bad_text[:MAX_REPLY]),
            criterion=question.call.partition("#")[0],
        )
        return question.model_copy(update={"user": question.user + again})

    def opinion(self, reply: dict[str, Any], text: str) -> Opinion | str:
        mark = _read(str(reply["criterion"]).removeprefix("the text "), text)
        if isinstance(mark, str):
            return mark
        return Opinion(
            value=mark.value,
            passed=mark.value >= self.threshold,
            rationale=mark.rationale,
            said={"score": mark.score},
        )

    def concluded(
        self, subject: Subject, opinions: Sequence[Opinion], raw: dict[str, Any]
    ) -> Score:
        values = [opinion.value for opinion in opinions]
        value = min(values) if self.combine == "lowest" else sum(values) / len(values)
        return self.scored(min(value, 1.0), raw=raw)

    def kept_of(
        self, inquiries: Sequence[Inquiry], heard: Sequence[Sequence[Voice]], votes: Sequence[Vote]
    ) -> dict[str, Any]:
        pairs = zip(inquiries, heard, strict=True)
        return {
            "scale": [LOWEST, HIGHEST],
            "criteria": {inquiry.criterion: _kept(voices) for inquiry, voices in pairs},
        }

    def _criteria(self, subject: Subject) -> tuple[Criterion, ...]:
        wanted = expected(subject, "required_criteria")
        asked = tuple(c for c in CRITERIA if isinstance(wanted, list) and c in wanted)
        return asked or tuple(dict.fromkeys(self.default_criteria))


_PROMPTS_HASH = prompts.template_hash()


def _material(subject: Subject) -> dict[str, Any]:
    material = {"question": subject.prompt, "answer": subject.response}
    known = reference(subject)
    return material if known is None else {**material, "reference": known}


def _inquiry(criterion: Criterion, material: dict[str, Any]) -> Inquiry:
    definition, anchors = prompts.DEFINITIONS[criterion]
    return Inquiry(
        call=criterion,
        material=material,
        reply={
            "criterion": exactly(criterion),
            "score": number(LOWEST, HIGHEST),
            "rationale": TEXT,
        },
        criterion=criterion,
        definition=definition,
        scale=f"Scale: {LOWEST} is the worst, {HIGHEST} the best. {anchors}",
    )


def _read(criterion: str, text: str) -> Mark | str:
    """The judge's mark, or one sentence about why the text is none."""
    if len(text) > MAX_REPLY:
        return f"The judge's reply is longer than {MAX_REPLY:,} characters."
    fenced = _FENCE.fullmatch(text.strip())
    try:
        mark = Mark.model_validate_json(fenced[1] if fenced else text.strip())
    except (ValidationError, ValueError) as error:
        return _unreadable(error)
    if mark.criterion != criterion:
        return f"The judge's reply is about {mark.criterion}, not {criterion}."
    return mark


def _unreadable(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return "The judge's reply is not valid text."
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] == "extra_forbidden":  # the key is the judge's own text: do not repeat it
        return "The judge's reply has a key that was not asked for."
    where = ".".join(str(step) for step in first["loc"]) or "reply"
    return f"The judge's reply could not be read: {where}: {first['msg']}."


def _kept(voices: Sequence[Voice]) -> dict[str, Any]:
    """One judge's score as it always was kept, or those of a panel's majority one by one."""
    if len(voices) > 1:
        return {"judges": [_kept([voice]) for voice in voices]}
    said = voices[0].kept
    return {key: said[key] for key in ("judge", "score", "rationale", "error") if key in said}


RULES: tuple[type[Rule], ...] = (CriteriaJudge,)
