"""Every way a chat server can behave, through a real one."""

import asyncio
import hashlib
import logging
import socket
import threading
from typing import Any

import orjson
import pytest

from apps.targets.adapters import open_adapter
from apps.targets.adapters.openai_chat import completions_url
from apps.targets.contracts import Message, Reply
from apps.targets.specs import TargetSpec
from tests.model_server import ModelServer

from .asking import free_port, question, reply_to, spec


def chat(server: ModelServer, **settings: Any) -> TargetSpec:
    return spec("openai_chat", **{"base_url": server.base_url, "model": "test-model", **settings})


def asked(server: ModelServer, prompt: str, **settings: Any) -> Reply:
    return reply_to(chat(server, **settings), question(prompt))


def test_an_answer_comes_with_text_tokens_cost_and_the_hash_of_what_was_sent(
    model_server: ModelServer,
) -> None:
    model_server.plan(wrong_rate=0)

    reply = asked(model_server, "What is 2 plus 3?", price_input=1.0, price_output=2.0)

    body = {"model": "test-model", "messages": [{"role": "user", "content": "What is 2 plus 3?"}]}
    assert reply.text == "5"
    assert reply.error_code is None
    assert reply.http_status == 200
    assert reply.model == "test-model"
    assert reply.finish_reason == "stop"
    assert reply.usage.model_dump() == {"input_tokens": 4, "output_tokens": 1, "total_tokens": 5}
    assert reply.cost == pytest.approx((4 * 1.0 + 1 * 2.0) / 1e6)
    assert reply.request_sha256 == hashlib.sha256(orjson.dumps(body)).hexdigest()


def test_latency_is_measured(model_server: ModelServer) -> None:
    model_server.plan(latency_ms=120)

    reply = asked(model_server, "slow")

    assert reply.latency_ms is not None
    assert 110 <= reply.latency_ms < 1000


def test_only_the_settings_that_were_set_are_sent(model_server: ModelServer) -> None:
    asked(
        model_server,
        "x",
        temperature=0,
        max_new_tokens=10,
        max_tokens_field="max_completion_tokens",
        seed=7,
        extra_body={"reasoning_effort": "low"},
    )

    sent = model_server.last_request()["body"]
    assert sent == {
        "reasoning_effort": "low",
        "model": "test-model",
        "temperature": 0.0,
        "max_completion_tokens": 10,
        "seed": 7,
        "messages": [{"role": "user", "content": "x"}],
    }


def test_the_system_prompt_leads_unless_the_record_brings_its_own(
    model_server: ModelServer,
) -> None:
    target = chat(model_server, system_prompt="Be brief.")
    own = (Message(role="system", content="Be long."), Message(role="user", content="x"))

    reply_to(target, question("x"))
    ours = model_server.last_request()["body"]["messages"][0]
    reply_to(target, question("x", messages=own))
    theirs = model_server.last_request()["body"]["messages"]

    assert ours == {"role": "system", "content": "Be brief."}
    assert [message["content"] for message in theirs] == ["Be long.", "x"]


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        ("408", "timeout"),
        ("429", "rate_limited"),
        ("500", "internal_error"),
        ("501", "internal_error"),
        ("502", "service_unavailable"),
        ("503", "service_unavailable"),
        ("504", "service_unavailable"),
        ("529", "service_unavailable"),
        ("400", "invalid_request"),
        ("401", "unauthorized"),
        ("403", "unauthorized"),
        ("404", "invalid_request"),
        ("422", "invalid_request"),
        ("reset", "service_unavailable"),
        ("truncated", "service_unavailable"),
        ("malformed", "invalid_response"),
        ("not_utf8", "invalid_response"),
        ("redirect", "invalid_response"),
        ("no_choices", "invalid_response"),
        ("empty_choices", "invalid_response"),
        ("error_in_200", "invalid_response"),
        ("huge", "invalid_response"),
        ("huge_chunked", "invalid_response"),
        ("empty_content", "no_answer"),
        ("length", "no_answer"),
        ("content_filter", "refused"),
        ("filtered_prompt", "refused"),
        ("refusal", "refused"),
    ],
)
def test_what_goes_wrong_gets_its_code_and_a_sentence(
    model_server: ModelServer, behaviour: str, code: str
) -> None:
    reply = asked(model_server, f"[[{behaviour}]] hello")

    assert reply.error_code == code
    assert reply.text is None
    assert 5 < len(reply.detail) <= 300
    assert reply.latency_ms is not None
    assert len(reply.request_sha256) == 64
    assert model_server.stats()["requests"] == 1


@pytest.mark.parametrize("behaviour", ["hang", "drip"])
def test_a_call_ends_at_its_timeout_whatever_the_server_does(
    model_server: ModelServer, behaviour: str
) -> None:
    reply = asked(model_server, f"[[{behaviour}]] hello", timeout_s=0.4)

    assert reply.error_code == "timeout"
    assert reply.detail == "No whole answer within 0.4 s."
    assert reply.latency_ms is not None
    assert 350 <= reply.latency_ms < 3000


def test_a_server_that_is_not_there_is_unavailable() -> None:
    target = spec("openai_chat", base_url=f"http://127.0.0.1:{free_port()}/v1", model="m")

    reply = reply_to(target, question("x"))

    assert reply.error_code == "service_unavailable"
    assert reply.transient
    assert "No connection" in reply.detail


def test_a_host_that_is_not_known_is_no_reason_to_try_again() -> None:
    target = spec("openai_chat", base_url="http://no-such-host.invalid/v1", model="m")

    reply = reply_to(target, question("x"))

    assert reply.error_code in {"invalid_request", "service_unavailable"}
    assert reply.text is None


def test_a_server_without_tls_is_told_apart_from_one_that_is_down() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_answer_in_plain, args=(server,)).start()
        port = server.getsockname()[1]

        reply = reply_to(
            spec("openai_chat", base_url=f"https://127.0.0.1:{port}/v1", model="m"), question("x")
        )

    assert reply.error_code == "invalid_request"
    assert "https" in reply.detail


def _answer_in_plain(server: socket.socket) -> None:
    connection, _address = server.accept()
    with connection:
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        connection.recv(1000)


def test_the_wait_that_a_server_asks_for_is_kept(model_server: ModelServer) -> None:
    with_wait = asked(model_server, "[[429 after_ms=1500]] a")
    without = asked(model_server, "[[429]] b")
    too_long = asked(model_server, "[[503 after_ms=999000]] c")

    assert with_wait.retry_after_ms == 1500
    assert without.retry_after_ms is None
    assert too_long.retry_after_ms == 120_000


def test_a_second_attempt_may_succeed(model_server: ModelServer) -> None:
    prompt = "[[429 times=1]] What is 1 plus 1?"
    model_server.plan(wrong_rate=0)

    replies = [asked(model_server, prompt) for _ in range(2)]

    assert [reply.error_code for reply in replies] == ["rate_limited", None]
    assert replies[1].text == "2"
    assert model_server.calls(prompt) == 2


def test_the_server_tells_its_own_reason(model_server: ModelServer) -> None:
    assert asked(model_server, "[[400]]").detail == "HTTP 400: planned 400, you sent none"
    assert "upstream is full" in asked(model_server, "[[error_in_200]]").detail
    assert "finish reason length" in asked(model_server, "[[length]]").detail
    assert "redirects are not followed" in asked(model_server, "[[redirect]]").detail


def test_text_in_parts_is_joined(model_server: ModelServer) -> None:
    assert asked(model_server, "[[parts]]").text == "in parts"


def test_hostile_values_are_made_storable(model_server: ModelServer) -> None:
    reply = asked(model_server, "[[hostile_text]]", price_input=1.0, price_output=1.0)

    assert reply.text == "a\N{REPLACEMENT CHARACTER}b"
    assert len(reply.model) <= 200
    assert reply.usage.model_dump() == dict.fromkeys(
        ("input_tokens", "output_tokens", "total_tokens")
    )
    assert reply.cost is None


def test_no_more_calls_at_once_than_the_target_allows(model_server: ModelServer) -> None:
    model_server.plan(latency_ms=30)

    async def many() -> list[Reply]:
        async with open_adapter(chat(model_server, concurrency=4)) as adapter:
            return await asyncio.gather(*(adapter.ask(question(f"{n}")) for n in range(20)))

    replies = asyncio.run(many())

    assert all(reply.text for reply in replies)
    assert max(reply.latency_ms or 0 for reply in replies) < 120  # waiting is not latency
    assert model_server.stats()["peak_concurrency"] == 4
    assert model_server.stats()["connections"] <= 4 + 3  # and the three of this test's own


def test_the_key_is_sent_and_never_comes_back(
    model_server: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    key = "sk-very-secret-1234"
    target = chat(model_server, api_key_env="TEST_MODEL_KEY")

    replies = [
        reply_to(target, question(f"[[{behaviour}]]"), environ={"TEST_MODEL_KEY": key})
        for behaviour in ("echo_headers", "401", "400", "500", "429", "reset", "malformed")
    ]

    assert model_server.last_request()["headers"]["authorization"] == f"Bearer {key}"
    assert "***" in (replies[0].text or "")
    assert "***" in replies[1].detail
    seen = "".join(reply.model_dump_json() + repr(reply) for reply in replies)
    assert key not in seen + repr(target) + target.model_dump_json() + caplog.text


def test_without_its_key_nobody_is_asked(model_server: ModelServer) -> None:
    target = chat(model_server, api_key_env="TEST_MODEL_KEY")

    missing = reply_to(target, question("x"), environ={})
    broken = reply_to(target, question("x"), environ={"TEST_MODEL_KEY": "a\r\nb: c"})

    assert missing.error_code == broken.error_code == "unauthorized"
    assert missing.detail == "The environment variable TEST_MODEL_KEY is not set on this server."
    assert "a\r\n" not in broken.detail
    assert model_server.stats()["requests"] == 0


def test_a_judge_answers_in_strict_json(model_server: ModelServer) -> None:
    reply = asked(model_server, "Criterion: clarity\nJudge.", model="judge")

    opinion = orjson.loads(reply.text or "")
    assert opinion["criterion"] == "clarity"
    assert 1 <= opinion["score"] <= 10


@pytest.mark.parametrize(
    ("base_url", "endpoint"),
    [
        ("http://h/v1", "http://h/v1/chat/completions"),
        ("http://h/v1/", "http://h/v1/chat/completions"),
        ("http://h/v1/chat/completions", "http://h/v1/chat/completions"),
        ("http://h/d?api-version=2", "http://h/d/chat/completions?api-version=2"),
    ],
)
def test_the_endpoint_is_found_below_the_base_url(base_url: str, endpoint: str) -> None:
    assert completions_url(base_url) == endpoint
