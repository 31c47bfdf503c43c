"""The turns of a result as people read them: what was said, what was done, what it took."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

LINKS = (
    ("trace_id", "Trace"),
    ("release_identity", "Release"),
    ("idempotency_key", "Idempotency key"),
    ("side_effect_status", "Side effect"),
)

Kept = Mapping[str, Any]


class ShownCall(NamedTuple):
    """A call of a tool; what it was called with and gave, as text."""

    name: str
    arguments: str
    result: str


class ShownTurn(NamedTuple):
    """One input and its answer; `answer` is None where it was not answered."""

    number: int
    said: str
    answer: str | None
    status: str = ""
    failure_reason: str = ""
    calls: tuple[ShownCall, ...] = ()
    approvals: str = ""
    events: int = 0
    trace: str = ""
    links: tuple[tuple[str, str], ...] = ()
    latency_ms: int | None = None
    cost: float | None = None


def shown_turns(inputs: Sequence[str], kept: Sequence[Kept]) -> Iterator[ShownTurn]:
    """The turns that were kept, then the inputs that nobody answered."""
    for number, (said, turn) in enumerate(zip_longest(inputs, kept), start=1):
        if turn is None:
            yield ShownTurn(number, said, None)
        else:
            yield _answered(number, turn)


def _answered(number: int, turn: Kept) -> ShownTurn:
    events = turn.get("trace", ())
    return ShownTurn(
        number=number,
        said=turn["user_input"],
        answer=turn["output_text"],
        status=turn.get("status", ""),
        failure_reason=turn.get("failure_reason", ""),
        calls=tuple(_call(call) for call in turn.get("tool_calls", ())),
        approvals=_as_text(turn.get("approvals")),
        events=len(events),
        trace=_as_text(events),
        links=tuple((label, turn[name]) for name, label in LINKS if turn.get(name)),
        latency_ms=turn.get("latency_ms"),
        cost=turn.get("cost"),
    )


def _call(call: Kept) -> ShownCall:
    return ShownCall(call["name"], _as_text(call.get("arguments")), _as_text(call.get("result")))


def _as_text(value: Any) -> str:
    """JSON to read; a text as it is."""
    if isinstance(value, str):
        return value
    return "" if value in (None, [], (), {}) else json.dumps(value, ensure_ascii=False, indent=2)
