"""The turns of an answer: put together, as they are kept, and as graders see them. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from apps.datasets import prompting
from apps.grading.subjects import SessionRun, ToolCall, TraceEvent, Turn
from apps.targets.contracts import Behaviour, Reply, Usage

from .items import Item

STATUSES = ("status", "approval_status", "capability_session_status")
CAPABILITIES = ("capability_name", "capability")
_LINKS = (
    *("status", "failure_reason", "trace_id", "release_identity"),
    *("idempotency_key", "side_effect_status"),
)
_NOTHING = Behaviour()

Kept = dict[str, Any]


def together(replies: Sequence[Reply]) -> Reply:
    """One answer of all turns: what was said, the sums of what it took; None where one is."""
    last = replies[-1]
    usage = Usage(
        input_tokens=_sum(reply.usage.input_tokens for reply in replies),
        output_tokens=_sum(reply.usage.output_tokens for reply in replies),
        total_tokens=_sum(reply.usage.total_tokens for reply in replies),
    )
    return Reply(
        text="\n\n".join(reply.text for reply in replies if reply.text),
        latency_ms=_sum(reply.latency_ms for reply in replies),
        usage=usage,
        cost=_sum(reply.cost for reply in replies),
        model=last.model,
        finish_reason=last.finish_reason,
        request_sha256=last.request_sha256,
    )


def turns_of(item: Item) -> list[tuple[str, Reply]]:
    """What was said and answered; none for an answer that brought nothing but its text."""
    held = item.held
    alone = (held.reply,) if held.reply is not None and held.reply.behaviour is not None else ()
    replies = held.turns or alone
    if not replies:
        return []
    inputs = prompting.inputs(item.payload) or (prompting.messages(item.payload)[-1].content,)
    return list(zip(inputs, replies, strict=False))


def kept_turns(item: Item) -> list[Kept]:
    """The turns as a result keeps them; `replies_of` reads them again."""
    return [_kept(said, reply) for said, reply in turns_of(item)]


def replies_of(kept: Iterable[Mapping[str, Any]]) -> tuple[Reply, ...]:
    return tuple(_reply(turn) for turn in kept)


def seen(item: Item) -> dict[str, Any]:
    """The fields of a Subject that tell what the system said and did in answer."""
    turns = turns_of(item)
    return {
        "turns": tuple(_turn(reply) for _said, reply in turns),
        "session": tuple(_run(said, reply) for said, reply in turns),
    }


def _kept(said: str, reply: Reply) -> Kept:
    behaviour = reply.behaviour or _NOTHING
    return {
        "user_input": said,
        "output_text": reply.text,
        "latency_ms": reply.latency_ms,
        **reply.usage.model_dump(),
        "cost": reply.cost,
        **behaviour.model_dump(mode="json", exclude_defaults=True),
    }


def _reply(turn: Mapping[str, Any]) -> Reply:
    told = {name: turn[name] for name in Behaviour.model_fields if name in turn}
    return Reply(
        text=turn["output_text"],
        latency_ms=turn["latency_ms"],
        usage=Usage(**{name: turn[name] for name in Usage.model_fields}),
        cost=turn["cost"],
        behaviour=Behaviour.model_validate(told),
    )


def _turn(reply: Reply) -> Turn:
    return Turn(role="assistant", content=reply.text or "", tool_calls=_calls(reply))


def _run(said: str, reply: Reply) -> SessionRun:
    behaviour = reply.behaviour or _NOTHING
    approval = behaviour.approvals[-1] if behaviour.approvals else {}
    return SessionRun(
        **{name: getattr(behaviour, name) for name in _LINKS},
        user_input=said,
        output_text=reply.text or "",
        approval_id=_text(approval, ("approval_id", "id")),
        approval_status=_text(approval, STATUSES),
        capability_name=_text(approval, CAPABILITIES),
        tool_calls=_calls(reply),
        trace=tuple(TraceEvent.model_validate(event) for event in behaviour.trace),
        latency_ms=reply.latency_ms,
    )


def _calls(reply: Reply) -> tuple[ToolCall, ...]:
    behaviour = reply.behaviour or _NOTHING
    return tuple(ToolCall.model_validate(call) for call in behaviour.tool_calls)


def _text(found: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((text for name in names if isinstance(text := found.get(name), str)), "")


def _sum(values: Iterable[Any]) -> Any:
    """None where one of them is not known."""
    known = list(values)
    return None if None in known else sum(known)
