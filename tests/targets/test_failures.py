from datetime import UTC, datetime

import pytest

from apps.targets.contracts import Usage
from apps.targets.failures import clipped, code_of_status, retry_after_ms, sentence_of_status
from apps.targets.prices import cost_of

NOW = datetime(2026, 1, 15, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after": "3"}, 3000),
        ({"retry-after": "0.25"}, 250),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1500),
        ({"retry-after-ms": "soon", "retry-after": "2"}, 2000),
        ({"retry-after": "Thu, 15 Jan 2026 10:00:30 GMT"}, 30_000),
        ({"retry-after": "Thu, 15 Jan 2026 09:00:00 GMT"}, 0),
        ({"retry-after": "Thu, 15 Jan 2026 10:00:30 -0000"}, 30_000),
        ({"retry-after": "9999999"}, 120_000),
        ({"retry-after": "-5"}, 0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "tomorrow"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_seconds_or_milliseconds_or_a_date(
    headers: dict[str, str], wait: int | None
) -> None:
    assert retry_after_ms(headers, NOW) == wait


@pytest.mark.parametrize(
    ("status", "code"),
    [(302, "invalid_response"), (418, "invalid_request"), (599, "internal_error")],
)
def test_every_status_has_a_code(status: int, code: str) -> None:
    assert code_of_status(status) == code


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b'{"error": {"message": "no\\nmodel"}}', "HTTP 404: no model"),
        (b'{"error": "gone"}', "HTTP 404: gone"),
        (b'{"detail": "Not Found"}', "HTTP 404: Not Found"),
        (b"<html>long page</html>", "HTTP 404."),
        (b'{"error": {"message": 5}}', "HTTP 404."),
        (b"[" * 5000, "HTTP 404."),
        (b"", "HTTP 404."),
    ],
)
def test_the_servers_message_is_quoted_where_there_is_one(body: bytes, sentence: str) -> None:
    assert sentence_of_status(404, body) == sentence


def test_long_text_is_clipped_to_one_line() -> None:
    text = clipped("a\x00\x1b[31m b\n" * 1000)

    assert len(text) == 300
    assert text.endswith("…")
    assert text.isprintable()


def test_cost_is_unknown_without_both_prices_and_both_counts() -> None:
    usage = Usage(input_tokens=1_000_000, output_tokens=500_000)

    assert cost_of(usage, 2.0, 4.0) == 4.0
    assert cost_of(usage, None, 4.0) is None
    assert cost_of(Usage(input_tokens=1), 2.0, 4.0) is None
    assert cost_of(usage, 0.0, 0.0) == 0
