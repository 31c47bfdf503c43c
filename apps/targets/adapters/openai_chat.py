"""Any server that speaks OpenAI's chat completions."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson

from apps.targets.client import Answered, Client, Failed
from apps.targets.contracts import Ask, Reply, Usage
from apps.targets.credentials import read_secret
from apps.targets.specs import OpenAIChatSpec

from .behaviours import answers, behaviour_of_message
from .replies import Replies, Said, UnreadableAnswerError, token_count


class OpenAIChatAdapter:
    def __init__(self, spec: OpenAIChatSpec, client: Client, environ: Mapping[str, str]) -> None:
        key = read_secret(spec.api_key_env, environ) if spec.api_key_env else None
        self._client = client
        self._url = completions_url(spec.base_url)
        self._headers = {"content-type": "application/json"}
        if key:
            self._headers["authorization"] = f"Bearer {key}"
        self._settings = settings_of(spec)
        self._system = spec.system_prompt
        self._replies = Replies(spec, (key,) if key else ())

    async def ask(self, ask: Ask) -> Reply:
        body = orjson.dumps({**self._settings, "messages": self._messages(ask)})
        sha256 = hashlib.sha256(body).hexdigest()
        outcome = await self._client.send("POST", self._url, body=body, headers=self._headers)
        if isinstance(outcome, Failed):
            return self._replies.failed(outcome, sha256)
        if outcome.status == 400 and is_content_filter(outcome.body):
            said = Said(error_code="refused", detail="The server's content filter refused.")
            return self._replies.said(said, outcome, sha256)
        if not 200 <= outcome.status < 300:
            return self._replies.refused(outcome, sha256)
        said = read_completion(outcome, offered="tools" in self._settings)
        return self._replies.said(said, outcome, sha256)

    def _messages(self, ask: Ask) -> list[dict[str, str]]:
        messages = [{"role": message.role, "content": message.content} for message in ask.messages]
        if self._system and not any(message["role"] == "system" for message in messages):
            messages.insert(0, {"role": "system", "content": self._system})
        return messages


def completions_url(base_url: str) -> str:
    """The endpoint below a base URL; a query (an API version) stays behind it."""
    address, mark, query = base_url.partition("?")
    address = address.rstrip("/")
    if not address.endswith("/chat/completions"):
        address += "/chat/completions"
    return address + mark + query


def settings_of(spec: OpenAIChatSpec) -> dict[str, Any]:
    """The request without its messages: only what was set, so that servers' defaults hold."""
    settings = {
        "model": spec.model,
        "temperature": spec.temperature,
        "top_p": spec.top_p,
        spec.max_tokens_field: spec.max_new_tokens,
        "seed": spec.seed,
    }
    return {
        **spec.extra_body,
        **{key: value for key, value in settings.items() if value is not None},
    }


def is_content_filter(body: bytes) -> bool:
    """Some servers answer a filtered prompt with 400 and this code."""
    try:
        return bool(orjson.loads(body)["error"]["code"] == "content_filter")
    except (orjson.JSONDecodeError, LookupError, TypeError):
        return False


def read_completion(outcome: Answered, *, offered: bool = False) -> Said:
    """The answer of a 200 body, or the reason why there is none; `offered`: it had tools."""
    try:
        document = _document(outcome.body)
        choice = _first_choice(document)
    except UnreadableAnswerError as error:
        return Said(error_code="invalid_response", detail=str(error))
    said = Said(
        usage=_usage(document.get("usage")),
        model=_text(document.get("model")),
        finish_reason=_text(choice.get("finish_reason")),
    )
    return _told(said, choice["message"], offered)


def _told(said: Said, message: dict[str, Any], offered: bool) -> Said:
    """The message's text and the tools that it calls, or why it has neither."""
    if refusal := _text(message.get("refusal")):
        return replace(said, error_code="refused", detail=f"The model refuses: {refusal}")
    if said.finish_reason == "content_filter":
        detail = "The server's content filter cut the answer."
        return replace(said, error_code="refused", detail=detail)
    text = _content(message.get("content"))
    behaviour = behaviour_of_message(message, offered=offered)
    if not text.strip() and not answers(behaviour):
        detail = f"An empty answer, finish reason {said.finish_reason or 'not given'}."
        return replace(said, error_code="no_answer", detail=detail)
    return replace(said, text=text, behaviour=behaviour)


def _document(body: bytes) -> dict[str, Any]:
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise UnreadableAnswerError("The answer is not valid JSON.") from None
    if not isinstance(document, dict):
        raise UnreadableAnswerError("The answer is not a JSON object.")
    return document


def _first_choice(document: dict[str, Any]) -> dict[str, Any]:
    choices = document.get("choices")
    if not isinstance(choices, list) or not choices:
        error = document.get("error")
        message = _text(error.get("message")) if isinstance(error, dict) else ""
        raise UnreadableAnswerError(
            f"The answer holds an error in place of choices: {message}"
            if message
            else "The answer holds no choices."
        )
    choice = choices[0]
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        raise UnreadableAnswerError("The answer's first choice holds no message.")
    return choice


def _content(content: Any) -> str:
    """Text, or the text parts of a list of parts."""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return _text(content)


def _usage(usage: Any) -> Usage:
    if not isinstance(usage, dict):
        return Usage()
    return Usage(
        input_tokens=token_count(usage.get("prompt_tokens")),
        output_tokens=token_count(usage.get("completion_tokens")),
        total_tokens=token_count(usage.get("total_tokens")),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
