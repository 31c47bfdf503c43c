"""Asking one record: what is tried again, when, and what is never asked twice."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.grading.spec import ContractSpec
from apps.runs.contracts import BACKOFF_SECONDS, Held, SettingsPlan
from apps.runs.engine.evaluating import Evaluator
from apps.runs.engine.items import Again, Call, Finished, Item, PaceBroke, Party
from apps.targets.contracts import Ask, Reply, Usage
from tests.runs.conftest import EXACT, JUDGE

OK = Reply(text="4", latency_ms=7, usage=Usage(input_tokens=3, output_tokens=1, total_tokens=4))
OPINION = '{"criterion": "accuracy", "score": 9, "rationale": "Right."}'
NOT_JSON = "I would say nine."


class Script:
    """Our own gateway, answering from a list; it remembers what it was asked."""

    def __init__(self, *replies: Reply | Exception) -> None:
        self._replies = list(replies)
        self.asked: list[Ask] = []

    async def ask(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


class Drill:
    """An evaluator of scripted parties, and the calls it noted."""

    def __init__(
        self,
        target: Script,
        judge: Script | None = None,
        *,
        rules: Iterable[dict[str, Any]] = (),
        max_attempts: int = 3,
        pace: Callable[[], Any] | None = None,
    ) -> None:
        self.calls: list[Call] = []
        spec = ContractSpec.model_validate({"rules": list(rules)}) if rules else None
        settings = SettingsPlan(max_attempts=max_attempts, concurrency=1, slots=1, chunk_records=1)
        self._evaluator = Evaluator(
            target=Party(target, pace or _no_wait, max_attempts),
            judges={"": Party(judge, _no_wait, max_attempts)} if judge else {},
            spec=spec,
            settings=settings,
            note=self.calls.append,
        )

    def evaluate(self, item: Item) -> Finished | Again:
        return asyncio.run(self._evaluator.evaluate(item))

    def until_finished(self, item: Item) -> tuple[Finished, list[float]]:
        """Ask again and again; the end, and the seconds waited before each further attempt."""
        waits = []
        while isinstance(outcome := self.evaluate(item), Again):
            assert outcome.item is item
            waits.append(outcome.delay)
        return outcome, waits


async def _no_wait() -> None:
    return None


def _item(**payload: Any) -> Item:
    body = {"record_id": "q1", "input": {"prompt": "2 + 2?"}, "reference": {"answer": "4"}}
    return Item(0, 0, 1, "q1", {**body, **payload})


def _error(code: str, **more: Any) -> Reply:
    return Reply(error_code=code, detail=f"planned {code}", latency_ms=3, **more)


# -- the target -----------------------------------------------------------------------------


def test_an_answer_ends_at_the_first_attempt() -> None:
    drill, item = Drill(Script(OK)), _item()

    outcome = drill.evaluate(item)

    assert isinstance(outcome, Finished)
    assert (outcome.status, item.held.target_attempts) == ("completed", 1)
    assert [(call.purpose, call.number) for call in drill.calls] == [("target", 1)]
    assert item.held.first_attempt_at == item.held.last_attempt_at == drill.calls[0].started_at


@pytest.mark.parametrize(
    "code", ["timeout", "rate_limited", "service_unavailable", "internal_error"]
)
def test_what_passes_is_tried_three_times_with_growing_waits(code: str) -> None:
    drill = Drill(Script(*[_error(code)] * 3))

    outcome, waits = drill.until_finished(_item())

    assert len(waits) == 2
    assert 1.6 <= waits[0] <= 2.4
    assert 4.8 <= waits[1] <= 7.2
    assert outcome.status == ("timeout" if code == "timeout" else "evaluation_error")
    assert (outcome.cause, outcome.detail) == (code, f"planned {code}")


def test_fourteen_seconds_are_waited_only_before_a_fourth_attempt() -> None:
    drill = Drill(Script(*[_error("timeout")] * 4), max_attempts=4)

    _outcome, waits = drill.until_finished(_item())

    assert len(waits) == 3
    assert 11.2 <= waits[2] <= 16.8


def test_the_waits_are_spread_over_the_whole_jitter() -> None:
    waits = []
    for _ in range(300):
        outcome = Drill(Script(_error("timeout"))).evaluate(_item())
        assert isinstance(outcome, Again)
        waits.append(outcome.delay)

    assert min(waits) < 1.7
    assert max(waits) > 2.3
    assert all(0.8 * BACKOFF_SECONDS[0] <= wait <= 1.2 * BACKOFF_SECONDS[0] for wait in waits)


@pytest.mark.parametrize(
    ("asked_ms", "least", "most"),
    [(0, 1.6, 2.4), (500, 1.6, 2.4), (30_000, 30, 30), (119_999, 119, 120), (999_000, 120, 120)],
)
def test_what_the_server_asks_to_wait_counts_where_it_is_longer(
    asked_ms: int, least: float, most: float
) -> None:
    outcome = Drill(Script(_error("rate_limited", retry_after_ms=asked_ms))).evaluate(_item())

    assert isinstance(outcome, Again)
    assert least <= outcome.delay <= most


@pytest.mark.parametrize(
    "code", ["invalid_response", "invalid_request", "unauthorized", "refused", "no_answer"]
)
def test_what_does_not_pass_is_asked_once(code: str) -> None:
    script = Script(_error(code))

    outcome = Drill(script).evaluate(_item())

    assert isinstance(outcome, Finished)
    assert (outcome.status, outcome.cause) == ("evaluation_error", code)
    assert len(script.asked) == 1


def test_every_attempt_is_noted_with_its_number_moment_error_and_latency() -> None:
    drill = Drill(Script(_error("timeout"), _error("rate_limited"), OK))

    drill.until_finished(_item())

    noted = [(call.number, call.reply.error_code, call.reply.latency_ms) for call in drill.calls]
    assert noted == [(1, "timeout", 3), (2, "rate_limited", 3), (3, None, 7)]
    moments = [call.started_at for call in drill.calls]
    assert moments == sorted(moments)


def test_the_wait_counts_from_the_failure_on() -> None:
    outcome = Drill(Script(_error("timeout"))).evaluate(_item())

    assert isinstance(outcome, Again)
    assert outcome.remaining(outcome.since) == pytest.approx(outcome.delay)
    assert outcome.remaining(outcome.since + 1) == pytest.approx(outcome.delay - 1)
    assert outcome.remaining(outcome.since + 1000) == 0


def test_an_adapter_that_breaks_concerns_its_record_alone() -> None:
    outcome = Drill(Script(RuntimeError("boom"))).evaluate(_item())

    assert isinstance(outcome, Finished)
    assert outcome.status == "evaluation_error"
    assert outcome.detail == "RuntimeError: boom"


def test_a_pace_that_cannot_be_read_is_no_fault_of_the_record() -> None:
    async def broken() -> None:
        raise OSError("the database is away")

    with pytest.raises(PaceBroke):
        Drill(Script(OK), pace=broken).evaluate(_item())


@given(st.lists(st.sampled_from(["timeout", "rate_limited", "refused", "ok"]), min_size=4))
def test_whatever_happens_there_is_one_end_within_the_attempts(plan: list[str]) -> None:
    replies = [OK if code == "ok" else _error(code) for code in plan]
    script, item = Script(*replies), _item()

    outcome, waits = Drill(script).until_finished(item)

    assert len(script.asked) == len(waits) + 1 <= 3
    assert item.held.target_attempts == len(script.asked)
    last = plan[len(script.asked) - 1]
    assert (outcome.status == "completed") is (last == "ok")


# -- judges ---------------------------------------------------------------------------------


def test_an_answer_whose_judge_fails_for_now_is_not_asked_again() -> None:
    target, judge = Script(OK), Script(_error("rate_limited"), Reply(text=OPINION))
    drill = Drill(target, judge, rules=[JUDGE])

    outcome, waits = drill.until_finished(_item())

    assert len(target.asked) == 1
    assert len(judge.asked) == 2
    assert len(waits) == 1
    assert outcome.status == "completed"
    noted = [(call.purpose, call.rule, call.call, call.number) for call in drill.calls]
    assert noted == [
        ("target", "", "", 1),
        ("judge", "judge", "accuracy", 1),
        ("judge", "judge", "accuracy", 2),
    ]


def test_a_criterion_that_was_judged_is_not_judged_again() -> None:
    clarity = OPINION.replace("accuracy", "clarity")
    judge = Script(Reply(text=OPINION), _error("timeout"), Reply(text=clarity))
    drill = Drill(Script(OK), judge, rules=[JUDGE])

    outcome, _waits = drill.until_finished(
        _item(expected={"required_criteria": ["accuracy", "clarity"]})
    )

    assert outcome.status == "completed"
    assert len(judge.asked) == 3
    assert [call.call for call in drill.calls[1:]] == ["accuracy", "clarity", "clarity"]


def test_a_judge_that_cannot_be_read_is_asked_once_more() -> None:
    judge = Script(Reply(text=NOT_JSON), Reply(text=OPINION))
    drill = Drill(Script(OK), judge, rules=[JUDGE])

    outcome, waits = drill.until_finished(_item())

    assert waits == []
    assert outcome.status == "completed"
    assert outcome.judgment is not None
    assert outcome.judgment.scores[0].value == pytest.approx(8 / 9)
    assert [call.call for call in drill.calls[1:]] == ["accuracy", "accuracy:again"]
    assert NOT_JSON in judge.asked[1].prompt


def test_a_re_ask_that_fails_for_now_is_repeated_and_the_first_question_is_not() -> None:
    judge = Script(Reply(text=NOT_JSON), _error("rate_limited"), Reply(text=OPINION))
    drill = Drill(Script(OK), judge, rules=[JUDGE])

    outcome, _waits = drill.until_finished(_item())

    assert outcome.status == "completed"
    asked = [(call.call, call.number) for call in drill.calls if call.purpose == "judge"]
    assert asked == [("accuracy", 1), ("accuracy:again", 1), ("accuracy:again", 2)]
    assert judge.asked[1].prompt == judge.asked[2].prompt
    assert NOT_JSON in judge.asked[2].prompt


def test_what_a_chunk_kept_before_it_kept_unreadable_replies_can_be_read() -> None:
    kept = Held(answers={"judge accuracy": OPINION}).model_dump(mode="json")
    del kept["unreadable"]

    assert Held.model_validate(kept).unreadable == {}


def test_a_judge_that_stays_unreadable_leaves_an_error_beside_the_answer() -> None:
    judge = Script(*[Reply(text=NOT_JSON)] * 2)
    drill, item = Drill(Script(OK), judge, rules=[JUDGE, EXACT]), _item()

    outcome, _waits = drill.until_finished(item)

    assert (outcome.status, outcome.cause) == ("evaluation_error", "judge_failed")
    assert item.held.reply == OK
    assert outcome.judgment is not None
    judged, exact = outcome.judgment.scores
    assert (judged.value, judged.verdict) == (None, "error")
    assert "could not be read" in judged.reason
    assert exact.value == 1


def test_a_judge_that_fails_three_times_gives_no_score_with_the_reason() -> None:
    judge = Script(*[_error("service_unavailable")] * 3)

    outcome, waits = Drill(Script(OK), judge, rules=[JUDGE]).until_finished(_item())

    assert len(waits) == 2
    assert (outcome.status, outcome.cause) == ("evaluation_error", "judge_failed")
    assert "planned service_unavailable" in outcome.detail


def test_a_judge_that_refuses_for_good_is_asked_once() -> None:
    judge = Script(_error("unauthorized"))

    outcome, waits = Drill(Script(OK), judge, rules=[JUDGE]).until_finished(_item())

    assert waits == []
    assert outcome.status == "evaluation_error"


def test_a_broken_judge_of_a_warning_leaves_the_answer_judged_by_the_others() -> None:
    judge = Script(*[Reply(text=NOT_JSON)] * 2)
    rules: list[dict[str, Any]] = [{**JUDGE, "blocking": False}, EXACT]

    outcome, _waits = Drill(Script(OK), judge, rules=rules).until_finished(_item())

    assert outcome.status == "completed"
    assert outcome.judgment is not None
    assert outcome.judgment.outcome == "passed"
