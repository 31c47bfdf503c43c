"""A rule that asks a model: the settings, the questions and the score that all judges share."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from apps.contract import Contract
from apps.grading.contracts import Answer, Question, Score, Subject, Verdict
from apps.grading.rules.base import Rule
from apps.grading.rules.words import kept

from .material import Lines
from .voting import Opinion, PanelMode, Seat, Voice, Vote, seats, voted
from .wording import LONGEST_TEMPLATE, Wording, template_complaint

LONGEST_JUDGE = 120
MAX_PANEL = 9
OF_THE_DATA = "of_the_data"
"""The key of the validation context of rules that came with the data."""


class Inquiry(Contract):
    """One thing to ask about an answer.

    `criterion`, `definition` and `scale` are words of ours alone: whatever comes from a record,
    a dataset or a setting that data may bring belongs into `material`. `reply` is its shape.
    """

    call: str
    material: dict[str, Any]
    reply: dict[str, Any]
    criterion: str = "overall"
    definition: str = ""
    scale: str = ""

    @property
    def fills(self) -> dict[str, str]:
        return {
            "criterion": self.criterion,
            "definition": self.definition,
            "scale": self.scale,
        }


class JudgeRule(Rule):
    """A rule that needs a model's opinion; it stays pure, the run engine makes the calls.

    For each question of `ask` the engine calls the judge. If `complaint` finds the text
    unreadable it asks `reask` once, and gives the last answer of each question to `settle`. A
    question that stays without a readable answer leaves the whole rule without a score.
    """

    method: ClassVar[str] = "judge"

    judge: str = Field(
        default="",
        max_length=LONGEST_JUDGE,
        title="Judge",
        description="The name of the target that judges; empty: the judge named for the run.",
    )
    panel: tuple[Annotated[str, Field(max_length=LONGEST_JUDGE)], ...] = Field(
        default=(),
        max_length=MAX_PANEL,
        title="Panel",
        description="The names of several targets that judge instead of one; an empty name is "
        "the judge named for the run.",
    )
    panel_mode: PanelMode = Field(
        default="round_robin",
        title="How the panel works",
        description="round_robin: the judges take the questions in turn. majority: each judge "
        "answers each question, and more than half of them decide pass or fail; the value is the "
        "mean of those who decide. A tie is no score: the answer goes to review.",
    )
    template: str = Field(
        default="",
        max_length=LONGEST_TEMPLATE,
        title="Prompt template",
        description="The message to the judge in your words; empty: ours. It must hold "
        "{{material}} once, where the question and the answer stand as one line of JSON, and may "
        "hold {{criterion}}, {{definition}} and {{scale}}. The keys of the reply are added.",
    )

    @field_validator("panel")
    @classmethod
    def _each_once(cls, panel: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(panel)) < len(panel):
            raise ValueError("a judge may sit in a panel only once")
        return panel

    @field_validator("template")
    @classmethod
    def _can_be_used(cls, template: str, info: ValidationInfo) -> str:
        if template and info.context and info.context.get(OF_THE_DATA):
            raise ValueError("data may not bring the words that instruct a judge")
        if template and (complaint := template_complaint(template)):
            raise ValueError(f"the template cannot be used: {complaint}")
        return template

    @model_validator(mode="after")
    def _judge_or_panel(self) -> Self:
        if self.judge and self.panel:
            raise ValueError("name a judge or a panel, not both")
        return self

    @property
    def judge_names(self) -> tuple[str, ...]:
        return self.panel or (self.judge,)

    @property
    def verifier(self) -> str:
        return f"{self.type}@{self.version}:{self.words.sha256[:16]}"

    @property
    @abstractmethod
    def wording(self) -> Wording:
        """Our words; `also` names all others that a judge may read by this rule's settings."""

    @abstractmethod
    def inquiries(self, subject: Subject) -> Sequence[Inquiry] | str:
        """What to ask about this answer, with the same calls each time; or why nothing can be."""

    @abstractmethod
    def opinion(self, reply: dict[str, Any], text: str) -> Opinion | str:
        """What a text says to a question with this shape of reply, or one sentence of complaint.

        The complaint is told to the judge: it never repeats the judge's own words.
        """

    @abstractmethod
    def concluded(
        self, subject: Subject, opinions: Sequence[Opinion], raw: dict[str, Any]
    ) -> Score:
        """The score by the opinions, one for each of `inquiries`."""

    @property
    def words(self) -> Wording:
        """The words in force: with the contract's template where it has one."""
        return (
            self.wording.model_copy(update={"user": self.template})
            if self.template
            else (self.wording)
        )

    def ask(self, subject: Subject) -> tuple[Question, ...]:
        found = self.inquiries(subject)
        return () if isinstance(found, str) else tuple(self._questions(found))

    def complaint(self, question: Question, text: str) -> str:
        opinion = self.opinion(question.reply, text)
        return opinion if isinstance(opinion, str) else ""

    def reask(self, question: Question, bad_text: str) -> Question:
        complaint = self.complaint(question, bad_text)
        again = self.words.asked_again(complaint, bad_text, question.reply)
        return question.model_copy(update={"user": question.user + again})

    def settle(self, subject: Subject, answers: Sequence[Answer]) -> Score:
        found = self.inquiries(subject)
        if isinstance(found, str):
            return self.cannot_say(found)
        heard = self._heard(found, {answer.call: answer for answer in answers})
        votes = [voted(voices) for voices in heard]
        raw = self.kept_of(found, heard, votes)
        if missing := self._missing(found, votes, raw):
            return missing
        return self.concluded(subject, [vote.opinion for vote in votes if vote.opinion], raw)

    def grade(self, subject: Subject) -> Score:
        return self.settle(subject, ())

    def message(self, inquiry: Inquiry, line: str) -> str:
        """What is asked, with the material as this line."""
        return self.words.message(inquiry.fills, line, inquiry.reply)

    def kept_of(
        self, inquiries: Sequence[Inquiry], heard: Sequence[Sequence[Voice]], votes: Sequence[Vote]
    ) -> dict[str, Any]:
        """What is kept of every judge's opinion in the score's `raw`."""
        return {
            "opinions": [
                {"criterion": inquiry.criterion, **voice.kept}
                for inquiry, voices in zip(inquiries, heard, strict=True)
                for voice in voices
            ]
        }

    def decided(self, score: Score, passed: bool, reason: str = "") -> Score:
        """The score with another verdict than its value has by the threshold; negated with it."""
        failing: Verdict = "fail" if self.decides else "warn"
        verdict: Verdict = "pass" if passed is not self.negate else failing
        return score.model_copy(update={"verdict": verdict, "reason": reason or score.reason})

    def _questions(self, inquiries: Sequence[Inquiry]) -> Iterator[Question]:
        words, lines = self.words, Lines()
        for place, inquiry in enumerate(inquiries):
            user = self.message(inquiry, lines.of(inquiry.material))
            for seat in self._seats(place, inquiry):
                yield Question(
                    call=seat.call,
                    system=words.system,
                    user=user,
                    judge=seat.judge,
                    reply=inquiry.reply,
                )

    def _heard(
        self, inquiries: Sequence[Inquiry], answers: Mapping[str, Answer]
    ) -> list[list[Voice]]:
        return [
            [
                self._voice(seat, inquiry, answers.get(seat.call))
                for seat in self._seats(place, inquiry)
            ]
            for place, inquiry in enumerate(inquiries)
        ]

    def _seats(self, place: int, inquiry: Inquiry) -> tuple[Seat, ...]:
        return seats(inquiry.call, place, self.judge_names, self.panel_mode)

    def _voice(self, seat: Seat, inquiry: Inquiry, answer: Answer | None) -> Voice:
        if answer is None:
            return Voice(seat, "The judge was not asked.")
        if answer.text is None:
            return Voice(seat, answer.reason or "The judge gave no answer.")
        return Voice(seat, self.opinion(inquiry.reply, answer.text))

    def _missing(
        self, inquiries: Sequence[Inquiry], votes: Sequence[Vote], raw: dict[str, Any]
    ) -> Score | None:
        """The score without a value where a question has no opinion."""
        pairs = list(zip(inquiries, votes, strict=True))
        if broken := [(each, voice) for each, vote in pairs for voice in vote.broken]:
            reasons = [f"{each.criterion}: {self._who(voice)}" for each, voice in broken]
            return self.broke(kept("; ".join(reasons), 1_000), raw=raw)
        if ties := [(each, vote.tie) for each, vote in pairs if vote.tie]:
            named = ", ".join(each.criterion for each, _ in ties)
            where = f": {kept(named, 500)}" if len(pairs) > 1 else ""
            reason = f"The judges disagree ({ties[0][1]}): for review{where}"
            return self.cannot_say(reason, raw=raw).model_copy(update={"for_review": True})
        return None

    def _who(self, voice: Voice) -> str:
        return f"{voice.opinion} ({voice.seat.judge})" if self.panel else str(voice.opinion)

    def _score(self, verdict: Verdict, **said: Any) -> Score:
        panel = " + ".join(name or "the judge of the run" for name in self.panel)
        names = kept(panel, LONGEST_JUDGE - 1) if panel else self.judge
        return super()._score(verdict, **said).model_copy(update={"judge": names})
