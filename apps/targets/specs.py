"""What a target is, by kind: frozen settings that pages, commands and runs share.

Titles and descriptions are what forms and help texts show.
"""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, TypeAdapter, field_validator, model_validator

from apps.artifacts.canonical import canonical
from apps.contract import Contract

from .addresses import TargetUrl
from .contracts import ErrorCode
from .credentials import SENSITIVE_NAME, EnvName, references
from .headers import checked_headers
from .paths import Path
from .placeholders import checked_template

Share = Annotated[float, Field(ge=0, le=1)]


class Spec(Contract):
    """What every kind has."""

    label: ClassVar[str]
    scripted: ClassVar[bool] = False
    converses: ClassVar[bool] = True
    """Whether a session's inputs are sent one after the other; else one answer stands for all."""
    later: ClassVar[frozenset[str]] = frozenset()
    """Fields that came when specs were stored already: unset they are not written, so that what
    did not change keeps its hash."""

    max_attempts: int = Field(
        3,
        ge=1,
        le=4,
        title="Attempts",
        description="Calls per record when a failure is transient; waits are 2, 6 and 14 seconds.",
    )
    timeout_s: float = Field(
        60, ge=0.1, le=600, title="Timeout (s)", description="The longest one call may take."
    )
    concurrency: int = Field(
        8,
        ge=1,
        le=512,
        title="Concurrency",
        description="Calls at the same time from one worker process.",
    )

    @property
    def secret_names(self) -> tuple[str, ...]:
        """The environment variables that a call reads."""
        return ()


class Paced(Spec):
    """What is asked over time: a pace and prices."""

    requests_per_minute: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        title="Requests per minute",
        description="Shared by all workers; empty for no limit.",
    )
    price_input: float | None = Field(
        None,
        ge=0,
        allow_inf_nan=False,
        title="Price of input",
        description="Per million tokens, in the currency below.",
    )
    price_output: float | None = Field(
        None,
        ge=0,
        allow_inf_nan=False,
        title="Price of output",
        description="Per million tokens, in the currency below.",
    )
    currency: str = Field("USD", pattern=r"^[A-Z]{3}$", title="Currency")


class RecordedSpec(Spec):
    label = "Recorded answers"
    converses = False

    kind: Literal["recorded"] = "recorded"
    source: Literal["record", "answers", "data"] = Field(
        "record",
        title="Where answers are",
        description="In a field of each record, in an answers file given when a run starts, or in "
        "the data as its format says (pairs, prefilled answers, imported results).",
    )
    field: Path = Field(
        "reference.answer",
        min_length=1,
        title="Field",
        description="Only for record: a path in it, like reference.answer or metadata.response.",
    )


class OpenAIChatSpec(Paced):
    label = "OpenAI-compatible chat"

    kind: Literal["openai_chat"] = "openai_chat"
    base_url: TargetUrl = Field(
        title="Base URL",
        description="Where /chat/completions is, like https://api.openai.com/v1.",
    )
    model: str = Field(min_length=1, max_length=200, title="Model")
    api_key_env: EnvName | None = Field(
        None,
        title="API key variable",
        description="Name of the environment variable that holds the key; the key is never stored.",
    )
    system_prompt: str | None = Field(
        None,
        max_length=200_000,
        title="System prompt",
        description="Sent first, unless the record brings one of its own.",
        json_schema_extra={"long": True},
    )
    temperature: float | None = Field(None, ge=0, le=2, title="Temperature")
    top_p: float | None = Field(None, gt=0, le=1, title="Top p")
    max_new_tokens: int | None = Field(None, ge=1, le=1_000_000, title="Most new tokens")
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = Field(
        "max_tokens",
        title="Name of the token limit",
        description="How the server calls it; newer OpenAI models want max_completion_tokens.",
    )
    seed: int | None = Field(None, ge=0, le=2**63 - 1, title="Seed")
    extra_body: dict[str, Any] = Field(
        {},
        title="Further request fields",
        description="A JSON object that is added to each request.",
    )

    @field_validator("extra_body")
    @classmethod
    def _leaves_ours_alone(cls, extra: dict[str, Any]) -> dict[str, Any]:
        taken = {"messages", "model", "stream", "n"} & extra.keys()
        if taken:
            raise ValueError(f"{min(taken)} is set by EvalHub itself")
        secret = next((key for key in extra if SENSITIVE_NAME.search(key)), None)
        if secret:
            raise ValueError(f"{secret} looks like a secret; name a variable instead")
        return _sendable(extra)

    @property
    def secret_names(self) -> tuple[str, ...]:
        return (self.api_key_env,) if self.api_key_env else ()


class HttpJsonSpec(Paced):
    label = "HTTP endpoint with JSON"
    later = frozenset(
        (
            *("status_path", "failure_reason_path", "tool_calls_path", "approvals_path"),
            *("trace_path", "trace_id_path", "release_identity_path"),
            *("idempotency_key_path", "side_effect_status_path"),
        )
    )

    kind: Literal["http_json"] = "http_json"
    url: TargetUrl = Field(title="URL")
    method: Literal["POST", "GET"] = Field(
        "POST", title="Method", description="With GET the template's fields become the query."
    )
    headers: Annotated[dict[str, str], AfterValidator(checked_headers)] = Field(
        {},
        title="Headers",
        description='Secrets by reference only, like {"Authorization": "Bearer ${env:MY_KEY}"}.',
    )
    request_template: dict[str, Any] = Field(
        {"prompt": "{{prompt}}"},
        title="Request template",
        description="JSON with {{prompt}}, {{system}}, {{messages}}, {{record_id}} and "
        "{{record.…}}, like {{record.input.context}}; in a session also {{session_id}}, {{turn}} "
        "(from 1) and {{conversation}}, what was said before.",
    )
    response_path: Path = Field(
        "answer",
        title="Path to the answer",
        description="Like choices[0].text; empty when the whole body is the answer as text.",
    )
    input_tokens_path: Path = Field("", title="Path to the input tokens")
    output_tokens_path: Path = Field("", title="Path to the output tokens")
    status_path: Path = Field(
        "",
        title="Path to the status",
        description="What came of the run, like success, denied, failed or approval_required.",
    )
    failure_reason_path: Path = Field(
        "", title="Path to the failure reason", description="Why the run failed, where it did."
    )
    tool_calls_path: Path = Field(
        "",
        title="Path to the tool calls",
        description='A list of calls, each like {"name": …, "arguments": …, "result": …}.',
    )
    approvals_path: Path = Field(
        "",
        title="Path to the approvals",
        description='A list, each like {"approval_id": …, "status": "pending", "capability_name": '
        "…}.",
    )
    trace_path: Path = Field(
        "",
        title="Path to the trace",
        description='A list of events, each like {"event_type": …, "payload": {…}}.',
    )
    trace_id_path: Path = Field("", title="Path to the trace id")
    release_identity_path: Path = Field(
        "", title="Path to the release identity", description="Which release of yours answered."
    )
    idempotency_key_path: Path = Field("", title="Path to the idempotency key")
    side_effect_status_path: Path = Field("", title="Path to the side effect's status")

    @field_validator("url")
    @classmethod
    def _holds_no_secret(cls, url: str) -> str:
        for name in url.partition("?")[2].split("&"):
            if SENSITIVE_NAME.search(name.partition("=")[0]):
                raise ValueError("a key in the address is not allowed; put it in a header")
        return url

    @field_validator("request_template")
    @classmethod
    def _knows_its_placeholders(cls, template: dict[str, Any]) -> dict[str, Any]:
        checked_template(template)
        return _sendable(template)

    @property
    def secret_names(self) -> tuple[str, ...]:
        return tuple(name for value in self.headers.values() for name in references(value))


class PlannedError(Contract):
    """A share of prompts fails with `code` in the first `attempts` attempts (0: in all)."""

    code: ErrorCode
    share: Share
    attempts: int = Field(0, ge=0, le=10)
    retry_after_ms: int | None = Field(None, ge=0, le=120_000)


class ScriptedSpec(Paced):
    """Deterministic by the prompt's hash; every page says that no model answered."""

    label = "Scripted (no model answers)"
    scripted = True

    kind: Literal["scripted"] = "scripted"
    plays: Literal["system", "judge"] = Field(
        "system",
        title="Plays",
        description="A system that answers, or a judge that gives strict JSON.",
    )
    answer_field: Path = Field(
        "reference.answer",
        min_length=1,
        title="Field of the right answer",
        description="Path inside the record.",
    )
    canned: dict[str, str] = Field(
        {}, title="Canned answers", description="Exact prompt to answer; these come first."
    )
    wrong_rate: Share = Field(
        0.1,
        title="Share of wrong answers",
        description="Of a judge: the share of low marks.",
    )
    latency_ms: int = Field(0, ge=0, le=120_000, title="Latency (ms)")
    latency_spread: Share = Field(
        0, title="Latency spread", description="0.5 spreads the latency by half to either side."
    )
    broken_json: Share = Field(
        0, title="Share of broken JSON", description="Of a judge: answers that do not parse."
    )
    broken_attempts: int = Field(
        1, ge=0, le=10, title="Broken answers", description="How often they break first; 0: always."
    )
    planned_errors: tuple[PlannedError, ...] = Field(
        (),
        title="Planned errors",
        description='Like [{"code": "rate_limited", "share": 0.05, "attempts": 1}].',
    )
    seed: int = Field(0, ge=0, le=2**31, title="Seed")

    @model_validator(mode="after")
    def _shares_fit(self) -> Self:
        if sum(error.share for error in self.planned_errors) > 1:
            raise ValueError("the shares of the planned errors add up to more than 1")
        return self


TargetSpec = Annotated[
    RecordedSpec | OpenAIChatSpec | HttpJsonSpec | ScriptedSpec, Field(discriminator="kind")
]
Kind = Literal["recorded", "openai_chat", "http_json", "scripted"]
SPEC_OF_KIND: dict[str, type[Spec]] = {
    "recorded": RecordedSpec,
    "openai_chat": OpenAIChatSpec,
    "http_json": HttpJsonSpec,
    "scripted": ScriptedSpec,
}
MAX_TEMPLATE_BYTES = 64 * 1024
_ADAPTER: TypeAdapter[TargetSpec] = TypeAdapter(TargetSpec)


def parse_spec(values: str | bytes | dict[str, Any]) -> TargetSpec:
    """The spec of JSON text or of a mapping with `kind`; pydantic's ValidationError otherwise."""
    if isinstance(values, dict):
        return _ADAPTER.validate_python(values)
    return _ADAPTER.validate_json(values)


def spec_text(spec: TargetSpec) -> str:
    """Canonical JSON: what a version stores and what its hash is taken of."""
    fields = type(spec).model_fields
    unset = {name for name in spec.later if getattr(spec, name) == fields[name].default}
    return canonical(spec.model_dump(mode="json", exclude=unset)).decode()


def _sendable(value: dict[str, Any]) -> dict[str, Any]:
    try:
        size = len(canonical(value))
    except ValueError:
        raise ValueError("this is not plain JSON") from None
    if size > MAX_TEMPLATE_BYTES:
        raise ValueError(f"at most {MAX_TEMPLATE_BYTES // 1024} KB")
    return value
