"""A spec in words: its settings in groups, what changed between two, and what to do on an error."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from apps.contract import Contract

from .contracts import ErrorCode, Reply
from .specs import SPEC_OF_KIND, Kind, Spec
from .words import ERRORS

MAX_SHOWN = 60
NOTHING = "–"


class KindInWords(Contract):
    """A kind of target to choose; `icon` is a lucide name."""

    name: Kind
    label: str
    scripted: bool
    text: str
    icon: str


class Group(Contract):
    """Settings that belong together, whatever the kind of target has of them."""

    title: str
    hint: str
    names: tuple[str, ...]


class Setting(Contract):
    """`long` values deserve a block of their own."""

    name: str
    title: str
    value: str
    help: str
    long: bool


class SettingGroup(Contract):
    title: str
    settings: tuple[Setting, ...]


class Change(Contract):
    title: str
    before: str
    after: str


class Connection(Contract):
    """What a connection test found: an answer, or an error and what to do about it."""

    answered: bool
    text: str
    model: str
    latency_ms: int | None
    error_code: ErrorCode | None
    detail: str
    advice: str

    @property
    def error(self) -> str:
        """In words; "" of an answer."""
        return ERRORS[self.error_code] if self.error_code else ""


_KINDS: dict[Kind, tuple[str, str]] = {
    "openai_chat": (
        "message-square",
        "Any server that speaks OpenAI's chat completions, by its base URL: a hosted model or one "
        "on your own machine.",
    ),
    "http_json": (
        "braces",
        "Your own application, asked with a request you write and read at a path you name.",
    ),
    "recorded": (
        "file-text",
        "Nobody is asked: the answers came with the dataset, or come in a file with the run.",
    ),
    "scripted": (
        "bot",
        "Answers made up by EvalHub, always the same for the same prompt. To try things without "
        "any model, and as a judge in demos.",
    ),
}
GROUPS = (
    Group(
        title="Target",
        hint="What it is called, and where it is.",
        names=("name", "base_url", "url", "method", "model", "api_key_env", "headers"),
    ),
    Group(
        title="Asking and answering",
        hint="What is sent, and where the answer is found.",
        names=(
            *("source", "field", "plays", "answer_field", "wrong_rate"),
            *("temperature", "top_p", "max_new_tokens", "max_tokens_field", "seed"),
            *("latency_ms", "latency_spread", "broken_json", "broken_attempts"),
            *("response_path", "input_tokens_path", "output_tokens_path"),
            *("system_prompt", "request_template", "extra_body", "canned", "planned_errors"),
        ),
    ),
    Group(
        title="What else the answer brings",
        hint="Where it tells what an agent did; rules see it. Each path may stay empty.",
        names=(
            *("status_path", "failure_reason_path", "tool_calls_path", "approvals_path"),
            *("trace_path", "trace_id_path", "release_identity_path"),
            *("idempotency_key_path", "side_effect_status_path"),
        ),
    ),
    Group(
        title="Pace and patience",
        hint="How much at once, how long, and how often again.",
        names=("concurrency", "requests_per_minute", "timeout_s", "max_attempts"),
    ),
    Group(
        title="Prices",
        hint="For the estimate before a run and its cost; without them costs are not known.",
        names=("price_input", "price_output", "currency"),
    ),
)

ADVICE: Mapping[ErrorCode, str] = {
    "timeout": "Check the address and that the server is up; a model may need a while to wake.",
    "rate_limited": "Wait a minute and test again, or set fewer requests per minute.",
    "service_unavailable": "Check the address and that the server is running, then test again.",
    "internal_error": "The server failed by itself: look into its log, then test again.",
    "invalid_response": "Check the address and where in the answer the text is.",
    "invalid_request": "Check the address, the model and what is sent besides the question.",
    "unauthorized": "Check that the variable is set on this server and its key is still valid.",
    "refused": "The model would not answer the test question; it may well answer others.",
    "no_answer": "Check the path to the answer and the limit of new tokens.",
}


def kinds_in_words() -> tuple[KindInWords, ...]:
    """The kinds to choose from, the usual one first."""
    return tuple(kind_in_words(name) for name in _KINDS)


def kind_in_words(name: Kind) -> KindInWords:
    icon, text = _KINDS[name]
    spec = SPEC_OF_KIND[name]
    return KindInWords(name=name, label=spec.label, scripted=spec.scripted, text=text, icon=icon)


def grouped_settings(spec: Spec) -> tuple[SettingGroup, ...]:
    """Every setting of the spec in the groups of its form, without the empty groups."""
    groups = (
        SettingGroup(title=group.title, settings=_settings(spec, group.names)) for group in GROUPS
    )
    return tuple(group for group in groups if group.settings)


def changes_between(before: Spec, after: Spec) -> tuple[Change, ...]:
    """The settings that differ, in words; both specs are of one kind."""
    fields = type(after).model_fields
    pairs = ((field, getattr(before, name), getattr(after, name)) for name, field in fields.items())
    return tuple(
        Change(title=str(field.title), before=_worded(old), after=_worded(new))
        for field, old, new in pairs
        if old != new
    )


def connection_of(reply: Reply) -> Connection:
    return Connection(
        answered=reply.error_code is None,
        text=reply.text or "",
        model=reply.model,
        latency_ms=reply.latency_ms,
        error_code=reply.error_code,
        detail=reply.detail,
        advice=ADVICE[reply.error_code] if reply.error_code else "",
    )


def _settings(spec: Spec, names: Iterable[str]) -> tuple[Setting, ...]:
    return tuple(_setting(spec, name) for name in names if name in type(spec).model_fields)


def _setting(spec: Spec, name: str) -> Setting:
    field, value = type(spec).model_fields[name], _worded(getattr(spec, name))
    return Setting(
        name=name,
        title=str(field.title),
        value=value,
        help=field.description or "",
        long=len(value) > MAX_SHOWN or "\n" in value,
    )


def _worded(value: Any) -> str:
    if value in (None, "", {}, ()):
        return NOTHING
    if isinstance(value, Mapping | Sequence) and not isinstance(value, str):
        return json.dumps(_plain(value), ensure_ascii=False, indent=2)
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Contract):
        return value.model_dump(mode="json")
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
