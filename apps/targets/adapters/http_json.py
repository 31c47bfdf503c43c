"""Any endpoint that takes JSON (or a query) and gives JSON or text."""

import hashlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import orjson

from apps.targets.client import Answered, Client, Failed
from apps.targets.contracts import Ask, Reply, Usage
from apps.targets.credentials import read_secret
from apps.targets.headers import resolved_headers
from apps.targets.paths import AbsentError, value_at, value_or_none
from apps.targets.placeholders import TemplateError, filled
from apps.targets.specs import HttpJsonSpec

from .behaviours import answers, behaviour_at
from .replies import Replies, Said, UnreadableAnswerError, token_count


class HttpJsonAdapter:
    def __init__(self, spec: HttpJsonSpec, client: Client, environ: Mapping[str, str]) -> None:
        self._spec = spec
        self._client = client
        self._headers = resolved_headers(spec.headers, environ)
        secrets = tuple(read_secret(name, environ) for name in spec.secret_names)
        self._replies = Replies(spec, secrets)

    async def ask(self, ask: Ask) -> Reply:
        try:
            request = filled(self._spec.request_template, ask)
        except TemplateError as error:
            return Reply(error_code="invalid_request", detail=str(error))
        body = orjson.dumps(request)
        sha256 = hashlib.sha256(body).hexdigest()
        outcome = await self._send(request, body)
        if isinstance(outcome, Failed):
            return self._replies.failed(outcome, sha256)
        if not 200 <= outcome.status < 300:
            return self._replies.refused(outcome, sha256)
        return self._replies.said(read_answer(self._spec, outcome.body), outcome, sha256)

    async def _send(self, request: dict[str, Any], body: bytes) -> Answered | Failed:
        if self._spec.method == "GET":
            url = with_query(self._spec.url, request)
            return await self._client.send("GET", url, body=None, headers=self._headers)
        headers = {**self._headers, "content-type": "application/json"}
        return await self._client.send("POST", self._spec.url, body=body, headers=headers)


def with_query(url: str, fields: Mapping[str, Any]) -> str:
    pairs = urlencode({name: _as_text(value) for name, value in fields.items()})
    return f"{url}{'&' if '?' in url else '?'}{pairs}"


def read_answer(spec: HttpJsonSpec, body: bytes) -> Said:
    """The text, the tokens and the rest at the spec's paths, or why there is no answer."""
    behaviour = None
    try:
        document = _document(body, as_text=not spec.response_path)
        behaviour = behaviour_at(spec, document)
        text = _answer_at(document, spec.response_path)
    except UnreadableAnswerError as error:
        if not answers(behaviour):
            return Said(error_code="invalid_response", detail=str(error))
        text = ""
    usage = _usage(spec, document)
    if not text.strip() and not answers(behaviour):
        return Said(error_code="no_answer", detail="An empty answer.", usage=usage)
    return Said(text=text, usage=usage, behaviour=behaviour)


def _document(body: bytes, *, as_text: bool) -> Any:
    try:
        return body.decode() if as_text else orjson.loads(body)
    except UnicodeDecodeError:
        raise UnreadableAnswerError("The answer is not UTF-8 text.") from None
    except orjson.JSONDecodeError:
        raise UnreadableAnswerError("The answer is not valid JSON.") from None


def _answer_at(document: Any, path: str) -> str:
    try:
        value = value_at(document, path)
    except AbsentError:
        raise UnreadableAnswerError(f"The answer holds nothing at {path}.") from None
    return "" if value is None else _as_text(value)


def _usage(spec: HttpJsonSpec, document: Any) -> Usage:
    counted = [
        _tokens_at(document, spec.input_tokens_path),
        _tokens_at(document, spec.output_tokens_path),
    ]
    known = [count for count in counted if count is not None]
    total = sum(known) if len(known) == len(counted) else None
    return Usage(input_tokens=counted[0], output_tokens=counted[1], total_tokens=total)


def _tokens_at(document: Any, path: str) -> int | None:
    return token_count(value_or_none(document, path)) if path else None


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
