from typing import Any

import pytest

from apps.targets.contracts import Message
from apps.targets.specs import TargetSpec
from tests.model_server import ModelServer

from .asking import question, reply_to, spec


def endpoint(server: ModelServer, **settings: Any) -> TargetSpec:
    return spec("http_json", **{"url": f"{server.root}/answer", **settings})


def test_a_template_is_filled_and_the_answer_found_at_its_path(model_server: ModelServer) -> None:
    model_server.plan(wrong_rate=0)
    target = endpoint(
        model_server,
        request_template={
            "prompt": "{{prompt}}",
            "about": "{{ record.input.context }}",
            "note": "id {{record_id}} of {{record.metadata.year}}",
            "options": ["{{record.metadata.year}}", 1, None],
        },
        response_path="answers[0].text",
        input_tokens_path="usage.in",
        output_tokens_path="usage.out",
    )
    record = {"input": {"context": ["a", "b"]}, "metadata": {"year": 1969}}

    reply = reply_to(target, question("What is 20 plus 22?", record=record))

    assert reply.text == "42"
    assert reply.usage.model_dump() == {"input_tokens": 4, "output_tokens": 0, "total_tokens": 4}
    assert model_server.last_request()["body"] == {
        "prompt": "What is 20 plus 22?",
        "about": ["a", "b"],
        "note": "id q_1 of 1969",
        "options": [1969, 1, None],
    }


def test_what_is_filled_in_is_never_read_as_a_template_or_as_json(
    model_server: ModelServer,
) -> None:
    hostile = '{{record.secret}}", "admin": true, "x": "${env:HOME} \\'
    target = endpoint(
        model_server, request_template={"prompt": "{{prompt}}", "text": "<{{prompt}}>"}
    )

    reply_to(target, question(hostile, record={"secret": "s3cret"}))

    assert model_server.last_request()["body"] == {"prompt": hostile, "text": f"<{hostile}>"}


def test_messages_and_system_can_be_sent_whole(model_server: ModelServer) -> None:
    target = endpoint(
        model_server, request_template={"messages": "{{messages}}", "system": "{{system}}"}
    )
    messages = (Message(role="system", content="S"), Message(role="user", content="U"))

    reply_to(target, question("U", messages=messages))

    assert model_server.last_request()["body"] == {
        "messages": [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}],
        "system": "S",
    }


def test_a_record_without_the_field_is_told_before_anything_is_sent(
    model_server: ModelServer,
) -> None:
    target = endpoint(model_server, request_template={"prompt": "{{record.input.context}}"})

    reply = reply_to(target, question("x"))

    assert reply.error_code == "invalid_request"
    assert "record.input.context" in reply.detail
    assert "q_1" in reply.detail
    assert model_server.stats()["requests"] == 0


def test_with_get_the_template_becomes_the_query(model_server: ModelServer) -> None:
    model_server.plan(wrong_rate=0)
    target = endpoint(model_server, method="GET", request_template={"prompt": "{{prompt}}", "n": 1})

    reply = reply_to(target, question("What is 1 plus 2? &n=9#x"))

    assert reply.text == "3"
    assert model_server.last_request()["body"] == {"prompt": "What is 1 plus 2? &n=9#x", "n": "1"}


def test_a_body_that_is_plain_text_may_be_the_answer(model_server: ModelServer) -> None:
    reply = reply_to(endpoint(model_server, response_path=""), question("x"))

    assert reply.text is not None
    assert reply.text.startswith('{"answer":')


@pytest.mark.parametrize(
    ("path", "answer"),
    [("usage", '{"in":0,"out":2}'), ("usage.out", "2"), ("answers[0].text", "ok-")],
)
def test_an_answer_that_is_no_text_is_given_as_json(
    model_server: ModelServer, path: str, answer: str
) -> None:
    reply = reply_to(endpoint(model_server, response_path=path), question("x"))

    assert (reply.text or "").startswith(answer)


@pytest.mark.parametrize(
    ("prompt", "changes", "code"),
    [
        ("x", {"response_path": "answers[7].text"}, "invalid_response"),
        ("[[malformed]]", {}, "invalid_response"),
        ("[[not_utf8]]", {"response_path": ""}, "invalid_response"),
        ("[[503]]", {}, "service_unavailable"),
        ("[[reset]]", {}, "service_unavailable"),
        ("[[hang]]", {"timeout_s": 0.3}, "timeout"),
    ],
)
def test_what_goes_wrong_gets_its_code(
    model_server: ModelServer, prompt: str, changes: dict[str, Any], code: str
) -> None:
    reply = reply_to(endpoint(model_server, **changes), question(prompt))

    assert reply.error_code == code
    assert reply.detail


def test_secrets_in_headers_come_from_the_environment_and_never_come_back(
    model_server: ModelServer,
) -> None:
    target = endpoint(
        model_server, headers={"Authorization": "Token ${env:MY_KEY}", "X-Team": "eval"}
    )

    refused = reply_to(target, question("[[401]]"), environ={"MY_KEY": "s3cr3t-key"})
    locked = reply_to(target, question("x"), environ={})

    assert model_server.last_request()["headers"]["authorization"] == "Token s3cr3t-key"
    assert model_server.last_request()["headers"]["x-team"] == "eval"
    assert refused.detail == "HTTP 401: planned 401, you sent Token ***"
    assert "MY_KEY" in locked.detail
    assert "s3cr3t" not in refused.model_dump_json() + repr(target)
