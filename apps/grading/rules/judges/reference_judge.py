"""A judge that compares the answer with what is known to be right."""

import json
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, ClassVar, Literal

from pydantic import Field

from apps.grading.contracts import Check, Score, Subject
from apps.grading.rules.base import Example, Rule, threshold
from apps.grading.rules.judging import (
    Inquiry,
    JudgeRule,
    Opinion,
    Wording,
    json_object,
    policies,
    read_judgment,
)
from apps.grading.rules.judging.material import answer_of
from apps.grading.rules.judging.shapes import NO_JSON, TEXT, YES_NO, number
from apps.grading.rules.judging.wording import system
from apps.grading.rules.record import NO_REFERENCE
from apps.grading.rules.words import kept

MAX_CRITERIA = 20
ASPECTS = ("correctness", "completeness", "reasoning")

_SYSTEM = system(
    "compare one answer of a language-model system with answers that are known to be right",
    "What counts is the substance: the same result for the same reasons is right in any words and "
    "any order, and more than the reference says is no fault if it is true. A wrong result, a "
    "claim that the reference contradicts and a step that is missing are faults. Where there are "
    "several references, one that agrees is enough.",
    "question",
    "conversation",
    "answer",
    "references",
    "context",
)
_DEFINITION = (
    "How far does the answer agree in substance with the references? correctness: its result and "
    "its claims are right. completeness: nothing that matters is missing. reasoning: its reasons "
    "carry the result. pass: a careful examiner would accept the answer as it is."
)
_SCALE = "Scale: 0 is wrong or empty, 0.5 is right in part, 1 is as good as the references."
_REPLY: dict[str, Any] = {
    "rationale": TEXT,
    "criteria": dict.fromkeys(ASPECTS, number(0, 1)),
    "score": number(0, 1),
    "pass": YES_NO,
}
_BY_TENTHS: dict[str, Any] = {
    "rationale": TEXT,
    "criteria": {"overall": number(0, 1)},
    "score": number(0, 1),
    "pass": YES_NO,
}
_WORDS = json.dumps([_DEFINITION, _SCALE, _REPLY, _BY_TENTHS])


class ReferenceJudge(JudgeRule):
    """A model compares the answer with the reference answers, and with the context if there is one.

    It gives a score from 0 to 1, its reasons, and whether the answer passes. The value is the
    score. By default the judge's own pass decides, as in legal_eval_v1, and the threshold only
    where it gives none; `passes_by: threshold` leaves it to the threshold alone. For records of
    the policy lexam_oq_v1 the score is rounded half up to tenths and the threshold decides. A
    reply without a readable score from 0 to 1, after being asked again once, is no value: an
    error with the reason.
    """

    title: ClassVar[str] = "Judge by reference"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            says="The score of the judge is the value.",
            subject=Subject(
                prompt="When may a tenant reduce the rent?",
                response="If the flat has a defect.",
                reference_answers=("If a defect lessens the use of the flat.",),
            ),
            answers={
                "1": '{"rationale": "It lacks the lessened use.", "criteria": {"correctness": 0.9, '
                '"completeness": 0.7, "reasoning": 0.8}, "score": 0.84, "pass": true}'
            },
            value=0.84,
        ),
        Example(
            says="For records of lexam_oq_v1 the score is rounded to tenths: 0.65 is 0.7.",
            subject=Subject(
                prompt="Is the contract valid?",
                response="Yes, by consent.",
                reference_answers=("Yes: the parties agree.",),
                policy="lexam_oq_v1",
            ),
            answers={"1": '{"score": 0.65, "rationale": "Thin reasons.", "pass": false}'},
            value=0.7,
        ),
        Example(
            says="Without a reference there is nothing to compare with.",
            subject=Subject(prompt="Is it valid?", response="Yes."),
            value=None,
        ),
    )

    type: Literal["reference_judge"] = "reference_judge"
    threshold: float = threshold(0.7)
    passes_by: Literal["judge", "threshold"] = Field(
        default="judge",
        title="Who decides the pass",
        description="judge: the pass that the judge gives, and the threshold where it gives none. "
        "threshold: the threshold alone.",
    )

    @property
    def wording(self) -> Wording:
        return Wording(system=_SYSTEM, also=_WORDS)

    def inquiries(self, subject: Subject) -> Sequence[Inquiry] | str:
        shown = answer_of(subject)
        if "references" not in shown:
            return NO_REFERENCE
        asked = Inquiry(
            call="1",
            material=shown,
            reply=_BY_TENTHS if policies.rounds_to_tenths(subject.policy) else _REPLY,
            criterion="agreement with the references",
            definition=_DEFINITION,
            scale=_SCALE,
        )
        return [asked]

    def opinion(self, reply: dict[str, Any], text: str) -> Opinion | str:
        parsed = read_judgment(text, self.threshold)
        if parsed.parse_error:
            return (
                "The judge's reply has no score that can be read."
                if json_object(text)
                else (NO_JSON)
            )
        if parsed.clamped:
            return "The judge's reply has a score that is not within 0 and 1."
        tenths = reply == _BY_TENTHS
        value = in_tenths(parsed.score) if tenths else parsed.score
        by_threshold = tenths or self.passes_by == "threshold"
        return Opinion(
            value=value,
            passed=value >= self.threshold if by_threshold else parsed.passed,
            rationale=parsed.rationale,
            said={"criteria": dict(list(parsed.criteria.items())[:MAX_CRITERIA])},
        )

    def concluded(
        self, subject: Subject, opinions: Sequence[Opinion], raw: dict[str, Any]
    ) -> Score:
        said = opinions[0]
        reason = kept(said.rationale, 500)
        agrees = Check(text="The answer agrees with the references", passed=said.passed)
        score = self.scored(
            said.value,
            reason="" if said.passed else reason,
            checks=[agrees.model_copy(update={"evidence": reason})],
            raw={**raw, "criteria": said.said["criteria"]},
        )
        return self.decided(score, said.passed)


def in_tenths(score: float) -> float:
    """Rounded half up to 0.1, by the number as it is written: 0.65 is 0.7."""
    return float(Decimal(repr(score)).quantize(Decimal("0.1"), rounding=ROUND_HALF_UP))


RULES: tuple[type[Rule], ...] = (ReferenceJudge,)
