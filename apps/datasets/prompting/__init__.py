"""From a record's payload to what a target is sent and what is known of the answer. Pure.

One module a kind of record, each with `messages`, `reference_of` and `answer_of`.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from apps.targets.contracts import Message

from . import case, legal, pair, prompt, result, scenario, session

Payload = Mapping[str, Any]


class Kind(Protocol):
    def messages(self, payload: Payload) -> tuple[Message, ...]:
        """What the target is sent; at least one message."""
        ...

    def reference_of(self, payload: Payload) -> str | None:
        """The answer that the record calls right, if it names one."""
        ...

    def answer_of(self, payload: Payload) -> str | None:
        """The answer that came with the record, if one did."""
        ...


KINDS: dict[str, Kind] = {
    "prompt": prompt,
    "legal": legal,
    "case": case,
    "result": result,
    "scenario": scenario,
    "session": session,
    "pair": pair,
}
"""`prompt` is contract_v1's, whose payload is the record itself; all others say their kind."""


def kind_of(payload: Payload) -> str:
    return str(payload.get("kind", "prompt")) if "row" in payload else "prompt"


def messages(payload: Payload) -> tuple[Message, ...]:
    return KINDS[kind_of(payload)].messages(payload)


def inputs(payload: Payload) -> tuple[str, ...]:
    """What is said in turns within one session; none where all is asked at once."""
    return scenario.inputs(payload) if kind_of(payload) == "scenario" else ()


def reference_of(payload: Payload) -> str | None:
    return KINDS[kind_of(payload)].reference_of(payload)


def answer_of(payload: Payload) -> str | None:
    return KINDS[kind_of(payload)].answer_of(payload)


def asked(payload: Payload) -> Any:
    """What makes two records the same question: the messages, or the row of what asks nothing."""
    if kind_of(payload) not in KINDS:
        return payload["row"]
    return [[message.role, message.content] for message in messages(payload)]
