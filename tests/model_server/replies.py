"""The bodies that the test server sends."""

import json
from typing import Any

TOKEN = 4  # characters


def completion(prompt: str, answer: str, model: str) -> dict[str, Any]:
    tokens_in, tokens_out = max(1, len(prompt) // TOKEN), max(1, len(answer) // TOKEN)
    return {
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": answer},
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        },
    }


def plain(prompt: str, answer: str) -> dict[str, Any]:
    """The answer of the endpoint that is not OpenAI's."""
    return {
        "answer": answer,
        "answers": [{"text": answer}],
        "usage": {"in": len(prompt) // TOKEN, "out": len(answer) // TOKEN},
    }


def error(status: int, headers: dict[str, str]) -> bytes:
    """An error body that, like some proxies, quotes the caller's own header."""
    quoted = headers.get("authorization", headers.get("x-api-key", "none"))
    message = f"planned {status}, you sent {quoted}"
    return json.dumps({"error": {"message": message, "code": "planned"}}).encode()


FILTERED_PROMPT = json.dumps(
    {"error": {"message": "The prompt was filtered.", "code": "content_filter"}}
).encode()


BENT = frozenset(
    {
        "no_choices",
        "empty_choices",
        "error_in_200",
        "empty_content",
        "length",
        "content_filter",
        "refusal",
        "parts",
        "hostile_text",
        "echo_headers",
    }
)
"""Behaviours that count as an answer with one thing wrong with it."""


def bent(mode: str, document: dict[str, Any], headers: dict[str, str]) -> bytes:
    """A 200 body with one thing wrong with it."""
    choice = document["choices"][0]
    changes: dict[str, Any] = {
        "no_choices": {"choices": None},
        "empty_choices": {"choices": []},
        "error_in_200": {"choices": None, "error": {"message": "upstream is full"}},
        "empty_content": {"choices": [_said(choice, "  ")]},
        "length": {"choices": [{**_said(choice, ""), "finish_reason": "length"}]},
        "content_filter": {
            "choices": [{**_said(choice, "Half an"), "finish_reason": "content_filter"}]
        },
        "refusal": {"choices": [{**choice, "message": {"content": None, "refusal": "No."}}]},
        "parts": {"choices": [_said(choice, [{"type": "text", "text": "in parts"}])]},
        "hostile_text": {
            "choices": [_said(choice, "a\x00b")],
            "model": "m" * 5000,
            "usage": {"prompt_tokens": -1, "completion_tokens": True, "total_tokens": "many"},
        },
        "echo_headers": {"choices": [_said(choice, json.dumps(headers))]},
    }
    return json.dumps({**document, **changes[mode]}).encode()


def _said(choice: dict[str, Any], content: Any) -> dict[str, Any]:
    return {**choice, "message": {"role": "assistant", "content": content}}
