"""Imported traces as the answers of the scenarios that they are of, one try after the other."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from apps.artifacts.redaction import Redactor
from apps.datasets.models import DatasetVersion
from apps.traces.tries import Try, replies_of, traces_of, tries_of

from .contracts import MOST_TRIALS, Held
from .items import Finished, Item
from .models import Result, Run
from .rows import result_row
from .turns import together

NO_TRACE = "no_answer"
SCENARIO = "scenario"
Row = tuple[int, int, str, Any]
"""Ordinal, key, id and payload of a record."""


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
        wanted = [key for row in rows for keys in self.tries.get(row[2], ()) for key in keys]
        replies = replies_of(wanted)
        for row in rows:
            for trial in range(self.trials):
                keys = self._keys(row[2], trial)
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


def _item(row: Row, trial: int, replies: Iterable[Any]) -> Item:
    ordinal, key, record_id, payload = row
    turns = tuple(replies)
    held = Held(turns=turns, reply=together(turns)) if turns else Held()
    return Item(ordinal, trial, key, record_id, orjson.loads(payload), held)


def _finished(item: Item) -> Finished:
    if item.held.reply is not None:
        return Finished(item, "completed")
    sentence = f"No trace is there for try {item.trial + 1} of {item.record_id}."
    return Finished(item, "evaluation_error", NO_TRACE, sentence)
