"""The yes-or-no questions about query-response pairs, and what their answers must agree on.

Three families of the query-response annotation: retrieval asks about each chunk, grounding about
the answer and its context, relevance about the answer and its query. The words are ours; the
names are those of the labels that people give.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Literal

from apps.contract import Contract
from apps.grading.rules.judging.shapes import FAULT, PLAIN, TEXT, YES_NO

Answers = Mapping[str, bool]


class YesNo(Contract):
    """A question; `good` is the answer that speaks for the system.

    `plain` is one that is answered by looking, and says little of the answer's quality by itself.
    """

    label: str
    asks: str
    good: bool = True
    plain: bool = False

    @property
    def phrase(self) -> str:
        """What a reply holds for it."""
        if self.plain:
            return PLAIN
        return YES_NO if self.good else FAULT


class Constraint(Contract):
    """If `when` is yes, `then` must be `wanted`. block: an answer against it cannot be right."""

    id: str
    when: str
    then: str
    wanted: bool
    severity: Literal["block", "warn"]

    def broken_by(self, said: Answers) -> bool:
        return said[self.when] and said[self.then] is not self.wanted

    @property
    def complaint(self) -> str:
        """As the exports of annotations write it."""
        return f"{self.when}=True but {self.then}={not self.wanted}"


class Questions(Contract):
    """The questions of one family with their constraints."""

    asked: tuple[YesNo, ...]
    constraints: tuple[Constraint, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(question.label for question in self.asked)

    @property
    def listed(self) -> str:
        """All of them for the judge, one a line."""
        return "\n".join(f"- {question.label}: {question.asks}" for question in self.asked)

    @property
    def reply(self) -> dict[str, str]:
        """The shape of a reply to all of them at once."""
        return {**{each.label: each.phrase for each in self.asked}, "rationale": TEXT}

    @property
    def words(self) -> str:
        """All that a judge reads of them, for the hash of its prompts."""
        return json.dumps(self.model_dump(mode="json"), sort_keys=True)

    def good(self, said: Answers) -> dict[str, bool]:
        """By label, whether the answer speaks for the system."""
        return {each.label: said[each.label] is each.good for each in self.asked}

    def contradictions(self, said: Answers, severity: str) -> Sequence[str]:
        return [
            each.complaint
            for each in self.constraints
            if each.severity == severity and each.broken_by(said)
        ]


RETRIEVAL = Questions(
    asked=(
        YesNo(
            label="topically_relevant",
            asks="Is the passage about what the question asks?",
        ),
        YesNo(
            label="evidence_sufficient",
            asks="Could the question be answered well from this passage alone? Only a passage "
            "that is topically relevant can be enough.",
        ),
        YesNo(
            label="misleading",
            asks="Would somebody who relies on the passage be led to a wrong answer to this "
            "question, because it is out of date, about something similar, or false?",
            good=False,
        ),
    ),
    constraints=(
        Constraint(
            id="evidence_requires_relevance",
            when="evidence_sufficient",
            then="topically_relevant",
            wanted=True,
            severity="block",
        ),
        Constraint(
            id="evidence_excludes_misleading",
            when="evidence_sufficient",
            then="misleading",
            wanted=False,
            severity="warn",
        ),
    ),
)

GROUNDING = Questions(
    asked=(
        YesNo(
            label="support_present",
            asks="Does the context support at least the main claim of the answer?",
        ),
        YesNo(
            label="unsupported_claim_present",
            asks="Does the answer claim anything that the context does not support? A claim that "
            "the context contradicts is one of these.",
            good=False,
        ),
        YesNo(
            label="contradicted_claim_present",
            asks="Does the answer claim anything that the context contradicts?",
            good=False,
        ),
        YesNo(
            label="source_cited",
            asks="Does the answer name a source of what it says: a title, a number, an address?",
            plain=True,
        ),
        YesNo(
            label="fabricated_source",
            asks="Does the answer cite a source that the context does not hold? Only an answer "
            "that cites one can.",
            good=False,
        ),
    ),
    constraints=(
        Constraint(
            id="contradiction_requires_unsupported",
            when="contradicted_claim_present",
            then="unsupported_claim_present",
            wanted=True,
            severity="block",
        ),
        Constraint(
            id="fabricated_requires_cited",
            when="fabricated_source",
            then="source_cited",
            wanted=True,
            severity="block",
        ),
    ),
)

RELEVANCE = Questions(
    asked=(
        YesNo(
            label="proper_action",
            asks="Does the answer do what it should here: reply, ask back or decline, whichever "
            "the question calls for?",
        ),
        YesNo(
            label="response_on_topic",
            asks="Is the answer about what was asked?",
        ),
        YesNo(
            label="helpful",
            asks="Does the answer help the person who asked to get on?",
        ),
        YesNo(
            label="incomplete",
            asks="Does the answer leave out a part of what was asked?",
            good=False,
        ),
        YesNo(
            label="unsafe_content",
            asks="Does the answer hold anything harmful, insulting or dangerous to act on?",
            good=False,
        ),
    ),
)
