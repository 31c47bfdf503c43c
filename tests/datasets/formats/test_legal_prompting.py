"""Rows of legal_eval_v1: what a target is sent by policy, and by what its answer is judged."""

from typing import Any

import pytest

from apps.datasets import prompting
from apps.datasets.prompting import legal
from apps.datasets.prompting.legal.wording import MCQ_CONTRACT
from tests.datasets.legal import MCQ, REFERENCE, RUBRIC, payload

SYSTEM = {
    "default_v1": True,
    "prbench_v1": False,
    "apexv1_extended_v1": True,
    "lexam_oq_v1": False,
    "lexam_mcq_v1": False,
    "includebase_default_v1": True,
    "lar_echr_mcq_v1": True,
}


def sent(kind: Any = REFERENCE, policy: str = "", **fields: Any) -> list[tuple[str, str]]:
    metadata = {**fields.pop("metadata", {}), **({"policy_id": policy} if policy else {})}
    stored = payload(kind, **fields, metadata=metadata)
    return [(message.role, message.content) for message in prompting.messages(stored)]


def test_all_seven_policies_are_known() -> None:
    assert set(legal.POLICIES) == set(SYSTEM)


@pytest.mark.parametrize(("policy", "is_told"), SYSTEM.items())
def test_a_policy_says_whether_the_system_is_told_something_first(
    policy: str, is_told: bool
) -> None:
    assert [role for role, _ in sent(policy=policy)] == ["system"] * is_told + ["user"]


@pytest.mark.parametrize(
    "policy", ["", "default_v1", "prbench_v1", "includebase_default_v1", "mine"]
)
def test_a_plain_question_is_sent_as_it_stands(policy: str) -> None:
    assert sent(policy=policy)[-1] == ("user", "How?")


def test_the_context_follows_the_question() -> None:
    assert sent(context="A lease.")[-1] == ("user", "How?\n\nContext:\nA lease.")


def test_multiple_choice_lists_its_options_and_says_how_to_answer() -> None:
    question = sent(MCQ)[-1][1]

    assert question.startswith("How?\n\nChoices:\nA. Yes\nB. No\n\n")
    assert question.endswith(MCQ_CONTRACT)


def test_lexam_choices_are_letters_under_the_question_of_their_course() -> None:
    ((_, question),) = sent(MCQ, "lexam_mcq_v1", metadata={"course": "Tenancy {law}"})

    assert "exam in Tenancy {law};" in question
    assert question.endswith(f"Question:\nHow?\n\nA. Yes\nB. No\n\n{MCQ_CONTRACT}")


@pytest.mark.parametrize("course", [None, "", 5])
def test_an_open_lexam_question_without_a_course_is_one_of_swiss_law(course: Any) -> None:
    ((_, question),) = sent(REFERENCE, "lexam_oq_v1", metadata={"course": course})

    assert "exam in Swiss law." in question
    assert question.endswith("Question:\nHow?")


def test_an_argument_of_the_court_comes_after_what_is_asked_of_it() -> None:
    question = sent(MCQ, "lar_echr_mcq_v1", context="Facts:\nNone.")[-1][1]

    assert question.startswith("What follows is taken from a judgment")
    assert question.index("How?") < question.index("Facts:\nNone.") < question.index(MCQ_CONTRACT)


@pytest.mark.parametrize("policy", ["apexv1_extended_v1", "default_v1"])
def test_texts_of_attachments_are_sent_and_missing_ones_are_said_to_be(policy: str) -> None:
    stored = payload(RUBRIC, metadata={"policy_id": policy})
    stored["resolved"] = {
        "attachments": [{"path": "a.pdf", "text": "Article 5"}, {"path": "b", "error": "Gone."}]
    }

    question = prompting.messages(stored)[-1].content

    assert question.endswith("Attachment a.pdf:\nArticle 5\n\nAttachment b:\n[no text: Gone.]")


TURNS = [
    {"role": "user", "content": "May I leave?"},
    {"role": "assistant", "content": "Yes."},
    {"role": "user", "content": "How?"},
]


@pytest.mark.parametrize("policy", SYSTEM)
def test_a_conversation_is_sent_turn_by_turn(policy: str) -> None:
    found = sent(policy=policy, messages=TURNS)

    assert [turn for turn in found if turn[0] != "system"] == [
        (turn["role"], turn["content"]) for turn in TURNS
    ]
    assert (found[0][0] == "system") is SYSTEM[policy]


def test_what_the_conversation_tells_the_system_stands_alone() -> None:
    found = sent(messages=[{"role": "system", "content": "Be short."}, *TURNS])

    assert [content for role, content in found if role == "system"] == ["Be short."]


def test_a_conversation_ends_with_context_and_the_way_to_answer() -> None:
    found = sent(MCQ, messages=TURNS, context="A lease.")

    assert found[-1] == ("user", f"How?\n\nContext:\nA lease.\n\n{MCQ_CONTRACT}")


def test_a_last_word_of_the_assistant_is_the_answer_and_not_sent() -> None:
    stored = payload(messages=[*TURNS, {"role": "assistant", "content": "In writing."}])

    assert prompting.answer_of(stored) == "In writing."
    assert [message.content for message in prompting.messages(stored)][-1] == "How?"
    assert prompting.answer_of(payload(messages=TURNS)) is None
    assert prompting.answer_of(payload()) is None


def test_an_answer_without_a_question_answers_the_prompt() -> None:
    stored = payload(messages=[{"role": "assistant", "content": "In writing."}])

    assert prompting.answer_of(stored) == "In writing."
    assert prompting.messages(stored)[-1].content == "How?"


def test_the_reference_is_all_answers_or_the_options_that_are_right() -> None:
    assert prompting.reference_of(payload(REFERENCE)) == "In writing.\nBy letter."
    assert prompting.reference_of(payload(RUBRIC)) is None
    assert prompting.reference_of(payload(RUBRIC, reference_answers=[])) is None
    assert prompting.reference_of(payload(MCQ)) == "B. No"


@pytest.mark.parametrize(
    ("kind", "named", "judging"),
    [
        (RUBRIC, "prbench_v1", ("prbench_v1", "rubric")),
        (REFERENCE, "lexam_oq_v1", ("lexam_oq_v1", "reference")),
        (MCQ, "lar_echr_mcq_v1", ("lar_echr_mcq_v1", "mcq")),
        (MCQ, "nobody's", ("default_v1", "mcq")),
        (RUBRIC, "", ("default_v1", "rubric")),
    ],
)
def test_an_answer_is_judged_by_policy_and_task_type(
    kind: Any, named: str, judging: tuple[str, str]
) -> None:
    assert legal.judging_of(payload(kind, metadata={"policy_id": named})) == judging
