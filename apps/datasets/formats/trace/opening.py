"""What a trace says: its facts, and its events one after the other."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import orjson

from apps.datasets.formats.lines import loads

from . import events

Source = Literal["events", "messages"]
OF_EVENTS = b'"row":{"events":[\n'


class Step(NamedTuple):
    """One event, or one message of a log: its type (or role) and the JSON of what it holds.

    `more` is what an event has beside its envelope, as JSON; empty where it has nothing.
    """

    kind: str
    payload: str
    redacted: tuple[str, ...] = ()
    more: str = ""


@dataclass(slots=True)
class Facts:
    """What is known of a run; complete once its steps have been gone through."""

    source: Source
    session_id: str = ""
    scenario_id: str = ""
    status: str = ""
    schema_version: str = ""
    about: str = ""
    """The fields of a log beside its messages, as JSON."""


class Opened(NamedTuple):
    facts: Facts
    steps: Iterator[Step]


def open_trace(payload: bytes) -> Opened:
    """From a record's payload, as the reader made it."""
    at = payload.find(OF_EVENTS, 0, 4096)
    if at >= 0:
        facts = Facts("events")
        return Opened(facts, _events(_lines(payload, at + len(OF_EVENTS)), facts))
    row = loads(payload)["row"]
    if "events" in row:
        facts = Facts("events")
        return Opened(facts, _events(iter(row["events"]), facts))
    return Opened(_facts_of_log(row), map(_message, row["messages"]))


def _lines(payload: bytes, at: int) -> Iterator[dict[str, Any]]:
    """One event a line, as the reader keeps them."""
    while payload[at : at + 1] == b"{":
        end = payload.find(b"\n", at)
        yield loads(payload[at:end].removesuffix(b","))
        at = end + 1


def _events(found: Iterator[Mapping[str, Any]], facts: Facts) -> Iterator[Step]:
    for event in found:
        payload = event.get("payload", {})
        _learn(event["event_type"].strip(), payload, facts)
        facts.schema_version = facts.schema_version or event.get("schema_version", "1.0").strip()
        more = {key: value for key, value in event.items() if key not in events.KEYS}
        yield Step(
            event["event_type"].strip(),
            _json(payload),
            tuple(event.get("redacted_fields", ())),
            _json(more) if more else "",
        )


def _learn(kind: str, payload: Mapping[str, str], facts: Facts) -> None:
    facts.session_id = facts.session_id or payload.get("session_id", "")
    facts.scenario_id = facts.scenario_id or payload.get("scenario_id", "")
    if kind == "run_failed":
        facts.status = "failed"
    elif kind == "run_complete":
        facts.status = payload.get("status", "") or facts.status or "success"


def _facts_of_log(row: Mapping[str, Any]) -> Facts:
    about = {key: value for key, value in row.items() if key != "messages"}
    return Facts(
        "messages",
        session_id=row.get("session_id") or "",
        scenario_id=row.get("scenario_id") or "",
        status=row.get("status") or "",
        about=_json(about),
    )


def _message(message: Mapping[str, Any]) -> Step:
    return Step(message["role"], _json(message))


def _json(value: Any) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # an integer of more than 64 bits
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
