"""Sessions: inputs in order, each asked when the one before is answered, none twice."""

import asyncio
from typing import Any

import orjson
import pytest

from apps.artifacts.redaction import Redactor
from apps.datasets import subjects
from apps.grading.contracts import Subject
from apps.runs.contracts import Held, SettingsPlan
from apps.runs.engine.evaluating import Evaluator, subject_of
from apps.runs.engine.items import Again, Call, Finished, Item, Party
from apps.runs.engine.turns import replies_of
from apps.runs.working.rows import held_json, result_row
from apps.targets.contracts import Ask, Behaviour, Reply, Usage
from tests.runs.engine.test_evaluating import Script

INPUTS = ("Where is my order?", "Then cancel it.", "Thanks.")
SETTINGS = SettingsPlan(max_attempts=3, concurrency=1, slots=1, chunk_records=1)


def said(text: str, **more: Any) -> Reply:
    usage = Usage(input_tokens=3, output_tokens=2, total_tokens=5)
    return Reply(text=text, latency_ms=10, usage=usage, cost=0.5, model="m", **more)


def failed(code: Any = "rate_limited") -> Reply:
    return Reply(error_code=code, detail=f"planned {code}", latency_ms=1)


def scenario(*inputs: str) -> Item:
    row = {"scenario_id": "s", "labels": ["x"], "user_inputs": list(inputs or INPUTS)}
    payload = {"kind": "scenario", "record_id": "s", "row": row}
    return Item(0, 0, 1, "s", payload, session_id="run_1-0.0")


async def _no_wait() -> None:
    return None


class Drill:
    """An evaluator of one scripted target without rules, and the calls it noted."""

    def __init__(self, *replies: Reply | Exception, converses: bool = True) -> None:
        self.target = Script(*replies)
        self.calls: list[Call] = []
        self.enough = False
        self._evaluator = Evaluator(
            target=Party(self.target, _no_wait, 3, converses),
            judges={},
            spec=None,
            settings=SETTINGS,
            note=self.calls.append,
            enough=lambda: self.enough,
        )

    def evaluate(self, item: Item) -> Finished | Again:
        return asyncio.run(self._evaluator.evaluate(item))


def _said_in(ask: Ask) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in ask.messages]


def _after_a_death(item: Item) -> Item:
    """The item as another worker finds it: what was held went through the database."""
    stored = orjson.loads(orjson.dumps(held_json(item.held, Redactor())))
    return Item(0, 0, 1, "s", item.payload, Held.model_validate(stored), item.session_id)


def _seen(item: Item) -> Subject:
    return subject_of(item, subjects.given(item.payload))


def test_the_inputs_are_sent_in_order_as_one_growing_conversation() -> None:
    drill = Drill(said("At the depot."), said("Cancelled."), said("Bye."))

    drill.evaluate(scenario())

    assert [_said_in(ask) for ask in drill.target.asked] == [
        [("user", INPUTS[0])],
        [("user", INPUTS[0]), ("assistant", "At the depot."), ("user", INPUTS[1])],
        [
            ("user", INPUTS[0]),
            ("assistant", "At the depot."),
            ("user", INPUTS[1]),
            ("assistant", "Cancelled."),
            ("user", INPUTS[2]),
        ],
    ]


def test_every_turn_is_told_its_session_and_its_place() -> None:
    drill = Drill(*[said("Yes.")] * 3)

    drill.evaluate(scenario())

    told = [(ask.session_id, ask.turn) for ask in drill.target.asked]
    assert told == [("run_1-0.0", 0), ("run_1-0.0", 1), ("run_1-0.0", 2)]


def test_the_answer_is_all_that_was_said_and_takes_what_the_turns_took() -> None:
    item = scenario()

    outcome = Drill(said("At the depot."), said(""), said("Bye.")).evaluate(item)

    assert isinstance(outcome, Finished)
    assert outcome.status == "completed"
    reply = item.held.reply
    assert reply is not None
    assert reply.text == "At the depot.\n\nBye."
    assert (reply.latency_ms, reply.cost) == (30, 1.5)
    assert reply.usage == Usage(input_tokens=9, output_tokens=6, total_tokens=15)
    assert [turn.latency_ms for turn in item.held.turns] == [10, 10, 10]


def test_a_sum_of_which_a_part_is_not_known_is_not_known() -> None:
    item = scenario("a", "b")

    Drill(said("x"), Reply(text="y")).evaluate(item)

    assert item.held.reply is not None
    assert (item.held.reply.latency_ms, item.held.reply.cost) == (None, None)


def test_each_turn_is_a_call_of_its_own() -> None:
    drill = Drill(*[said("Yes.")] * 3)

    drill.evaluate(scenario())

    assert [(call.call, call.number) for call in drill.calls] == [("1", 1), ("2", 1), ("3", 1)]


def test_the_only_turn_is_a_call_without_a_name() -> None:
    drill, item = Drill(said("Yes.")), scenario("Hello")

    drill.evaluate(item)

    assert [(call.call, call.number) for call in drill.calls] == [("", 1)]
    assert [run.user_input for run in _seen(item).session] == ["Hello"]


def test_each_turn_has_three_attempts_and_what_was_answered_is_not_asked_again() -> None:
    drill, item = (
        Drill(said("a"), *[failed()] * 2, said("b"), *[failed()] * 2, said("c")),
        scenario(),
    )

    waits = 0
    while isinstance(drill.evaluate(item), Again):
        waits += 1

    assert waits == 4
    numbers = [(call.call, call.number) for call in drill.calls]
    assert numbers == [("1", 1), ("2", 1), ("2", 2), ("2", 3), ("3", 1), ("3", 2), ("3", 3)]
    assert (item.held.target_attempts, item.held.tried) == (7, 0)
    assert [turn.text for turn in item.held.turns] == ["a", "b", "c"]


def test_a_turn_that_fails_for_good_ends_the_record_with_what_was_said() -> None:
    drill, item = Drill(said("a"), failed("unauthorized")), scenario()

    outcome = drill.evaluate(item)

    assert isinstance(outcome, Finished)
    assert (outcome.status, outcome.cause) == ("evaluation_error", "unauthorized")
    assert outcome.detail == "Turn 2 of 3: planned unauthorized"
    row = result_row("run_1", "tgv_1", outcome, Redactor())
    assert [turn["output_text"] for turn in row.extra["turns"]] == ["a"]
    assert (row.response, row.attempts) == ("", 2)


@pytest.mark.parametrize("answered", [0, 1, 2])
def test_a_worker_that_dies_between_two_turns_loses_none(answered: int) -> None:
    first = Drill(*[said(str(turn)) for turn in range(answered)], RuntimeError("killed"))
    item = scenario()
    first.evaluate(item)

    second = Drill(*[said(str(turn)) for turn in range(answered, 3)])
    found = _after_a_death(item)
    second.evaluate(found)

    assert [ask.turn for ask in second.target.asked] == [*range(answered, 3)]
    assert [turn.text for turn in found.held.turns] == ["0", "1", "2"]
    assert {ask.session_id for ask in second.target.asked} == {"run_1-0.0"}


def test_time_that_is_over_leaves_the_other_turns_to_a_later_chunk() -> None:
    drill, item = Drill(said("a"), said("b"), said("c")), scenario()
    drill.enough = True

    outcome = drill.evaluate(item)

    assert isinstance(outcome, Again)
    assert outcome.delay == 0
    drill.enough = False
    assert isinstance(drill.evaluate(item), Finished)
    assert len(drill.target.asked) == 3


def test_one_recorded_answer_stands_for_the_whole_session() -> None:
    drill, item = Drill(said("All of it."), converses=False), scenario()

    drill.evaluate(item)

    assert len(drill.target.asked) == 1
    assert [message.content for message in drill.target.asked[0].messages] == [*INPUTS]
    assert _seen(item).session == ()


def test_what_was_held_before_there_were_sessions_is_read_and_counts() -> None:
    held = Held.model_validate({"target_attempts": 2, "reply": None, "answers": {}})

    assert (held.turns, held.tried) == ((), 2)


def test_graders_see_what_the_system_did_in_each_turn() -> None:
    behaviour = Behaviour(
        status="failed",
        failure_reason="tool_timeout",
        tool_calls=({"name": "lookup", "arguments": {"id": 7}},),
        approvals=({"approval_id": "a1", "status": "pending", "capability_name": "refund"},),
        trace=({"event_type": "run_failed", "payload": {"why": "timeout"}},),
        trace_id="t1",
        release_identity="2026.1",
        idempotency_key="k1",
    )
    item = scenario("Where?", "Cancel.")

    Drill(said("Here."), said("", behaviour=behaviour)).evaluate(item)

    subject = _seen(item)
    first, second = subject.session
    assert (first.user_input, first.output_text, first.status) == ("Where?", "Here.", "")
    assert (second.status, second.failure_reason) == ("failed", "tool_timeout")
    assert (second.trace_id, second.release_identity) == ("t1", "2026.1")
    assert (second.approval_id, second.approval_status) == ("a1", "pending")
    assert (second.capability_name, second.idempotency_key) == ("refund", "k1")
    assert [call.name for call in subject.tool_calls] == ["lookup"]
    assert [event.event_type for event in subject.events] == ["run_failed"]
    assert [turn.content for turn in subject.turns] == ["Here.", ""]
    assert subject.latency_ms == 20


def test_a_single_question_whose_answer_brings_behaviour_is_a_session_of_one_run() -> None:
    item = Item(0, 0, 1, "q", {"record_id": "q", "input": {"prompt": "2 + 2?"}})

    Drill(said("4", behaviour=Behaviour(tool_calls=({"name": "sum"},)))).evaluate(item)

    subject = _seen(item)
    assert [(run.user_input, run.output_text) for run in subject.session] == [("2 + 2?", "4")]
    assert [call.name for call in subject.tool_calls] == ["sum"]


def test_a_plain_answer_brings_no_session() -> None:
    item = Item(0, 0, 1, "q", {"record_id": "q", "input": {"prompt": "2 + 2?"}})

    outcome = Drill(said("4")).evaluate(item)

    assert isinstance(outcome, Finished)
    assert _seen(item).session == _seen(item).turns == ()
    assert result_row("run_1", "tgv_1", outcome, Redactor()).extra == {
        "model": "m",
        "finish_reason": "",
    }


def test_the_turns_of_a_result_are_kept_without_secrets_and_read_again() -> None:
    secret = "sk-proj-4f9Qm2Xz8Lw1Rt6Yb3Nc5Vd7"
    behaviour = Behaviour(tool_calls=({"name": "call", "arguments": {"api_key": secret}},))
    item = scenario("Where?", f"My key is {secret}")

    outcome = Drill(said("Here."), said("Done.", behaviour=behaviour)).evaluate(item)

    assert isinstance(outcome, Finished)
    kept = result_row("run_1", "tgv_1", outcome, Redactor()).extra["turns"]
    assert secret not in orjson.dumps(kept).decode()
    first, second = replies_of(kept)
    assert (first.text, first.latency_ms, first.cost) == ("Here.", 10, 0.5)
    assert second.behaviour is not None
    assert second.behaviour.tool_calls[0]["name"] == "call"
