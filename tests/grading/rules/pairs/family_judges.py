"""The judges of pairs, a pair for them, and replies in their words."""

import json
from collections.abc import Sequence
from typing import Any

from apps.grading.contracts import Answer, Score, Subject
from apps.grading.rules.pairs.families import GroundingJudge, RelevanceJudge, RetrievalJudge
from apps.grading.rules.pairs.family_judge import FamilyJudge
from apps.grading.rules.pairs.pair_questions import GROUNDING, RELEVANCE, RETRIEVAL
from apps.grading.subjects import Chunk

CHUNKS = (
    Chunk(id="b", rank=2, text="Goods can be returned within 60 days."),
    Chunk(id="a", rank=1, text="Lamps come in three colours."),
)
PAIR = Subject(prompt="Can I return a lamp?", response="Yes, within 60 days.", chunks=CHUNKS)
RETRIEVAL_JUDGE = RetrievalJudge(name="retrieval")
GROUNDING_JUDGE = GroundingJudge(name="grounding")
RELEVANCE_JUDGE = RelevanceJudge(name="relevance")
JUDGES: tuple[FamilyJudge, ...] = (RETRIEVAL_JUDGE, GROUNDING_JUDGE, RELEVANCE_JUDGE)


def chunk_reply(*yes: str) -> str:
    return reply(RETRIEVAL.labels, yes)


def grounding_reply(*yes: str) -> str:
    return reply(GROUNDING.labels, yes)


def relevance_reply(*yes: str) -> str:
    return reply(RELEVANCE.labels, yes)


def reply(labels: Sequence[str], yes: Sequence[str], **more: Any) -> str:
    return json.dumps({**{each: each in yes for each in labels}, "rationale": "because", **more})


def settled(rule: FamilyJudge, *texts: str | None, subject: Subject = PAIR) -> Score:
    calls = [question.call for question in rule.ask(subject)]
    return rule.settle(
        subject,
        [
            Answer(call=call, text=text, reason="" if text else "timeout")
            for call, text in zip(calls, texts, strict=True)
        ],
    )


def parts(text: str) -> tuple[str, str, str]:
    assert text.count("<material>") == text.count("</material>") == 1
    before, _, rest = text.partition("<material>\n")
    line, _, after = rest.partition("\n</material>")
    assert len(line.splitlines()) == 1
    return before, line, after
