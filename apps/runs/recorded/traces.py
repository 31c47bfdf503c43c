"""Imported traces as answers: of scenarios one try after the other, of sessions their events."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from apps.artifacts.redaction import Redactor
from apps.datasets.models import DatasetVersion
from apps.runs.contracts import MOST_TRIALS, Held
from apps.runs.engine.items import Finished, Item
from apps.runs.engine.turns import kept_turns, together
from apps.runs.models import Result, ResultStatus, Run
from apps.runs.working.rows import result_row, stored_value
from apps.targets.contracts import Behaviour, Reply
from apps.traces import naming
from apps.traces.tries import Try, keys_of, replies_of, traces_of, tries_of

NO_TRACE = "no_answer"
SCENARIO, SESSION = "scenario", "session"


class Row(NamedTuple):
    """A record as it is stored; `payload` is its JSON."""

    ordinal: int
    pk: int
    record_id: str
    kind: str
    payload: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """The tries that there are traces of, by the scenario's id; `trials` is the most of one."""

    tries: dict[str, list[Try]]

    @property
    def trials(self) -> int:
        return max(map(len, self.tries.values()), default=0)

    def results(
        self, run: Run, target: str, rows: list[Row], redactor: Redactor
    ) -> Iterator[Result]:
        """A result for each record and trial; without a trace it is one without an answer."""
        tries = (keys for row in rows for keys in self.tries.get(row.record_id, ()))
        replies = replies_of(key for keys in tries for key in keys)
        for row in rows:
            for trial in range(self.trials):
                keys = self._keys(row.record_id, trial)
                item = _item(row, trial, [replies[key] for key in keys if key in replies])
                yield result_row(run.pk, target, _finished(item), redactor)

    def _keys(self, record_id: str, trial: int) -> Try:
        tries = self.tries.get(record_id, [])
        return tries[trial] if trial < len(tries) else ()


def recorded_tries(version: DatasetVersion) -> Recorded:
    """What the workspace's traces tell of the scenarios of this version; two queries at most."""
    scenarios = version.records.filter(kind=SCENARIO)
    if not scenarios.exists():
        return Recorded({})
    ids = scenarios.values("record_id")
    return Recorded(tries_of(traces_of(version.dataset.workspace, scenarios=ids), MOST_TRIALS))


def add_events(results: Sequence[Result], rows: Sequence[Row], redactor: Redactor) -> None:
    """Keep with each session the events of the traces that it names."""
    named = [_named(row) for row in rows]
    ids = [trace_id for each in named for trace_id in each]
    if not ids:
        return
    keys = keys_of(results[0].run.workspace, ids)
    replies = replies_of(keys.values())
    for result, row, each in zip(results, rows, named, strict=True):
        told = [replies[keys[trace_id]] for trace_id in each if trace_id in keys]
        if told and result.status == ResultStatus.COMPLETED:
            kept = kept_turns(_item(row, 0, [_with_events(result, told)]))
            result.extra = {**(result.extra or {}), "turns": stored_value(kept, redactor)}


def _named(row: Row) -> list[str]:
    return naming.traces_of(orjson.loads(row.payload)) if row.kind == SESSION else []


def _with_events(result: Result, told: Sequence[Reply]) -> Reply:
    events = [event for reply in told if reply.behaviour for event in reply.behaviour.trace]
    return Reply(text=result.response, behaviour=Behaviour(trace=tuple(events)))


def _item(row: Row, trial: int, replies: Iterable[Reply]) -> Item:
    turns = tuple(replies)
    held = Held(turns=turns, reply=together(turns)) if turns else Held()
    payload = orjson.loads(row.payload)
    return Item(row.ordinal, trial, row.pk, row.record_id, payload, held)


def _finished(item: Item) -> Finished:
    if item.held.reply is not None:
        return Finished(item, "completed")
    sentence = f"No trace is there for try {item.trial + 1} of {item.record_id}."
    return Finished(item, "evaluation_error", NO_TRACE, sentence)
