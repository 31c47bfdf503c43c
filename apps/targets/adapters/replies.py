"""How what a server sent becomes a Reply: secrets masked, texts storable, costs counted."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from apps.targets.client import Answered, Failed
from apps.targets.contracts import Behaviour, ErrorCode, Reply, Usage
from apps.targets.credentials import masked
from apps.targets.failures import clipped, code_of_status, retry_after_ms, sentence_of_status
from apps.targets.prices import cost_of
from apps.targets.specs import Paced

from .behaviours import with_each_text

NO_USAGE = Usage()
_MOST_TOKENS = 2**31 - 1
_WAITS = frozenset({"rate_limited", "service_unavailable", "internal_error", "timeout"})


@dataclass(frozen=True, slots=True)
class Said:
    """What an answer's body says, before secrets are masked and costs counted."""

    text: str | None = None
    error_code: ErrorCode | None = None
    detail: str = ""
    usage: Usage = NO_USAGE
    model: str = ""
    finish_reason: str = ""
    behaviour: Behaviour | None = None


class UnreadableAnswerError(Exception):
    """A sentence: the body is not what the server promised."""


@dataclass(frozen=True, slots=True)
class Replies:
    """Makes the replies of one target."""

    spec: Paced
    secrets: tuple[str, ...]

    def said(self, said: Said, outcome: Answered, request_sha256: str) -> Reply:
        """An answer, or the reason in a 2xx body why there is none."""
        return Reply(
            text=None if said.text is None else self._storable(said.text),
            error_code=said.error_code,
            detail=clipped(self._storable(said.detail)),
            latency_ms=outcome.latency_ms,
            usage=said.usage,
            cost=cost_of(said.usage, self.spec.price_input, self.spec.price_output),
            model=clipped(self._storable(said.model), 200),
            finish_reason=clipped(self._storable(said.finish_reason), 50),
            http_status=outcome.status,
            request_sha256=request_sha256,
            behaviour=self._behaviour(said.behaviour),
        )

    def refused(self, outcome: Answered, request_sha256: str) -> Reply:
        """A status that is not 2xx."""
        code = code_of_status(outcome.status)
        return Reply(
            error_code=code,
            detail=self._storable(sentence_of_status(outcome.status, outcome.body)),
            latency_ms=outcome.latency_ms,
            http_status=outcome.status,
            retry_after_ms=(
                retry_after_ms(outcome.headers, datetime.now(UTC)) if code in _WAITS else None
            ),
            request_sha256=request_sha256,
        )

    def failed(self, outcome: Failed, request_sha256: str) -> Reply:
        """No whole answer at all."""
        return Reply(
            error_code=outcome.code,
            detail=outcome.detail,
            latency_ms=outcome.latency_ms,
            request_sha256=request_sha256,
        )

    def _behaviour(self, behaviour: Behaviour | None) -> Behaviour | None:
        if behaviour is None:
            return None
        told = behaviour.model_dump(exclude_defaults=True)
        return Behaviour.model_validate(with_each_text(told, self._storable))

    def _storable(self, text: str) -> str:
        """Without secrets, and without NUL, which PostgreSQL cannot keep."""
        return masked(text, self.secrets).replace("\x00", "\N{REPLACEMENT CHARACTER}")


def token_count(value: Any) -> int | None:
    """A count that a server claims, where it can be one."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= _MOST_TOKENS else None
