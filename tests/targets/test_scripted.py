import asyncio
from collections import Counter
from typing import Any

import orjson
import pytest

from apps.grading.contracts import Answer, Question, Subject
from apps.grading.rules.judges.judge import CriteriaJudge
from apps.grading.rules.judges.rubric import RubricJudge
from apps.grading.rules.judging import JudgeRule, shapes
from apps.grading.subjects import RubricItem
from apps.targets.adapters import open_adapter
from apps.targets.adapters.scripted_judge import reply_of
from apps.targets.contracts import Ask, Message, Reply
from tests.grading.judges import JUDGES, filled_with, ids

from .asking import question, reply_to, spec

RECORD = {"reference": {"answer": "Paris"}}


def replies(count: int, attempt: int = 1, **settings: Any) -> list[Reply]:
    async def all_of_them() -> list[Reply]:
        target = spec("scripted", concurrency=100, **settings)
        async with open_adapter(target) as adapter:
            asks = [question(f"q{n}", record=RECORD, attempt=attempt) for n in range(count)]
            return await asyncio.gather(*(adapter.ask(ask) for ask in asks))

    return asyncio.run(all_of_them())


def test_it_gives_the_records_right_answer_and_says_that_it_is_scripted() -> None:
    reply = reply_to(
        spec("scripted", wrong_rate=0, price_input=1.0, price_output=1.0),
        question("Capital of France?", record=RECORD),
    )

    assert reply.text == "Paris"
    assert reply.model == "scripted"
    assert reply.cost == 5e-6
    assert reply.usage.total_tokens == 5


def test_about_the_asked_share_of_prompts_is_answered_wrongly_and_always_the_same() -> None:
    first = [reply.text for reply in replies(1000, wrong_rate=0.2)]
    second = [reply.text for reply in replies(1000, wrong_rate=0.2)]

    assert first == second
    assert 160 < Counter(first)["I do not know."] < 240


def test_another_seed_makes_other_mistakes() -> None:
    one = [reply.text for reply in replies(200, wrong_rate=0.5)]
    other = [reply.text for reply in replies(200, wrong_rate=0.5, seed=1)]

    assert one != other


def test_planned_errors_come_in_their_shares_and_end_after_their_attempts() -> None:
    errors = [
        {"code": "rate_limited", "share": 0.1, "attempts": 1, "retry_after_ms": 500},
        {"code": "invalid_response", "share": 0.1},
    ]

    first = Counter(reply.error_code for reply in replies(1000, planned_errors=errors))
    second = Counter(reply.error_code for reply in replies(1000, attempt=2, planned_errors=errors))

    assert 70 < first["rate_limited"] < 130
    assert 70 < first["invalid_response"] < 130
    assert second["rate_limited"] == 0
    assert second["invalid_response"] == first["invalid_response"]


def test_a_planned_error_brings_its_wait() -> None:
    errors = [{"code": "rate_limited", "share": 1, "retry_after_ms": 500}]

    reply = replies(1, planned_errors=errors)[0]

    assert reply.retry_after_ms == 500
    assert reply.text is None


def test_latency_is_really_spent() -> None:
    reply = replies(1, latency_ms=50)[0]

    assert reply.latency_ms is not None
    assert reply.latency_ms >= 48


def test_canned_answers_come_first() -> None:
    target = spec("scripted", wrong_rate=1, canned={"Hello?": "World."})

    assert reply_to(target, question("Hello?")).text == "World."
    assert reply_to(target, question("Hello")).text == "I do not know."


def test_without_a_reference_the_answer_is_made_of_the_hash() -> None:
    text = reply_to(spec("scripted", wrong_rate=0), question("Hello?")).text

    assert (text or "").startswith("Scripted answer ")


# -- as a judge -------------------------------------------------------------------------------

RULE = CriteriaJudge(name="judge", default_criteria=("accuracy", "clarity"))


def judged(answer: str, **settings: Any) -> tuple[Question, Reply]:
    subject = Subject(
        record_id="q", prompt="Capital of France?", response=answer, reference_answers=("Paris",),
        record=RECORD,
    )  # fmt: skip
    asked = RULE.ask(subject)[0]
    return asked, reply_to(spec("scripted", plays="judge", wrong_rate=0, **settings), to_ask(asked))


def to_ask(asked: Question) -> Ask:
    messages = (
        Message(role="system", content=asked.system),
        Message(role="user", content=asked.user),
    )
    return Ask(record_id="q", messages=messages)


def test_as_a_judge_it_gives_the_strict_json_that_the_rule_reads() -> None:
    asked, good = judged("It is Paris.")
    _asked, bad = judged("It is Rome.")

    assert RULE.complaint(asked, good.text or "") == ""
    assert orjson.loads(good.text or "")["score"] > orjson.loads(bad.text or "")["score"]


def test_a_judge_that_breaks_once_answers_when_it_is_asked_again() -> None:
    asked, broken = judged("Paris", broken_json=1, broken_attempts=1)
    again = RULE.reask(asked, broken.text or "")
    target = spec("scripted", plays="judge", broken_json=1, broken_attempts=1)

    second = reply_to(target, to_ask(again))

    assert RULE.complaint(asked, broken.text or "") != ""
    assert RULE.complaint(asked, second.text or "") == ""


def test_a_judge_that_always_breaks_stays_broken() -> None:
    asked, broken = judged("Paris", broken_json=1, broken_attempts=0)
    again = RULE.reask(asked, broken.text or "")

    second = reply_to(spec("scripted", plays="judge", broken_attempts=0), to_ask(again))

    assert RULE.complaint(asked, second.text or "") != ""


SCRIPTED = spec("scripted", plays="judge", wrong_rate=0)


@pytest.mark.parametrize("rule", JUDGES, ids=ids)
def test_it_answers_the_questions_of_every_rule_that_asks_a_judge(rule: JudgeRule) -> None:
    subject = filled_with("The tenant may reduce the rent.")
    asked = rule.ask(subject)

    texts = [reply_to(SCRIPTED, to_ask(question)).text or "" for question in asked]
    score = rule.settle(
        subject,
        [Answer(call=q.call, text=text) for q, text in zip(asked, texts, strict=True)],
    )

    assert [rule.complaint(q, text) for q, text in zip(asked, texts, strict=True)] == [""] * len(
        asked
    )
    assert score.value is not None


@pytest.mark.parametrize(("answer", "met"), [("It reduces the rent.", True), ("No.", False)])
def test_a_criterion_is_met_by_an_answer_with_half_of_its_words(answer: str, met: bool) -> None:
    rule = RubricJudge(name="rubric")
    rubric = (RubricItem(id="a", title="Reduces the rent"),)
    asked = rule.ask(Subject(prompt="What now?", response=answer, rubric=rubric))[0]

    reply = orjson.loads(reply_to(SCRIPTED, to_ask(asked)).text or "")

    assert reply["criteria_met"] is met


@pytest.mark.parametrize(
    ("phrase", "good", "bad"),
    [
        (shapes.YES_NO, True, False),
        (shapes.FAULT, False, True),
        (shapes.BINARY, 1, 0),
        (shapes.number(0, 1), 0.89, 0.11),
        (shapes.number(1, 10), 9, 2),
        (shapes.whole_number(0, 10), 9, 1),
        (shapes.one_of("yes", "no"), "yes", "no"),
        (shapes.exactly("accuracy"), "accuracy", "accuracy"),
    ],
)
def test_what_it_says_is_what_the_line_of_reply_keys_asks_for(
    phrase: str, good: Any, bad: Any
) -> None:
    shape = {"it": phrase, "also": {"deeper": phrase}}
    prompt = f"{shapes.line({'it': 'text'})}\n<material>{{}}</material>\n{shapes.line(shape)}"

    replies_to_it = [reply_of(prompt, mark, "why") for mark in (8 / 9, 1 / 9)]

    assert replies_to_it == [{"it": each, "also": {"deeper": each}} for each in (good, bad)]
    assert all(shapes.wrong(shape, each) == "" for each in replies_to_it)
