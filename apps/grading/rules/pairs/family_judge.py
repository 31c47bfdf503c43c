"""What the judges of query-response pairs share: yes-or-no questions, answered all in one reply."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from apps.grading.contracts import Check, Score, Subject
from apps.grading.rules.base import WhenMissing, when_missing
from apps.grading.rules.judging import Inquiry, JudgeRule, Opinion, Wording
from apps.grading.rules.judging.material import answer_of
from apps.grading.rules.judging.shapes import read
from apps.grading.rules.judging.wording import system
from apps.grading.rules.pairs.pair_questions import Questions
from apps.grading.subjects import Chunk

TEMPLATE = """\
Answer each of these questions with true for yes and false for no:
{{definition}}

{{material}}

Judge what is inside the material, each question for itself.
"""
ADVICE = """\
Judge by the material and by what is generally known, never by what you would have answered. \
Answer every question, and true only where you could show why."""


class FamilyJudge(JudgeRule):
    """What the three families share: yes-or-no questions, answered all in one strict reply."""

    questions: ClassVar[Questions]
    family: ClassVar[tuple[str, ...]]
    """The labels that `label: family` counts."""
    spoken: ClassVar[Wording]

    when_missing: WhenMissing = when_missing("skip")
    label: Any = "family"

    @property
    def wording(self) -> Wording:
        return self.spoken

    @property
    def counted(self) -> tuple[str, ...]:
        """The labels that make the value."""
        named = {"family": self.family, "all": self.questions.labels}
        return named.get(self.label, (self.label,))

    def inquiry(self, call: str, material: Mapping[str, Any]) -> Inquiry:
        return Inquiry(
            call=call,
            material=dict(material),
            reply=self.questions.reply,
            criterion=call.replace("_", " "),
            definition=self.questions.listed,
        )

    def opinion(self, reply: dict[str, Any], text: str) -> Opinion | str:
        found = read(reply, text)
        if isinstance(found, str):
            return found
        said = {label: found[label] for label in self.questions.labels}
        if broken := self.questions.contradictions(said, "block"):
            return f"The judge's reply contradicts itself: {'; '.join(broken)}."
        value = self._value(said)
        return Opinion(
            value=value, passed=value >= self.threshold, rationale=found["rationale"], said=said
        )

    def checks(self, said: Mapping[str, bool], about: str = "") -> Iterator[Check]:
        """What counts of a reply, and what should make people look at it again."""
        good = self.questions.good(said)
        for label in self.counted:
            answer = "yes" if said[label] else "no"
            yield Check(text=f"{about}{label}: {answer}", passed=good[label])
        for doubt in self.questions.contradictions(said, "warn"):
            yield Check(text=f"{about}worth a look: {doubt}", passed=False)

    def _value(self, said: Mapping[str, bool]) -> float:
        good = self.questions.good(said)
        marks = [good[label] for label in self.counted]
        return sum(marks) / len(marks) if self.label == "all" else float(all(marks))


class AnswerJudge(FamilyJudge):
    """A family that asks about the answer as a whole, in one question."""

    def concluded(
        self, subject: Subject, opinions: Sequence[Opinion], raw: dict[str, Any]
    ) -> Score:
        (opinion,) = opinions
        raw = {**raw, "label": self.label}
        return self.scored(opinion.value, checks=list(self.checks(opinion.said)), raw=raw)


def words_of(questions: Questions, task: str, *keys: str) -> Wording:
    """All that a judge of a family reads."""
    return Wording(system=system(task, ADVICE, *keys), user=TEMPLATE, also=questions.words)


def asked(subject: Subject) -> dict[str, Any]:
    """The question, and the conversation that led to it."""
    shown = answer_of(subject, references=False)
    return {key: shown[key] for key in ("question", "conversation") if key in shown}


def ranked(subject: Subject) -> list[Chunk]:
    return sorted(subject.chunks, key=lambda chunk: chunk.rank)
