"""What a target is asked and what it answers, whatever its kind."""

from typing import Any, Literal, Protocol, get_args

from apps.contract import Contract

ErrorCode = Literal[
    "timeout",
    "rate_limited",
    "service_unavailable",
    "internal_error",
    "invalid_response",
    "invalid_request",
    "unauthorized",
    "refused",
    "no_answer",
]
ERROR_CODES: tuple[ErrorCode, ...] = get_args(ErrorCode)
TRANSIENT: frozenset[str] = frozenset(
    {"timeout", "rate_limited", "service_unavailable", "internal_error"}
)


class Message(Contract):
    role: Literal["system", "user", "assistant", "tool"]
    content: str


class Ask(Contract):
    """One call: the messages, and what templates and scripted answers may refer to.

    In a session `messages` is the conversation so far, `turn` (from 0) which of its inputs this
    is, and `session_id` the same for all of them; each try of a record has a session of its own.
    """

    record_id: str
    messages: tuple[Message, ...]
    record: dict[str, Any] = {}
    trial: int = 0
    attempt: int = 1
    session_id: str = ""
    turn: int = 0

    @property
    def prompt(self) -> str:
        """The last thing the user says."""
        return self._last("user")

    @property
    def system(self) -> str:
        return self._last("system")

    def _last(self, role: str) -> str:
        texts = (message.content for message in reversed(self.messages) if message.role == role)
        return next(texts, "")


class Usage(Contract):
    """Tokens of one call; None where the server did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None


class Behaviour(Contract):
    """What a system tells of how it went about an answer; nothing of it is asked for twice.

    `tool_calls` are {"name", "arguments", "result"}, `trace` events as the trace format has them,
    `approvals` objects like {"approval_id", "status", "capability_name"}.
    """

    status: str = ""
    failure_reason: str = ""
    tool_calls: tuple[dict[str, Any], ...] = ()
    approvals: tuple[dict[str, Any], ...] = ()
    trace_id: str = ""
    trace: tuple[dict[str, Any], ...] = ()
    release_identity: str = ""
    idempotency_key: str = ""
    side_effect_status: str = ""


class Reply(Contract):
    """An answer (`text`) or an error (`error_code` and a sentence in `detail`), never both.

    An answer without words, of tool calls alone, has the empty text and a `behaviour`.
    `latency_ms` is measured from sending to the last byte and None where nothing was asked (a
    recorded answer); `cost` is in the target's currency, None where a price or a count is missing.
    """

    text: str | None = None
    error_code: ErrorCode | None = None
    detail: str = ""
    latency_ms: int | None = None
    usage: Usage = Usage()
    cost: float | None = None
    model: str = ""
    finish_reason: str = ""
    http_status: int | None = None
    retry_after_ms: int | None = None
    request_sha256: str = ""
    behaviour: Behaviour | None = None
    cached: bool = False

    @property
    def transient(self) -> bool:
        return self.error_code in TRANSIENT


class Adapter(Protocol):
    """What `open_adapter` gives for a spec."""

    async def ask(self, ask: Ask) -> Reply:
        """One call. Whatever the target does is a Reply; nothing is raised for it."""
        ...
