"""Result rows of agentv, as graders see them, and what the rows tell of their answers."""

from collections.abc import Mapping
from typing import Any

from apps.datasets.formats.agentv.results import value_of

from .given import Given, asked
from .said import number, turns_of

SUMMARIES = ("trace_summary", "trace", "transcript_summary", "metrics")
COUNTS = ("tool_calls_by_name", "tool_calls")
MOST_TOOLS = 1_000

Row = Mapping[str, Any]


def given(payload: Mapping[str, Any]) -> Given:
    return Given(fields=asked(payload))


def answered(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The turns and tools of the answer, its time in ms, its tokens and its cost."""
    row = payload["row"]
    holders = [row, *_summaries(row)]
    tokens = _first(holders, "token_usage")
    used = tokens if isinstance(tokens, Mapping) else {}
    latency = number(_first(holders, "duration_ms"))
    return {
        "turns": turns_of(row.get("output")),
        "tool_counts": _counts(holders),
        "latency_ms": None if latency is None else round(latency),
        "input_tokens": _whole(used.get("input")),
        "output_tokens": _whole(used.get("output")),
        "cached_tokens": _whole(used.get("cached")),
        "cost": number(_first(holders, "cost_usd")),
    }


def _summaries(row: Row) -> list[Row]:
    found = (value_of(row, name) for name in SUMMARIES)
    return [each for each in found if isinstance(each, Mapping)]


def _counts(holders: list[Row]) -> dict[str, int] | None:
    """How often each tool was called, where a summary says so."""
    found = (value_of(each, name) for each in holders[1:] for name in COUNTS)
    counts = next((each for each in found if isinstance(each, Mapping)), None)
    if counts is None:
        return None
    known = ((str(name), _whole(count)) for name, count in list(counts.items())[:MOST_TOOLS])
    return {name: count for name, count in known if count is not None}


def _first(holders: list[Row], name: str) -> Any:
    found = (value_of(each, name) for each in holders)
    return next((each for each in found if each is not None), None)


def _whole(value: Any) -> int | None:
    found = number(value)
    return None if found is None else round(found)
