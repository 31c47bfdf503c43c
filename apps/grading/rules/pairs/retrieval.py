"""Rules on what was retrieved: precision, recall, reciprocal rank, nDCG, sufficiency."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from apps.grading.contracts import Aspect, Check, Score, Subject
from apps.grading.rules.base import Example, Rule, WhenMissing, threshold, when_missing
from apps.grading.rules.pairs.labels import Label, Labels, Unlabelled
from apps.grading.rules.words import kept
from apps.grading.subjects import Chunk

MAX_LISTED = 50
GAIN = {0: 0.0, 1: 1.0, 2: 3.0}
"""2^grade - 1."""
SAID = {
    "relevant": ("is relevant", "is not relevant"),
    "sufficient": ("is enough evidence", "is not enough evidence"),
    "misleading": ("is misleading", "is not misleading"),
}

_LABELLED = Subject(
    chunks=(
        Chunk(id="a", rank=1, relevant=True, sufficient=False, misleading=False),
        Chunk(id="b", rank=2, relevant=False, sufficient=False, misleading=False),
        Chunk(id="c", rank=3, relevant=True, sufficient=True, misleading=False),
        Chunk(id="d", rank=4, relevant=False, sufficient=False, misleading=True),
    )
)


class RetrievalRule(Rule):
    """A metric of the chunks that were retrieved for one query, in the order of their ranks."""

    aspect: ClassVar[Aspect] = "process"
    measure: ClassVar[str]
    label: ClassVar[Label] = "relevant"

    when_missing: WhenMissing = when_missing("skip")
    k: int = Field(
        default=0,
        ge=0,
        le=10_000,
        title="k",
        description="Only the first so many chunks are looked at; 0: all of them.",
    )

    @abstractmethod
    def measured(self, marks: Sequence[bool], top: Sequence[Chunk], labels: Labels) -> float | None:
        """The metric of the first k chunks and their labels; None where it has no meaning."""

    def grade(self, subject: Subject) -> Score:
        labels = Labels(subject)
        if not labels.ranked and not labels.listed:
            return self.cannot_say("The record has no retrieved chunks.")
        top = labels.ranked[: self.k or None]
        try:
            marks = [labels.read(chunk, self.label) for chunk in top]
            value = self.measured(marks, top, labels)
        except Unlabelled as unlabelled:
            return self.cannot_say(str(unlabelled))
        if value is None:
            return self.cannot_say("No chunk is known to be relevant: there is nothing to find.")
        raw = {"metric": self._name, "measured": value, "chunks": len(top)}
        return self.scored(min(value, 1.0), checks=self._checks(top, marks), raw=raw)

    @property
    def _name(self) -> str:
        return f"{self.measure}@{self.k}" if self.k else self.measure

    def _checks(self, top: Sequence[Chunk], marks: Sequence[bool]) -> list[Check]:
        yes, no = SAID[self.label]
        pairs = list(zip(top, marks, strict=True))[:MAX_LISTED]
        return [
            Check(text=f"Chunk {kept(chunk.id, 60)} {yes if mark else no}", passed=mark)
            for chunk, mark in pairs
        ]


class Precision(RetrievalRule):
    """The share of the first k chunks that are relevant to the query.

    Where fewer than k chunks came, of those that did; nothing retrieved is 0. Manning, Raghavan
    and Schütze 2008, Introduction to Information Retrieval, section 8.4. A chunk is relevant by
    its label, or where the record lists its id among the relevant ones; one of which neither is
    known leaves the rule without a score.
    """

    title = "Precision@k"
    measure = "topical_precision"
    examples = (
        Example(says="Two of four chunks are relevant.", subject=_LABELLED, value=0.5),
        Example(says="The first one is.", settings={"k": 1}, subject=_LABELLED, value=1.0),
        Example(
            says="Nobody said whether the chunk is relevant.",
            subject=Subject(chunks=(Chunk(id="a", rank=1),)),
            value=None,
        ),
    )

    type: Literal["precision_at_k"] = "precision_at_k"
    threshold: float = threshold(0.5)

    def measured(self, marks: Sequence[bool], top: Sequence[Chunk], labels: Labels) -> float | None:
        return _share(marks)


class Recall(RetrievalRule):
    """The share of all chunks known to be relevant that are among the first k.

    Known to be relevant are the ids that the record lists and the chunks labelled so. Where none
    is known there is nothing to find, and no score. Manning, Raghavan and Schütze 2008,
    Introduction to Information Retrieval, section 8.3.
    """

    title = "Recall@k"
    measure = "recall"
    examples = (
        Example(
            says="One of the two relevant chunks is among the first two.",
            settings={"k": 2},
            subject=_LABELLED,
            value=0.5,
        ),
        Example(
            says="One of the two ids that the record lists was retrieved.",
            subject=Subject(chunks=(Chunk(id="a", rank=1),), relevant_chunk_ids=("a", "z")),
            value=0.5,
        ),
    )

    type: Literal["recall_at_k"] = "recall_at_k"
    threshold: float = threshold(0.5)

    def measured(self, marks: Sequence[bool], top: Sequence[Chunk], labels: Labels) -> float | None:
        known = labels.relevant_ids()
        found = known & {chunk.id for chunk in top}
        return len(found) / len(known) if known else None


class ReciprocalRank(RetrievalRule):
    """1 divided by the place of the first relevant chunk; 0 where none of the first k is.

    Its mean over a run is MRR@k. Voorhees 1999, The TREC-8 Question Answering Track Report.
    """

    title = "Reciprocal rank (MRR@k)"
    measure = "mrr"
    examples = (
        Example(
            says="The first relevant chunk is the second one.",
            subject=Subject(
                chunks=(
                    Chunk(id="a", rank=1, relevant=False),
                    Chunk(id="b", rank=2, relevant=True),
                )
            ),
            value=0.5,
        ),
    )

    type: Literal["mrr_at_k"] = "mrr_at_k"
    threshold: float = threshold(0.5)

    def measured(self, marks: Sequence[bool], top: Sequence[Chunk], labels: Labels) -> float | None:
        return 1 / next((place for place, mark in enumerate(marks, 1) if mark), math.inf)


class Ndcg(RetrievalRule):
    """How near the order of the first k chunks comes to the best order, with two grades.

    A chunk that is enough evidence for an answer has grade 2, one of which only relevance is
    known 1, any other 0. The gain 2^grade - 1 of each chunk is divided by log2(place + 1) and
    summed; the value is that sum divided by the same of the best order of all known chunks, those
    that are relevant and were not retrieved included; it is 0 where that is 0. Järvelin and
    Kekäläinen 2002, Cumulated Gain-Based Evaluation of IR Techniques; the gain as in Burges and
    others 2005.
    """

    title = "nDCG@k"
    measure = "ndcg"
    examples = (
        Example(
            says="The best chunk comes third: 2.5 of 3.63.",
            subject=_LABELLED,
            value=0.6885288809404666,
        ),
    )

    type: Literal["ndcg_at_k"] = "ndcg_at_k"
    threshold: float = threshold(0.5)

    def measured(self, marks: Sequence[bool], top: Sequence[Chunk], labels: Labels) -> float | None:
        best = sorted(labels.all_grades(), reverse=True)[: self.k or None]
        ideal = _discounted(best)
        return _discounted([labels.grade(chunk) for chunk in top]) / ideal if ideal else 0.0


class SufficiencyHit(RetrievalRule):
    """1 if any of the first k chunks is enough evidence for an answer by itself, otherwise 0.

    A chunk that is not relevant cannot be enough, and needs no other label.
    """

    title = "Sufficient evidence found"
    measure = "sufficiency_hit"
    label = "sufficient"
    examples = (
        Example(says="The third chunk is enough.", subject=_LABELLED, value=1.0),
        Example(says="The first two are not.", settings={"k": 2}, subject=_LABELLED, value=0.0),
    )

    type: Literal["sufficiency_hit"] = "sufficiency_hit"

    def measured(self, marks: Sequence[bool], top: Sequence[Chunk], labels: Labels) -> float | None:
        return float(any(marks))


class SufficiencyRate(RetrievalRule):
    """The share of the first k chunks that are enough evidence for an answer by themselves."""

    title = "Sufficiency rate"
    measure = "sufficiency_rate"
    label = "sufficient"
    examples = (Example(says="One of four chunks is enough.", subject=_LABELLED, value=0.25),)

    type: Literal["sufficiency_rate"] = "sufficiency_rate"
    threshold: float = threshold(0.5)

    def measured(self, marks: Sequence[bool], top: Sequence[Chunk], labels: Labels) -> float | None:
        return _share(marks)


class MisleadingRate(RetrievalRule):
    """The share of the first k chunks that are misleading; the value is 1 minus that share.

    As a score more must be better, so negate is on here unless it is switched off: no misleading
    chunk is a 1. The share itself is kept beside the value, as measured.
    """

    title = "Misleading context rate"
    measure = "misleading_context_rate"
    label = "misleading"
    examples = (
        Example(says="One of four chunks misleads: 1 - 0.25.", subject=_LABELLED, value=0.75),
        Example(
            says="The share itself.", settings={"negate": False}, subject=_LABELLED, value=0.25
        ),
    )

    type: Literal["misleading_rate"] = "misleading_rate"
    negate: bool = Field(
        default=True,
        title="Negate",
        description="On: the value is 1 - share, so that no misleading chunk is a 1.",
    )

    def measured(self, marks: Sequence[bool], top: Sequence[Chunk], labels: Labels) -> float | None:
        return _share(marks)


def _share(marks: Sequence[bool]) -> float:
    return sum(marks) / len(marks) if marks else 0.0


def _discounted(grades: Sequence[int]) -> float:
    return sum(GAIN[grade] / math.log2(place + 1) for place, grade in enumerate(grades, 1))


RULES: tuple[type[Rule], ...] = (
    Precision,
    Recall,
    ReciprocalRank,
    Ndcg,
    SufficiencyHit,
    SufficiencyRate,
    MisleadingRate,
)
