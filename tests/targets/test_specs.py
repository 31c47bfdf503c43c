from typing import Any

import pytest
from pydantic import ValidationError

from apps.targets.specs import parse_spec, spec_text

from .asking import spec

CHAT = {"kind": "openai_chat", "base_url": "http://127.0.0.1:1/v1", "model": "m"}
HTTP = {"kind": "http_json", "url": "http://127.0.0.1:1/answer"}


def complaint(values: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as refused:
        parse_spec(values)
    first = refused.value.errors()[0]
    return f"{'.'.join(str(step) for step in first['loc'])}: {first['msg']}"


@pytest.mark.parametrize(
    "values", [CHAT, HTTP, {"kind": "recorded"}, {"kind": "scripted", "canned": {"b": "1"}}]
)
def test_a_spec_survives_being_stored(values: dict[str, Any]) -> None:
    target = parse_spec(values)

    again = parse_spec(spec_text(target))

    assert again == target
    assert spec_text(again) == spec_text(target)


def test_the_order_of_keys_does_not_change_the_text() -> None:
    one = spec("scripted", canned={"a": "1", "b": "2"})
    other = spec("scripted", canned={"b": "2", "a": "1"})

    assert spec_text(one) == spec_text(other)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"concurrency": 0}, "openai_chat.concurrency"),
        ({"concurrency": 513}, "openai_chat.concurrency"),
        ({"max_attempts": 5}, "openai_chat.max_attempts"),
        ({"timeout_s": 601}, "openai_chat.timeout_s"),
        ({"temperature": 2.1}, "openai_chat.temperature"),
        ({"requests_per_minute": 0}, "openai_chat.requests_per_minute"),
        ({"price_input": -1}, "openai_chat.price_input"),
        ({"model": ""}, "openai_chat.model"),
        ({"surprise": 1}, "openai_chat.surprise"),
        ({"extra_body": {"messages": []}}, "openai_chat.extra_body"),
        ({"extra_body": {"api_key": "sk-1"}}, "openai_chat.extra_body"),
        ({"extra_body": {"x": "y" * 70_000}}, "openai_chat.extra_body"),
    ],
)
def test_a_value_out_of_bounds_is_refused_where_it_stands(
    change: dict[str, Any], where: str
) -> None:
    assert complaint({**CHAT, **change}).startswith(where)


@pytest.mark.parametrize(
    "name",
    [
        "EVALHUB_SECRET_KEY",
        "DJANGO_SECRET_KEY",
        "DATABASE_URL",
        "APP_DATABASE_URL",
        "PGPASSWORD",
        "POSTGRES_PASSWORD",
        "AWS_SECRET_ACCESS_KEY",
        "REDIS_URL",
        "SECRET_KEY",
        "PATH",
        "SENTRY_DSN",
    ],
)
def test_the_servers_own_variables_are_no_keys_for_targets(name: str) -> None:
    chat = complaint({**CHAT, "api_key_env": name})
    http = complaint({**HTTP, "headers": {"x-key": f"${{env:{name}}}"}})

    assert "belongs to the server itself" in chat
    assert "belongs to the server itself" in http


@pytest.mark.parametrize("name", ["sk-abc123", "my_key", "1KEY", "MY KEY", "MY-KEY"])
def test_a_key_in_place_of_its_variable_is_refused(name: str) -> None:
    assert "never the key itself" in complaint({**CHAT, "api_key_env": name})


@pytest.mark.parametrize(
    ("headers", "words"),
    [
        ({"Authorization": "Bearer sk-1"}, "looks like a secret"),
        ({"x-api-key": "abc"}, "looks like a secret"),
        ({"Cookie": "session=1"}, "looks like a secret"),
        ({"Host": "h"}, "set by EvalHub"),
        ({"Content-Length": "1"}, "set by EvalHub"),
        ({"x y": "1"}, "not a header's name"),
        ({"x": "a\r\nb: c"}, "printable ASCII"),
        ({"x": "${HOME}"}, "the only reference"),
        ({"x": "${env:my key}"}, "name an environment variable"),
    ],
)
def test_headers_hold_no_secrets_and_no_tricks(headers: dict[str, str], words: str) -> None:
    assert words in complaint({**HTTP, "headers": headers})


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ({"a": "{{unknown}}"}, "unknown placeholder"),
        ({"a": "{{record}}"}, "unknown placeholder"),
        ({"a": ["{{prompt.__class__}}"]}, "unknown placeholder"),
        ({"a": "{{ 7*7 }}"}, "unknown placeholder"),
        ({"{{prompt}}": 1}, "not in the key"),
    ],
)
def test_templates_know_their_placeholders_and_nothing_else(
    template: dict[str, Any], words: str
) -> None:
    assert words in complaint({**HTTP, "request_template": template})


def test_a_key_in_an_address_is_refused() -> None:
    assert "put it in a header" in complaint({**HTTP, "url": "http://h/a?x=1&api_key=2"})
    assert spec("http_json", url="http://h/a?max_tokens=5").kind == "http_json"


@pytest.mark.parametrize("path", ["a..b", ".a", "a[", "a[x]", "a b", "a.b["])
def test_a_path_is_a_path(path: str) -> None:
    assert "write a path like" in complaint({"kind": "recorded", "field": path})


def test_planned_errors_share_at_most_all_prompts() -> None:
    errors = [{"code": "timeout", "share": 0.6}, {"code": "rate_limited", "share": 0.6}]

    assert "more than 1" in complaint({"kind": "scripted", "planned_errors": errors})
