"""A trace as the answer of a target: what was said, and how the system went about it. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from apps.datasets.formats.lines import NotJson, loads
from apps.grading.rules.agents.agent_runs import EXECUTED, text_in, told
from apps.grading.subjects import Subject, TraceEvent
from apps.targets.adapters.behaviours import tool_calls_of
from apps.targets.contracts import Behaviour, Reply

MOST_EVENTS = 10_000
REASONS = ("failure_reason", "error")

Fields = Mapping[str, Any]


class Heard(NamedTuple):
    """What is known of a run beside its steps; `about` is JSON of what a log says beside them."""

    trace_id: str
    status: str = ""
    about: str = ""


class Step(NamedTuple):
    """An event by its type, or a message by its role, with the JSON of what it holds."""

    kind: str
    payload: str


def answer_of_messages(heard: Heard, steps: Sequence[Step]) -> Reply:
    """All that the assistant said, the status of the log, every tool call with its result."""
    messages = [(step.kind, _object(step.payload)) for step in steps]
    about = _object(heard.about)
    words = [_words(each.get("content")) for role, each in messages if role == "assistant"]
    behaviour = Behaviour(
        status=heard.status,
        failure_reason=_first(about, *REASONS),
        tool_calls=tuple(_calls(messages)),
        trace_id=heard.trace_id,
        release_identity=_first(about, "release_identity"),
    )
    text = "\n\n".join(said for said in words if said.strip())
    return Reply(text=text, model=_first(about, "model"), behaviour=behaviour)


def answer_of_events(heard: Heard, steps: Sequence[Step]) -> Reply:
    """What the end of the run says it put out, its status, and the events themselves."""
    events = tuple(
        TraceEvent(event_type=kind, trace_id=heard.trace_id, payload=_object(payload))
        for kind, payload in steps[:MOST_EVENTS]
    )
    run = next(iter(told(Subject(trace=events)).runs), None)
    executed = (text_in(event, "capability") for event in events if event.event_type == EXECUTED)
    behaviour = Behaviour(
        status=run.status if run else heard.status,
        failure_reason=run.failure_reason if run else "",
        tool_calls=tuple({"name": name} for name in executed if name),
        trace_id=heard.trace_id,
        trace=tuple(event.model_dump(mode="json") for event in events),
        release_identity=run.release_identity if run else "",
        side_effect_status=run.side_effect_status if run else "",
    )
    return Reply(text=run.output_text if run else "", behaviour=behaviour)


def _calls(messages: Sequence[tuple[str, Fields]]) -> Iterator[dict[str, Any]]:
    """Every call in its order; its result is what the tool's message with its id says."""
    results = {
        message["tool_call_id"]: _words(message.get("content"))
        for role, message in messages
        if role == "tool" and isinstance(message.get("tool_call_id"), str)
    }
    for _role, message in messages:
        made = message.get("tool_calls") or message.get("function_call") or []
        for call in made if isinstance(made, list) else [made]:
            identity = call.get("id") if isinstance(call, dict) else None
            result = results.get(identity) if isinstance(identity, str) else None
            for found in tool_calls_of([call]):
                yield found if result is None else {"result": result, **found}


def _object(text: str) -> dict[str, Any]:
    try:
        value = loads(text) if text else {}
    except NotJson:
        return {}
    return value if isinstance(value, dict) else {}


def _first(about: Fields, *names: str) -> str:
    texts = (about.get(name) for name in names)
    return next((text for text in texts if isinstance(text, str) and text), "")


def _words(content: Any) -> str:
    """The text of a message, or the texts of its parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return "\n".join(text for text in texts if isinstance(text, str))
