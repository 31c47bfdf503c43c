"""Judges of query-response pairs: what they ask, and what their replies amount to."""

import json
from typing import Any

import pytest

from apps.grading.contracts import Subject
from apps.grading.rules.pairs.families import GroundingJudge, RelevanceJudge, RetrievalJudge
from apps.grading.rules.pairs.family_judge import FamilyJudge
from apps.grading.rules.pairs.pair_questions import GROUNDING, RETRIEVAL
from apps.grading.subjects import Turn

from .family_judges import (
    GROUNDING_JUDGE,
    JUDGES,
    PAIR,
    RELEVANCE_JUDGE,
    RETRIEVAL_JUDGE,
    chunk_reply,
    grounding_reply,
    parts,
    relevance_reply,
    settled,
)


def test_each_chunk_is_one_question_in_the_order_of_the_ranks() -> None:
    questions = RETRIEVAL_JUDGE.ask(PAIR)

    assert [question.call for question in questions] == ["chunk_1", "chunk_2"]
    assert "three colours" in questions[0].user
    assert "60 days" in questions[1].user
    assert "Yes, within" not in questions[0].user  # chunks are judged apart from the answer
    assert all(f"- {label}: " in questions[0].user for label in RETRIEVAL.labels)


def test_the_answer_is_one_question_with_all_that_it_stands_on() -> None:
    (question,) = GROUNDING_JUDGE.ask(PAIR)

    assert json.loads(parts(question.user)[1]) == {
        "question": "Can I return a lamp?",
        "answer": "Yes, within 60 days.",
        "passages": [
            {"id": "a", "text": "Lamps come in three colours."},
            {"id": "b", "text": "Goods can be returned within 60 days."},
        ],
    }
    assert set(question.reply) == {*GROUNDING.labels, "rationale"}


def test_a_context_that_is_one_text_can_be_stood_on_too() -> None:
    subject = Subject(prompt="q", response="a", context="All of it.")

    (question,) = GROUNDING_JUDGE.ask(subject)

    assert json.loads(parts(question.user)[1])["passages"] == [{"text": "All of it."}]


def test_relevance_is_judged_by_question_and_answer_alone() -> None:
    (question,) = RELEVANCE_JUDGE.ask(PAIR)

    assert json.loads(parts(question.user)[1]) == {
        "question": "Can I return a lamp?",
        "answer": "Yes, within 60 days.",
    }


@pytest.mark.parametrize("rule", JUDGES, ids=lambda rule: rule.name)
def test_the_conversation_that_led_to_the_question_is_shown(rule: FamilyJudge) -> None:
    turns = (Turn(role="user", content="Hello."), Turn(role="user", content=PAIR.prompt))

    question = rule.ask(PAIR.model_copy(update={"messages": turns}))[0]

    material = json.loads(parts(question.user)[1])
    assert material["conversation"] == [{"role": "user", "content": "Hello."}]


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (RETRIEVAL_JUDGE, "The record has no retrieved chunks."),
        (GROUNDING_JUDGE, "The record has no context that the answer could stand on."),
    ],
)
def test_a_pair_without_context_is_left_to_the_other_rules(rule: FamilyJudge, reason: str) -> None:
    subject = Subject(prompt="q", response="a", context=" ")

    score = rule.settle(subject, ())

    assert rule.ask(subject) == ()
    assert (score.value, score.verdict, score.reason) == (None, "skip", reason)
    assert rule.when_missing == "skip"


def test_one_chunk_that_is_enough_is_enough() -> None:
    first = chunk_reply("topically_relevant")
    second = chunk_reply("topically_relevant", "evidence_sufficient")

    score = settled(RETRIEVAL_JUDGE, first, second)

    assert (score.value, score.verdict) == (1.0, "pass")
    assert score.evidence == ("chunk:b",)
    assert score.raw is not None
    assert (score.raw["chunks"], score.raw["left_out"]) == (["a", "b"], 0)
    assert score.raw["opinions"][1]["evidence_sufficient"] is True
    assert settled(RETRIEVAL_JUDGE, first, first).reason == (
        "Chunk a: evidence_sufficient: no; Chunk b: evidence_sufficient: no"
    )


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("topically_relevant", 1.0),
        ("evidence_sufficient", 0.5),
        ("misleading", 0.5),
        ("all", 4 / 6),
    ],
)
def test_one_question_or_all_may_count_over_the_chunks(label: Any, value: float) -> None:
    rule = RetrievalJudge(name="retrieval", label=label)
    first = chunk_reply("topically_relevant", "misleading")
    second = chunk_reply("topically_relevant", "evidence_sufficient")

    assert settled(rule, first, second).value == pytest.approx(value)


def test_only_so_many_chunks_are_asked_about_and_the_rest_is_counted() -> None:
    rule = RetrievalJudge(name="retrieval", most_chunks=1)

    score = settled(rule, chunk_reply())

    assert len(rule.ask(PAIR)) == 1
    assert score.raw is not None
    assert (score.raw["chunks"], score.raw["left_out"]) == (["a"], 1)


@pytest.mark.parametrize(
    ("yes", "value"),
    [
        (("support_present",), 1.0),
        (("support_present", "source_cited"), 1.0),
        (("support_present", "unsupported_claim_present"), 0.0),
        (("support_present", "unsupported_claim_present", "contradicted_claim_present"), 0.0),
        ((), 0.0),
    ],
)
def test_grounded_is_supported_with_nothing_unsupported_or_contradicted(
    yes: tuple[str, ...], value: float
) -> None:
    assert settled(GROUNDING_JUDGE, grounding_reply(*yes)).value == value


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("support_present", 1.0),
        ("unsupported_claim_present", 0.0),
        ("contradicted_claim_present", 1.0),
        ("source_cited", 1.0),
        ("fabricated_source", 0.0),
        ("all", 3 / 5),
    ],
)
def test_one_question_or_all_may_count_of_the_grounding(label: Any, value: float) -> None:
    rule = GroundingJudge(name="grounding", label=label)
    said = grounding_reply(
        "support_present", "unsupported_claim_present", "source_cited", "fabricated_source"
    )

    assert settled(rule, said).value == pytest.approx(value)


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("family", 1.0),
        ("response_on_topic", 1.0),
        ("proper_action", 0.0),
        ("helpful", 0.0),
        ("incomplete", 0.0),
        ("unsafe_content", 1.0),
        ("all", 2 / 5),
    ],
)
def test_relevant_is_on_topic_unless_another_question_counts(label: Any, value: float) -> None:
    rule = RelevanceJudge(name="relevance", label=label)

    score = settled(rule, relevance_reply("response_on_topic", "incomplete"))

    assert score.value == pytest.approx(value)


@pytest.mark.parametrize(
    ("rule", "said", "complaint"),
    [
        (
            RetrievalJudge(name="r", most_chunks=1),
            chunk_reply("evidence_sufficient"),
            "evidence_sufficient=True but topically_relevant=False",
        ),
        (
            GROUNDING_JUDGE,
            grounding_reply("contradicted_claim_present"),
            "contradicted_claim_present=True but unsupported_claim_present=False",
        ),
        (
            GROUNDING_JUDGE,
            grounding_reply("support_present", "fabricated_source"),
            "fabricated_source=True but source_cited=False",
        ),
    ],
)
def test_a_reply_that_contradicts_itself_is_asked_for_again_and_is_no_score(
    rule: FamilyJudge, said: str, complaint: str
) -> None:
    question = rule.ask(PAIR)[0]
    sentence = f"The judge's reply contradicts itself: {complaint}."

    again = rule.reask(question, said)
    score = settled(rule, said)

    assert rule.complaint(question, said) == sentence
    assert sentence in again.user.removeprefix(question.user)
    assert (score.value, score.verdict) == (None, "error")
    assert sentence in score.reason


def test_enough_and_misleading_at_once_stands_with_a_note() -> None:
    rule = RetrievalJudge(name="retrieval", most_chunks=1)
    said = chunk_reply("topically_relevant", "evidence_sufficient", "misleading")

    score = settled(rule, said)

    assert rule.complaint(rule.ask(PAIR)[0], said) == ""
    assert score.value == 1.0
    assert [(check.text, check.passed) for check in score.checks] == [
        ("Chunk a: evidence_sufficient: yes", True),
        ("Chunk a: worth a look: evidence_sufficient=True but misleading=True", False),
    ]
