"""What answers tell of how the system went about them, in whatever shape they tell it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.targets.adapters.behaviours import DEEPEST, behaviour_at, tool_calls_of
from apps.targets.adapters.http_json import read_answer
from apps.targets.adapters.openai_chat import read_completion
from apps.targets.adapters.replies import Replies
from apps.targets.client import Answered
from apps.targets.contracts import Behaviour, Message
from apps.targets.specs import HttpJsonSpec, parse_spec, spec_text
from tests.model_server import ModelServer

from .asking import question, reply_to, spec

PATHS = {
    "status_path": "run.status",
    "failure_reason_path": "run.reason",
    "tool_calls_path": "run.tools",
    "approvals_path": "run.approvals",
    "trace_path": "run.events",
    "trace_id_path": "run.trace",
    "release_identity_path": "release",
    "idempotency_key_path": "run.key",
    "side_effect_status_path": "run.effect",
}
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def endpoint(**settings: Any) -> HttpJsonSpec:
    return HttpJsonSpec(url="http://127.0.0.1:9/answer", **settings)


def read(body: Any, **settings: Any) -> Any:
    return read_answer(endpoint(**{**PATHS, **settings}), json.dumps(body).encode())


def completion(message: dict[str, Any], **more: Any) -> Any:
    body = json.dumps({"choices": [{"message": message}]}).encode()
    return read_completion(Answered(200, {}, body, 1), **more)


def test_everything_at_the_paths_is_brought_along() -> None:
    run = {
        "status": "failed",
        "reason": "tool_timeout",
        "tools": [{"name": "lookup", "arguments": {"id": 7}, "result": "none"}],
        "approvals": [{"approval_id": "a1", "status": "pending"}],
        "events": [{"event_type": "run_start", "trace_id": "t1", "payload": {"a": "b"}}],
        "trace": "t1",
        "key": "k1",
        "effect": "unknown",
    }

    said = read({"answer": "Sorry.", "release": "2026.1", "run": run})

    assert said.text == "Sorry."
    assert said.behaviour == Behaviour(
        status="failed",
        failure_reason="tool_timeout",
        tool_calls=({"name": "lookup", "arguments": {"id": 7}, "result": "none"},),
        approvals=({"approval_id": "a1", "status": "pending"},),
        trace=({"event_type": "run_start", "trace_id": "t1", "payload": {"a": "b"}},),
        trace_id="t1",
        release_identity="2026.1",
        idempotency_key="k1",
        side_effect_status="unknown",
    )


@pytest.mark.parametrize(
    ("told", "kept"),
    [
        (
            {"type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}},
            {"name": "f", "arguments": '{"a": 1}'},
        ),
        (
            {"tool": "f", "input": {"a": 1}, "output": 3},
            {"name": "f", "arguments": {"a": 1}, "result": 3},
        ),
        ("f", {"name": "f"}),
    ],
)
def test_tool_calls_are_understood_as_systems_spell_them(told: Any, kept: dict[str, Any]) -> None:
    assert tool_calls_of([told]) == tool_calls_of(told) == (kept,)


def test_a_target_without_paths_tells_nothing_and_one_with_them_tells_that_nothing_was_done() -> (
    None
):
    assert behaviour_at(endpoint(), {"answer": "x"}) is None
    assert behaviour_at(endpoint(tool_calls_path="tools"), {"answer": "x"}) == Behaviour()


@pytest.mark.parametrize(
    "run", [{"tools": ["f"]}, {"status": "denied"}, {"reason": "tool_timeout"}]
)
@pytest.mark.parametrize("answer", [{}, {"answer": ""}])
def test_an_answer_without_words_that_did_something_is_an_answer(
    run: dict[str, Any], answer: dict[str, Any]
) -> None:
    said = read({**answer, "run": run})

    assert (said.text, said.error_code) == ("", None)


def test_an_answer_without_words_or_deeds_is_none() -> None:
    assert read({"answer": "", "run": {"trace": "t1"}}).error_code == "no_answer"
    assert read({"run": {"trace": "t1"}}).error_code == "invalid_response"


def test_tool_calls_alone_are_an_answer_of_a_chat() -> None:
    calls = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]

    said = completion({"content": None, "tool_calls": calls})

    assert (said.text, said.error_code) == ("", None)
    assert said.behaviour == Behaviour(tool_calls=({"name": "f", "arguments": "{}"},))


def test_a_chat_that_was_offered_tools_and_called_none_says_so() -> None:
    assert completion({"content": "4"}).behaviour is None
    assert completion({"content": "4"}, offered=True).behaviour == Behaviour()
    assert completion({"content": ""}, offered=True).error_code == "no_answer"


def test_secrets_are_masked_wherever_the_answer_repeats_them() -> None:
    replies = Replies(endpoint(), ("s3cr3t-key",))
    said = read({"answer": "x", "run": {"tools": [{"name": "f", "args": {"key": ["s3cr3t-key"]}}]}})

    reply = replies.said(said, Answered(200, {}, b"", 1), "")

    assert "s3cr3t-key" not in reply.model_dump_json()
    assert "***" in reply.model_dump_json()


def test_what_is_nested_too_deeply_is_kept_as_text() -> None:
    deep: Any = "end"
    for _ in range(10 * DEEPEST):
        deep = [deep]

    (call,) = tool_calls_of([{"name": "f", "arguments": deep}])

    assert "end" in json.dumps(call)
    Behaviour(tool_calls=(call,)).model_dump_json()


@given(st.fixed_dictionaries(dict.fromkeys(("run", "release", "answer"), ANYTHING)))
def test_whatever_an_answer_holds_it_is_read_or_refused(body: Any) -> None:
    said = read(body)

    assert (said.text is None) is (said.error_code is not None)


@given(ANYTHING)
def test_whatever_stands_for_tool_calls_each_has_a_name(value: Any) -> None:
    assert all(call["name"] for call in tool_calls_of(value))


def test_a_spec_without_the_later_fields_is_written_as_it_always_was() -> None:
    plain = parse_spec({"kind": "http_json", "url": "http://127.0.0.1:9/answer"})
    told = parse_spec({**plain.model_dump(), "status_path": "status"})

    assert "status_path" not in spec_text(plain)
    assert parse_spec(spec_text(plain)) == plain
    assert "status_path" in spec_text(told)


def test_a_template_tells_the_session_the_turn_and_what_was_said_before(
    model_server: ModelServer,
) -> None:
    template = {
        "prompt": "{{prompt}}",
        "session": "{{session_id}}",
        "turn": "{{turn}}",
        "before": "{{conversation}}",
        "all": "{{messages}}",
    }
    target = spec("http_json", url=f"{model_server.root}/answer", request_template=template)
    said = [("user", "Hello"), ("assistant", "Hi"), ("user", "And now?")]
    messages = tuple(Message(role=role, content=text) for role, text in said)  # type: ignore[arg-type]

    reply_to(target, question("", messages=messages, session_id="s1", turn=1))

    spelled = [{"role": role, "content": text} for role, text in said]
    assert model_server.last_request()["body"] == {
        "prompt": "And now?",
        "session": "s1",
        "turn": 2,
        "before": spelled[:2],
        "all": spelled,
    }
