"""A judge that works through a rubric, criterion by criterion."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from apps.grading.contracts import Score, Subject
from apps.grading.rules.base import Example, Rule, threshold
from apps.grading.rules.judging import Inquiry, JudgeRule, Opinion, Wording, criteria
from apps.grading.rules.judging.aggregating import aggregate
from apps.grading.rules.judging.criteria import Marked, Marks
from apps.grading.rules.judging.material import answer_of
from apps.grading.rules.judging.rubric_item import Item
from apps.grading.rules.judging.wording import system
from apps.grading.rules.words import kept
from apps.grading.subjects import RubricItem

MAX_CRITERIA = 100
MAX_CHARACTERS = 20_000_000
AGGREGATE = "deterministic_rubric_aggregation"
"""The key in `raw` of how the score was computed; the name is that of legal_eval_v1."""

_SYSTEM = system(
    "judge one answer of a language-model system by one criterion",
    "A criterion may describe something good or something bad: it is met where the answer does "
    "what it describes. What follows from that is not yours to weigh. Judge by this criterion "
    "alone, whatever else is good or bad about the answer.",
    "question",
    "conversation",
    "answer",
    "references",
    "context",
    "criterion",
)
_SYSTEM_OF_ALL = system(
    "judge one answer of a language-model system by several criteria",
    "A criterion may describe something good or something bad: it is met where the answer does "
    "what it describes. What follows from that is not yours to weigh. Judge each by itself.",
    "question",
    "conversation",
    "answer",
    "references",
    "context",
    "criteria",
)


class RubricJudge(JudgeRule):
    """A model answers for each criterion of a rubric whether the answer meets it.

    The rubric is that of the rule (`items`), else that of the record, else the record's criteria
    as one item. Each criterion is one question. A met criterion counts 1, others 0; one with
    score ranges gets a whole number from 0 to 10, counts a tenth of it and is met from 7.

    With weights w and scores s the value is (sum of w s - sum of the negative w) / (sum of the
    positive w - sum of the negative w): a criterion with a negative weight is something that an
    answer should not do. Where all weights are 0 the value is the plain mean. A criterion that
    is required and not met, or below its least score, fails the rule and leaves the value as it
    is. If one criterion has no readable reply there is no value at all: an error with the
    reason. The default threshold is that of legal_eval_v1; agentv's is 0.8.
    """

    title: ClassVar[str] = "Judge by rubric"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(
            says="A criterion of weight 2 is met and one of weight 1 is not: 2 of 3.",
            subject=Subject(
                prompt="What may the tenant do?",
                response="The tenant may reduce the rent.",
                rubric=(
                    RubricItem(id="remedy", title="Names the reduction of rent", weight=2),
                    RubricItem(id="notice", title="Says that the landlord must be told"),
                ),
            ),
            answers={
                "1": '{"criteria_met": true, "rationale": "It does."}',
                "2": '{"criteria_met": false, "rationale": "It does not."}',
            },
            value=2 / 3,
        ),
        Example(
            says="Of what an answer should not do nothing was found: 1.",
            settings={
                "items": [
                    {"id": "good", "title": "Cites the statute", "weight": 8},
                    {"id": "bad", "title": "Invents a case", "weight": -5},
                ]
            },
            subject=Subject(prompt="Is it lawful?", response="Yes, by section 536."),
            answers={
                "1": '{"criteria_met": "yes", "rationale": "Section 536."}',
                "2": '{"criteria_met": "no", "rationale": "No case is named."}',
            },
            value=1.0,
        ),
        Example(
            says="The mark 6 of a criterion with score ranges counts 0.6.",
            settings={
                "items": [
                    {"id": "accuracy", "score_ranges": {"0-3": "Wrong", "4-10": "Mostly right"}}
                ]
            },
            subject=Subject(prompt="Sum it up.", response="Ice melts."),
            answers={"1": '{"score": 6, "rationale": "It misses the sea level."}'},
            value=0.6,
        ),
        Example(
            says="One criterion without a readable reply leaves no value.",
            settings={"items": [{"id": "remedy", "title": "Names the reduction of rent"}]},
            subject=Subject(prompt="What may the tenant do?", response="Pay less."),
            answers={"1": "It does, I think."},
            value=None,
        ),
    )

    type: Literal["rubric_judge"] = "rubric_judge"
    threshold: float = threshold(0.7)
    items: tuple[Item, ...] = Field(
        default=(),
        max_length=MAX_CRITERIA,
        title="Criteria",
        description="The rubric; empty: that of each record.",
    )
    marks: Marks = Field(
        default="met",
        title="Marks",
        description="met: each criterion is met or not. share: it gets a number from 0 to 1. "
        "Criteria with score ranges get a whole number from 0 to 10 either way.",
    )
    questions: Literal["each", "all"] = Field(
        default="each",
        title="Questions",
        description="each: every criterion is a question of its own. all: one question for the "
        "whole rubric, which is cheaper; not with score ranges, operators or a majority.",
    )

    @field_validator("items")
    @classmethod
    def _can_be_judged(cls, items: tuple[Item, ...]) -> tuple[Item, ...]:
        if len({item.id for item in items}) < len(items):
            raise ValueError("two criteria have the same id")
        if trouble := criteria.trouble(items):
            raise ValueError(trouble)
        return items

    @model_validator(mode="after")
    def _fits_one_question(self) -> Self:
        if self.questions == "all" and self.panel and self.panel_mode == "majority":
            raise ValueError("a majority of judges needs a question for each criterion")
        return self

    @property
    def wording(self) -> Wording:
        each = self.questions == "each"
        return Wording(system=_SYSTEM if each else _SYSTEM_OF_ALL, also=criteria.WORDS)

    def inquiries(self, subject: Subject) -> Sequence[Inquiry] | str:
        items = self._items(subject)
        if not items:
            return "The record has no rubric."
        if len(items) > MAX_CRITERIA:
            return f"The rubric has {len(items):,} criteria; at most {MAX_CRITERIA} are judged."
        if trouble := criteria.trouble(items):
            return f"The rubric cannot be used: {trouble}."
        if self.questions == "all":
            return self._inquiry_of_all(items, subject)
        shown = answer_of(subject)
        if (size := len(items) * len(str(shown))) > MAX_CHARACTERS:
            most = f"at most {MAX_CHARACTERS:,} are sent"
            return f"The questions would have {size:,} characters; {most}."
        return [
            self._inquiry(place, item, shown, subject.policy)
            for place, item in enumerate(items, start=1)
        ]

    def opinion(self, reply: dict[str, Any], text: str) -> Opinion | str:
        read = criteria.opinion_of_all if "criteria" in reply else criteria.opinion
        return read(reply, text, self.threshold)

    def concluded(
        self, subject: Subject, opinions: Sequence[Opinion], raw: dict[str, Any]
    ) -> Score:
        marked = self._marked(self._items(subject), opinions)
        if isinstance(marked, str):
            return self.broke(marked, raw=raw)
        found = aggregate(
            [each.item.weight for each in marked],
            [each.score for each in marked],
            without_weights=self._without_weights(marked, opinions),
        )
        score = self.scored(
            found.weighted_score,
            checks=[each.check for each in marked],
            raw={**raw, "criteria": _by_id(marked), AGGREGATE: found.model_dump()},
        )
        missed = [criteria.text_of(each.item) for each in marked if each.misses]
        if not missed:
            return score
        return self.decided(score, False, f"Required and not met: {kept('; '.join(missed), 500)}")

    def _items(self, subject: Subject) -> Sequence[RubricItem]:
        if self.items or subject.rubric:
            return self.items or subject.rubric
        wanted = subject.criteria.strip()
        return (RubricItem(id="criteria", description=wanted),) if wanted else ()

    def _inquiry(
        self, place: int, item: RubricItem, answer: dict[str, Any], policy: str
    ) -> Inquiry:
        definition, scale = criteria.definition(item, self.marks)
        return Inquiry(
            call=str(place),
            material={"criterion": criteria.shown(item), **answer},
            reply=criteria.reply_to(item, self.marks, policy),
            criterion=f"criterion_{place}",
            definition=definition,
            scale=scale,
        )

    def _inquiry_of_all(
        self, items: Sequence[RubricItem], subject: Subject
    ) -> Sequence[Inquiry] | str:
        if any(item.score_ranges or item.operator for item in items):
            return "Score ranges and operators need a question for each criterion."
        shown = {f"criterion_{n}": criteria.shown(item) for n, item in enumerate(items, start=1)}
        asked = Inquiry(
            call="all",
            material={"criteria": shown, **answer_of(subject)},
            reply=criteria.reply_to_all(len(items), self.marks),
            criterion="all",
            definition=criteria.ALL,
            scale=criteria.SHARES if self.marks == "share" else criteria.YES_OR_NO,
        )
        return [asked]

    def _marked(
        self, items: Sequence[RubricItem], opinions: Sequence[Opinion]
    ) -> Sequence[Marked] | str:
        if self.questions == "all":
            return criteria.marked_of_all(items, opinions[0], self.marks, self.threshold)
        return [
            Marked(item, opinion.value, opinion.passed, opinion.rationale)
            for item, opinion in zip(items, opinions, strict=True)
        ]

    def _without_weights(self, marked: Sequence[Marked], opinions: Sequence[Opinion]) -> float:
        if self.questions == "all":
            return opinions[0].value
        return sum(each.score for each in marked) / len(marked)


def _by_id(marked: Sequence[Marked]) -> dict[str, float]:
    """The score of each criterion; a repeated id has its place behind it."""
    scores: dict[str, float] = {}
    for place, each in enumerate(marked, start=1):
        name = kept(each.item.id, 200)
        scores[f"{name} ({place})" if name in scores else name] = each.score
    return scores


RULES: tuple[type[Rule], ...] = (RubricJudge,)
