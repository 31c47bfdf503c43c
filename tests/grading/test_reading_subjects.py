"""Subjects as people and programs write them, understood or refused with the place."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.grading.reading import SubjectError, read_subject
from apps.grading.reading.subjects import KNOWN
from apps.grading.subjects import Subject, ToolCall, TraceEvent
from tests.bounds import bounded

USER = {"role": "user", "content": "Cancel it."}
CALL = {"id": "1", "type": "function", "function": {"name": "cancel", "arguments": '{"id": 7}'}}
CALLING = {"role": "assistant", "content": None, "tool_calls": [CALL]}
TOOL = {"role": "tool", "tool_call_id": "1", "content": "ok"}
NO_TEXTS = [(None, ""), (5, "5"), (True, "true"), ({"a": 1}, '{\n  "a": 1\n}')]
DONE = {"role": "assistant", "content": "It is cancelled."}


def subject(**document: Any) -> Subject:
    return read_subject(document).subject


def test_the_plain_keys_are_what_they_say() -> None:
    read = subject(
        id="q1",
        prompt="Capital?",
        response="Paris",
        reference_answers=["Paris", "Paname"],
        latency_ms=120,
        trial=1,
    )

    assert (read.record_id, read.prompt, read.response) == ("q1", "Capital?", "Paris")
    assert read.reference_answers == ("Paris", "Paname")
    assert (read.latency_ms, read.trial) == (120, 1)
    assert [turn.content for turn in read.messages] == ["Capital?"]


@pytest.mark.parametrize("key", ["response", "output", "answer", "candidate_answer"])
def test_an_answer_goes_by_several_names(key: str) -> None:
    assert subject(**{key: "Paris"}).response == "Paris"


@pytest.mark.parametrize(
    ("value", "answer"),
    NO_TEXTS,
)
def test_an_answer_that_is_no_text_is_its_json(value: Any, answer: str) -> None:
    assert subject(output=value).response == answer


def test_a_conversation_is_parted_where_the_system_begins() -> None:
    read = subject(messages=[USER, CALLING, TOOL, DONE])

    assert [turn.role for turn in read.messages] == ["user"]
    assert [turn.role for turn in read.turns] == ["assistant", "tool", "assistant"]
    assert read.response == "It is cancelled."
    assert read.tool_calls == (ToolCall(name="cancel", arguments='{"id": 7}'),)
    assert read.prompt == "Cancel it."


def test_earlier_turns_belong_to_the_question_when_the_answer_is_known() -> None:
    read = subject(messages=[USER, DONE, {"role": "user", "content": "Sure?"}], response="Yes.")

    assert len(read.messages) == 3
    assert (read.turns, read.response, read.prompt) == ((), "Yes.", "Sure?")


def test_tools_called_before_a_known_answer_are_seen() -> None:
    read = subject(messages=[USER, CALLING, TOOL], response="It is cancelled.")

    assert [call.name for call in read.tool_calls] == ["cancel"]
    assert read.response == "It is cancelled."


@pytest.mark.parametrize(
    "calls",
    [["search", "book"], [{"name": "search"}, {"tool": "book", "input": {}}]],
    ids=["names", "objects"],
)
def test_tool_calls_may_stand_alone(calls: Any) -> None:
    assert [call.name for call in subject(tool_calls=calls).tool_calls] == ["search", "book"]


def test_the_output_may_be_messages() -> None:
    read = subject(input=[USER], output=[CALLING, TOOL, DONE])

    assert (read.prompt, read.response) == ("Cancel it.", "It is cancelled.")
    assert [call.name for call in read.tool_calls] == ["cancel"]


def test_a_trace_is_events_or_messages() -> None:
    events = subject(trace=[{"event_type": "run_start", "trace_id": "t", "payload": {"a": "1"}}])
    spoken = subject(trace={"messages": [USER, DONE]})

    assert events.trace == (TraceEvent(event_type="run_start", trace_id="t", payload={"a": "1"}),)
    assert (spoken.trace, spoken.response) == ((), "It is cancelled.")


def test_content_of_parts_is_their_texts() -> None:
    parts = [{"type": "text", "text": "Cancel"}, {"type": "image_url", "image_url": {}}]

    assert subject(messages=[{"role": "user", "content": parts}]).prompt == "Cancel"


@pytest.mark.parametrize(
    "choices",
    [
        [{"id": "A", "text": "yes"}, {"id": "B", "text": "no"}],
        ["yes", "no"],
        {"A": "yes", "B": "no"},
    ],
    ids=["objects", "texts", "mapping"],
)
def test_choices_in_any_shape(choices: Any) -> None:
    read = subject(choices=choices, correct_choice_ids="B")

    assert [(each.id, each.text) for each in read.choices] == [("A", "yes"), ("B", "no")]
    assert read.correct_choice_ids == ("B",)


def test_a_rubric_in_any_shape() -> None:
    pairs = subject(rubric=[["good", 8], ["bad", -5]]).rubric
    texts = subject(rubric=["Names the article."]).rubric
    whole = subject(
        rubrics=[
            {
                "outcome": "Is right",
                "required": True,
                "score_ranges": [{"score_range": [0, 3], "outcome": "wrong"}],
            }
        ]
    ).rubric

    assert [(item.id, item.weight) for item in pairs] == [("good", 8), ("bad", -5)]
    assert (texts[0].id, texts[0].description) == ("criterion_1", "Names the article.")
    assert (whole[0].description, whole[0].required) == ("Is right", True)
    assert whole[0].score_ranges == {"0-3": "wrong"}


def test_a_context_is_a_text_or_chunks() -> None:
    text = subject(context="One.")
    texts = subject(context=["One.", "Two."])
    chunks = subject(chunks=[{"id": "c", "content": "One.", "rank": 3, "relevant": True}])

    assert (text.context, text.chunks) == ("One.", ())
    assert (texts.context, [chunk.rank for chunk in texts.chunks]) == ("One.\n\nTwo.", [1, 2])
    assert (chunks.chunks[0].rank, chunks.chunks[0].relevant) == (3, True)


def test_tokens_and_cost_as_servers_and_agentv_tell_them() -> None:
    usage = subject(usage={"prompt_tokens": 3, "completion_tokens": 4}, cost_usd=0.5)
    agentv = subject(token_usage={"input": 3, "output": 4, "cached": 1}, duration_ms=12.4)

    assert (usage.input_tokens, usage.output_tokens, usage.cost) == (3, 4, 0.5)
    assert (agentv.input_tokens, agentv.cached_tokens, agentv.latency_ms) == (3, 1, 12)


def test_an_answer_that_says_how_its_run_ended_is_a_session_of_one() -> None:
    read = subject(prompt="Go", response="No.", status="failed", failure_reason="timeout")

    assert [(run.status, run.failure_reason) for run in read.session] == [("failed", "timeout")]
    assert (read.session[0].user_input, read.session[0].output_text) == ("Go", "No.")


def test_the_runs_of_a_session_are_read() -> None:
    runs = [
        {"status": "success", "output_text": "Done", "capability_session_status": "pending"},
        {"status": "failed", "tool_calls": ["book"], "trace": [{"event_type": "run_failed"}]},
    ]

    read = subject(session={"runs": runs})

    assert [run.status for run in read.session] == ["success", "failed"]
    assert read.session[0].approval_status == "pending"
    assert [event.event_type for event in read.events] == ["run_failed"]
    assert [call.name for call in read.tool_calls] == ["book"]


def test_what_a_verifier_says_may_stand_beside_the_answer() -> None:
    assert subject(process_score=0.5).verifier_outputs[0].process_score == 0.5


def test_the_row_itself_is_the_record() -> None:
    assert subject(expected={"max_latency_ms": 5}).record["expected"] == {"max_latency_ms": 5}


def test_the_rules_of_a_subject_are_its_own() -> None:
    read = read_subject({"assertions": [{"type": "contains", "value": "x"}], "grading_rules": []})

    assert [rule["type"] for rule in read.own.rules] == ["contains"]


def test_what_nobody_knows_is_named() -> None:
    assert read_subject({"response": "x", "colour": 1}).unknown == ("colour",)


DEEP = json.loads("[" * 101 + "]" * 101)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "A subject must be an object, not a list."),
        ({"messages": [5]}, "messages[0] must be an object, not 5."),
        ({"latency_ms": True}, "latency_ms must be a number of 0 or more, not true."),
        ({"cost": 1e300}, "cost must be a number of 0 or more"),
        ({"assertions": [None]}, "A rule of a subject is an object with a type, not null."),
        ({"cost": 10**400}, "cost must be a number of 0 or more"),
        ({"cost": float("nan")}, "cost must be a number of 0 or more"),
        ({"latency_ms": -(10**400)}, "latency_ms must be a number of 0 or more"),
        ({"session": [{"latency_ms": 10**400}]}, "session[0].latency_ms must be a number"),
        ({"response": DEEP}, "response is nested too deeply"),
        ({"session": [5]}, "session[0] must be an object, not 5."),
        ({"trace": [{}]}, "trace[0].event_type must be a text, not null."),
        ({"trace": [{"event_type": "x", "payload": 1}]}, "trace[0].payload must be an object"),
        ({"chunks": [{"relevant": "yes"}]}, 'chunks[0].relevant must be true or false, not "yes".'),
        ({"rubric": [{"score_ranges": {"low": "x"}}]}, 'has bands like 0-3, not "low".'),
        ({"verifier_outputs": [{"process_score": 2}]}, "must be a number from 0 to 1, not 2."),
        ({"usage": 3}, "usage must be an object, not 3."),
        ({"grading_rules": ["x"]}, 'A rule of a subject is an object with a type, not "x".'),
    ],
    ids=lambda said: str(said)[:60],
)
def test_what_cannot_be_is_named_with_its_place(document: Any, said: str) -> None:
    with pytest.raises(SubjectError) as refused:
        read_subject(document)

    assert said in str(refused.value)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*sorted(KNOWN), "role", "content", "name"]), inner)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([*sorted(KNOWN), "x"]), values) | values)
@settings(deadline=None)
def test_any_document_is_a_subject_or_a_sentence(document: Any) -> None:
    with contextlib.suppress(SubjectError):
        assert isinstance(read_subject(document).subject, Subject)


def test_a_large_subject_is_read_in_no_time() -> None:
    document = json.loads(
        json.dumps({"response": "x" * 200_000, "messages": [USER, CALLING] * 5_000})
    )

    read = read_subject(document)

    assert len(read.subject.tool_calls) == 5_000


def test_many_deep_values_are_refused_without_exploding() -> None:
    deep = json.loads("[" * 400 + "]" * 400)

    with bounded(), pytest.raises(SubjectError, match="nested too deeply"):
        read_subject({"reference_answers": [deep] * 20_000})


def test_a_value_of_a_hundred_levels_is_a_text() -> None:
    read = read_subject({"response": DEEP[0]})

    assert json.loads(read.subject.response) == DEEP[0]
