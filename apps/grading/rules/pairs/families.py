"""Judges of query-response pairs: retrieval, grounding and relevance."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from apps.grading.contracts import Aspect, Score, Subject
from apps.grading.rules.base import Example, Rule
from apps.grading.rules.judging import Inquiry, Opinion
from apps.grading.rules.pairs.family_judge import AnswerJudge, FamilyJudge, asked, ranked, words_of
from apps.grading.rules.pairs.pair_questions import GROUNDING, RELEVANCE, RETRIEVAL
from apps.grading.rules.words import kept
from apps.grading.subjects import Chunk

MAX_CHUNKS = 100
WHAT_COUNTS = "What counts"


_CHUNKS = (
    Chunk(id="a", rank=1, text="Lamps come in three colours."),
    Chunk(id="b", rank=2, text="Unused goods can be returned within 60 days."),
)
_PAIR = Subject(
    prompt="Can I return a lamp?", response="Yes, within 60 days, see [b].", chunks=_CHUNKS
)
_TOPICAL = '{"topically_relevant": true, "evidence_sufficient": false, "misleading": false, '
_ENOUGH = '{"topically_relevant": true, "evidence_sufficient": true, "misleading": false, '


class RetrievalJudge(FamilyJudge):
    """A model says of each retrieved chunk whether it is relevant, enough evidence, misleading.

    Each chunk is one question, and a reply answers topically_relevant, evidence_sufficient and
    misleading with yes or no. What is enough must be relevant: a reply against that is asked for
    again. One that is enough and misleading at once stands, with a note among the checks.

    The value is 1 if any chunk is enough evidence (label family); or the share of chunks for
    which the one question chosen is answered the good way, for misleading that is no; or the
    share of good answers to all three (label all). Only the first so many chunks by rank are
    asked about. A record without chunks has nothing to judge.
    """

    title = "Judge of retrieval"
    aspect: ClassVar[Aspect] = "process"
    questions = RETRIEVAL
    spoken = words_of(
        RETRIEVAL,
        "judge one text that was retrieved for a question",
        "question",
        "conversation",
        "passage",
    )
    family = ("evidence_sufficient",)
    examples = (
        Example(
            says="The second chunk is enough evidence.",
            subject=_PAIR,
            answers={
                "chunk_1": _TOPICAL + '"rationale": "On lamps, not on returns."}',
                "chunk_2": _ENOUGH + '"rationale": "It states the term."}',
            },
            value=1.0,
        ),
        Example(
            says="One of two chunks is enough: the share of that question.",
            settings={"label": "evidence_sufficient"},
            subject=_PAIR,
            answers={
                "chunk_1": _TOPICAL + '"rationale": "On lamps, not on returns."}',
                "chunk_2": _ENOUGH + '"rationale": "It states the term."}',
            },
            value=0.5,
        ),
    )

    type: Literal["retrieval_judge"] = "retrieval_judge"
    label: Literal["family", "all", "topically_relevant", "evidence_sufficient", "misleading"] = (
        Field(
            default="family",
            title=WHAT_COUNTS,
            description="family: whether any chunk is enough evidence. all: the share of good "
            "answers to all questions. Else the share of chunks for which this question is "
            "answered the good way.",
        )
    )
    most_chunks: int = Field(
        default=20,
        ge=1,
        le=MAX_CHUNKS,
        title="Most chunks",
        description="So many chunks are asked about at most, those of the first ranks; each is "
        "one call of the judge.",
    )

    def inquiries(self, subject: Subject) -> Sequence[Inquiry] | str:
        shown = asked(subject)
        return [
            self.inquiry(f"chunk_{place}", {**shown, "passage": chunk.text})
            for place, chunk in enumerate(self._judged(subject), 1)
        ] or "The record has no retrieved chunks."

    def concluded(
        self, subject: Subject, opinions: Sequence[Opinion], raw: dict[str, Any]
    ) -> Score:
        chunks = self._judged(subject)
        values = [opinion.value for opinion in opinions]
        pairs = list(zip(chunks, opinions, strict=True))
        enough = [chunk.id for chunk, each in pairs if each.said["evidence_sufficient"]]
        return self.scored(
            max(values) if self.label == "family" else min(sum(values) / len(values), 1.0),
            checks=[
                check
                for chunk, each in pairs
                for check in self.checks(each.said, f"Chunk {kept(chunk.id, 60)}: ")
            ],
            evidence=[f"chunk:{kept(each, 60)}" for each in enough],
            raw={
                **raw,
                "label": self.label,
                "chunks": [kept(chunk.id, 60) for chunk in chunks],
                "left_out": len(subject.chunks) - len(chunks),
            },
        )

    def _judged(self, subject: Subject) -> list[Chunk]:
        return ranked(subject)[: self.most_chunks]


class GroundingJudge(AnswerJudge):
    """A model says whether the answer stands on its context.

    One reply answers support_present, unsupported_claim_present, contradicted_claim_present,
    source_cited and fabricated_source with yes or no. What is contradicted is unsupported, and
    what is fabricated is cited: a reply against either is asked for again.

    The value is 1 if the answer is supported and has no claim that is unsupported or
    contradicted, otherwise 0 (label family); or 1 where the one question chosen is answered the
    good way; or the share of good answers to all five (label all). Good are support and a
    citation; claims without support and sources that are made up are not. A record without
    context has nothing to judge by.
    """

    title = "Judge of grounding"
    questions = GROUNDING
    spoken = words_of(
        GROUNDING,
        "judge whether an answer stands on the texts it was given",
        "question",
        "conversation",
        "answer",
        "passages",
    )
    family = ("support_present", "unsupported_claim_present", "contradicted_claim_present")
    examples = (
        Example(
            says="Supported, with nothing else claimed.",
            subject=_PAIR,
            answers={
                "grounding": '{"support_present": true, "unsupported_claim_present": false, '
                '"contradicted_claim_present": false, "source_cited": true, '
                '"fabricated_source": false, "rationale": "The term is in the context."}'
            },
            value=1.0,
        ),
        Example(
            says="A reply that contradicts itself is no score.",
            subject=_PAIR,
            answers={
                "grounding": '{"support_present": true, "unsupported_claim_present": false, '
                '"contradicted_claim_present": true, "source_cited": true, '
                '"fabricated_source": false, "rationale": "30 days are not 60."}'
            },
            value=None,
        ),
    )

    type: Literal["grounding_judge"] = "grounding_judge"
    label: Literal[
        "family",
        "all",
        "support_present",
        "unsupported_claim_present",
        "contradicted_claim_present",
        "source_cited",
        "fabricated_source",
    ] = Field(
        default="family",
        title=WHAT_COUNTS,
        description="family: supported, with no unsupported and no contradicted claim. all: the "
        "share of good answers to all questions. Else whether this question is answered the good "
        "way.",
    )

    def inquiries(self, subject: Subject) -> Sequence[Inquiry] | str:
        passages = _passages(subject)
        if not any(passage["text"].strip() for passage in passages):
            return "The record has no context that the answer could stand on."
        material = {**asked(subject), "answer": subject.response, "passages": passages}
        return [self.inquiry("grounding", material)]


class RelevanceJudge(AnswerJudge):
    """A model says whether the answer is one to this question.

    One reply answers proper_action, response_on_topic, helpful, incomplete and unsafe_content
    with yes or no. The judge sees the question and the answer, not the context.

    The value is 1 if the answer is on topic, otherwise 0 (label family); or 1 where the one
    question chosen is answered the good way, for incomplete and unsafe_content that is no; or the
    share of good answers to all five (label all).
    """

    title = "Judge of relevance"
    questions = RELEVANCE
    spoken = words_of(
        RELEVANCE,
        "judge whether an answer is one to the question that was asked",
        "question",
        "conversation",
        "answer",
    )
    family = ("response_on_topic",)
    examples = (
        Example(
            says="On topic and helpful, though incomplete: 4 of 5 the good way.",
            settings={"label": "all", "threshold": 0.8},
            subject=_PAIR,
            answers={
                "relevance": '{"proper_action": true, "response_on_topic": true, '
                '"helpful": true, "incomplete": true, "unsafe_content": false, '
                '"rationale": "It does not say how."}'
            },
            value=0.8,
        ),
    )

    type: Literal["relevance_judge"] = "relevance_judge"
    label: Literal[
        "family",
        "all",
        "proper_action",
        "response_on_topic",
        "helpful",
        "incomplete",
        "unsafe_content",
    ] = Field(
        default="family",
        title=WHAT_COUNTS,
        description="family: whether the answer is on topic. all: the share of good answers to "
        "all questions. Else whether this question is answered the good way.",
    )

    def inquiries(self, subject: Subject) -> Sequence[Inquiry] | str:
        return [self.inquiry("relevance", {**asked(subject), "answer": subject.response})]


def _passages(subject: Subject) -> list[dict[str, str]]:
    """By their ids, which an answer may cite."""
    known = [{"id": chunk.id, "text": chunk.text} for chunk in ranked(subject)]
    return known or [{"text": subject.context}]


RULES: tuple[type[Rule], ...] = (RetrievalJudge, GroundingJudge, RelevanceJudge)
