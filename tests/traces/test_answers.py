"""A trace as the answer of a target."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from apps.traces.answers import Heard, Step, answer_of_events, answer_of_messages

from .building import CHAT, EVENTS

HEARD = Heard("chat-1", "success", json.dumps({"model": "gpt-4o", "error": "none"}))


def messages(*rows: dict[str, Any]) -> list[Step]:
    return [Step(row["role"], json.dumps(row)) for row in rows]


def events(*rows: dict[str, Any]) -> list[Step]:
    return [Step(row["event_type"], json.dumps(row["payload"])) for row in rows]


def test_a_log_gives_the_last_words_its_status_and_its_calls_with_their_results() -> None:
    reply = answer_of_messages(HEARD, messages(*CHAT["messages"]))

    assert reply.text == "Done: 40 € are on their way."
    assert reply.model == "gpt-4o"
    assert reply.behaviour is not None
    assert reply.behaviour.status == "success"
    assert reply.behaviour.failure_reason == "none"
    assert reply.behaviour.trace_id == "chat-1"
    assert reply.behaviour.tool_calls == (
        {"result": "paid, 40 €", "name": "find_order", "arguments": '{"order": "A-7"}'},
    )


def test_the_last_words_are_those_with_any_text() -> None:
    reply = answer_of_messages(
        HEARD,
        messages(
            {"role": "assistant", "content": [{"type": "text", "text": "One moment."}]},
            {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "a"}}]},
            {"role": "user", "content": "Thanks."},
        ),
    )

    assert reply.text == "One moment."
    assert reply.behaviour is not None
    assert [call["name"] for call in reply.behaviour.tool_calls] == ["a"]


def test_events_give_their_status_their_reason_and_themselves() -> None:
    reply = answer_of_events(Heard("run-1"), events(*EVENTS))

    assert reply.text == ""
    assert reply.behaviour is not None
    assert (reply.behaviour.status, reply.behaviour.failure_reason) == ("failed", "tool_timeout")
    assert [event["event_type"] for event in reply.behaviour.trace] == [
        "run_start",
        "tool_execution",
        "run_failed",
    ]
    assert reply.behaviour.tool_calls == ({"name": "open_ticket"},)


def test_the_end_of_a_run_says_what_it_put_out() -> None:
    end = {"event_type": "run_complete", "payload": {"output_preview": "It waits.", "status": ""}}

    reply = answer_of_events(Heard("run-1"), events(end))

    assert reply.text == "It waits."
    assert reply.behaviour is not None
    assert reply.behaviour.status == "success"


def test_a_trace_without_steps_says_nothing() -> None:
    for answer in (answer_of_messages(HEARD, []), answer_of_events(HEARD, [])):
        assert answer.text == ""
        assert answer.behaviour is not None
        assert answer.behaviour.status == "success"


values = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)
fields = st.dictionaries(
    st.sampled_from(["content", "tool_calls", "function_call", "tool_call_id", "status", "name"]),
    values,
)


@given(st.lists(st.tuples(st.sampled_from(["assistant", "tool", "run_complete"]), fields)))
def test_odd_steps_are_read_as_far_as_they_make_sense(rows: list[tuple[str, Any]]) -> None:
    steps = [Step(kind, json.dumps(payload)) for kind, payload in rows]

    for answer in (answer_of_messages(HEARD, steps), answer_of_events(HEARD, steps)):
        assert isinstance(answer.text, str)


def test_a_payload_that_is_no_json_is_an_empty_one() -> None:
    steps = [Step("assistant", "{oops"), Step("assistant", "[1]"), Step("assistant", "")]

    assert answer_of_messages(Heard("t", about="{oops"), steps).text == ""
