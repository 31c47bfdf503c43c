"""Traces as tries of the scenarios that they are of: which belong together, and their answers."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet

from apps.accounts.models import Workspace
from apps.targets.contracts import Reply

from .answers import MOST_EVENTS, Heard, Step, answer_of_events, answer_of_messages
from .models import Trace, TraceEvent

BATCH = 500

Try = tuple[str, ...]
"""The keys of its traces in their order: one, or those of one session."""


def traces_of(
    workspace: Workspace,
    *,
    scenarios: Iterable[str] | QuerySet[Any, Any] = (),
    ids: Sequence[str] = (),
) -> QuerySet[Trace]:
    """The traces of these scenarios, or with these trace ids."""
    found = workspace.traces.all()
    return found.filter(trace_id__in=ids) if ids else found.filter(scenario_id__in=scenarios)


def tries_of(traces: QuerySet[Trace], most: int) -> dict[str, list[Try]]:
    """The tries of each scenario, at most so many, in the order of their trace ids.

    Traces of one session are one try, its runs in order; one query.
    """
    found: dict[str, dict[tuple[str, str], list[str]]] = {}
    rows = traces.values_list("scenario_id", "session_id", "trace_id", "pk")
    for scenario, session, trace_id, pk in sorted(rows, key=_natural):
        together = ("session", session) if session else ("trace", trace_id)
        found.setdefault(scenario, {}).setdefault(together, []).append(pk)
    return {
        scenario: [tuple(keys) for keys in list(tries.values())[:most]]
        for scenario, tries in found.items()
    }


def replies_of(keys: Iterable[str]) -> dict[str, Reply]:
    """The answer that each trace is, by its key; two queries for each 500 of them."""
    wanted = list(dict.fromkeys(keys))
    replies: dict[str, Reply] = {}
    for start in range(0, len(wanted), BATCH):
        replies |= _replies_of(wanted[start : start + BATCH])
    return replies


def keys_of(workspace: Workspace, trace_ids: Iterable[str]) -> dict[str, str]:
    """The keys of the traces that are here, by their ids; a query for each 500 of them."""
    wanted = list(dict.fromkeys(trace_ids))
    keys: dict[str, str] = {}
    for start in range(0, len(wanted), BATCH):
        found = traces_of(workspace, ids=wanted[start : start + BATCH])
        keys |= dict(found.values_list("trace_id", "pk"))
    return keys


def _replies_of(keys: Sequence[str]) -> dict[str, Reply]:
    traces = Trace.objects.in_bulk(keys)
    steps: dict[str, list[Step]] = {key: [] for key in traces}
    events = TraceEvent.objects.filter(trace__in=list(traces), seq__lt=MOST_EVENTS)
    rows = events.order_by("trace", "seq").values_list("trace_id", "type", "payload")
    for key, kind, payload in rows:
        steps[key].append(Step(kind, payload))
    return {key: reply_of(trace, steps[key]) for key, trace in traces.items()}


def reply_of(trace: Trace, steps: Sequence[Step]) -> Reply:
    heard = Heard(trace.trace_id, trace.status, trace.about)
    if trace.source == Trace.Source.MESSAGES:
        return answer_of_messages(heard, steps)
    return answer_of_events(heard, steps)


def _natural(row: tuple[str, str, str, str]) -> tuple[str, list[tuple[int, str]]]:
    """By scenario, then by the trace id, where 2 comes before 10."""
    parts = re.split(r"(\d{1,18})", row[2])
    return row[0], [(int(part) if part.isdigit() else -1, part) for part in parts]
