"""How fast answers are judged: each family of rules alone, and a regrade of 50,000 by workers.

`EVALHUB_BENCH_RECORDS` makes the regrade smaller for a quick look. Ratios hold, seconds do not.
"""

import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from benchmarks.own_process import Row
from tests.kills.installation import Installation

if TYPE_CHECKING:
    from apps.grading.contracts import Answer, Subject
    from apps.grading.rules import Rule
    from apps.grading.rules.base import Example

RECORDS = int(os.environ.get("EVALHUB_BENCH_RECORDS", "50000"))
WORKERS = 4
ROUNDS = 5
A_ROUND_S = 0.1
TABLES = ("runs_result", "runs_score")
AIM = 10.0


def rows() -> list[Row]:
    return [*_families(), *_regrade()]


# -- one family after the other, in this process --------------------------------------------


def _families() -> Iterator[Row]:
    from apps.grading.rules import FAMILIES, ExactMatch
    from apps.grading.subjects import Subject

    exact = ExactMatch(name="exact")
    subject = Subject(response="4", reference_answers=("4",))
    empty = _seconds(lambda: exact.scored(1.0))
    yield "a score of no rule at all", _a_second(empty), "the measure"
    yield "the same with a judgment: exact_match", *_told(_judging(exact, subject, ()), empty)
    for family in FAMILIES:
        if found := _typical(family):
            rule, seen, answers = found
            name = f"family {family.__name__.rpartition('.')[2]}, as in {rule.type}"
            yield name, *_told(_judging(rule, seen, answers), empty)


def _typical(family: ModuleType) -> "tuple[Rule, Subject, Sequence[Answer]] | None":
    """The first rule of the family, with the first of its examples that has a value."""
    for kind in family.RULES:
        example = next((each for each in kind.examples if each.value is not None), None)
        if example is not None:
            return _of(kind, example)
    return None


def _of(kind: "type[Rule]", example: "Example") -> "tuple[Rule, Subject, Sequence[Answer]]":
    from apps.grading.contracts import Answer

    rule = kind.model_validate({"name": "bench", **example.settings})
    answers = [Answer(call=call, text=text) for call, text in example.answers.items()]
    return rule, example.subject, answers


def _judging(rule: "Rule", subject: "Subject", answers: "Sequence[Answer]") -> float:
    from apps.grading.spec import RuleSet, judge

    rules = RuleSet.model_construct(rules=(rule,), passing_score=None)
    return _seconds(lambda: judge(rules, subject, {rule.name: answers}))


def _seconds(action: Callable[[], object]) -> float:
    """Of one time: the median of some rounds, each long enough for the clock."""
    times, began = 1, time.perf_counter()
    action()
    once = max(time.perf_counter() - began, 1e-7)
    times = max(1, round(A_ROUND_S / once))
    return statistics.median(_round(action, times) for _ in range(ROUNDS))


def _round(action: Callable[[], object], times: int) -> float:
    began = time.perf_counter()
    for _ in range(times):
        action()
    return (time.perf_counter() - began) / times


def _told(seconds: float, empty: float) -> tuple[str, str]:
    return f"{_a_second(seconds)}, {seconds / empty:.1f} x", ""


def _a_second(seconds: float) -> str:
    return f"{1 / seconds:,.0f} records a second"


# -- a whole regrade, by real workers -------------------------------------------------------


def _regrade() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        installation = Installation(Path(folder), workers=WORKERS)
        parent = installation.call("set_up_recorded", records=RECORDS)
        running = installation.workers()
        try:
            installation.wait_for_end(parent, seconds=1_200)
            child = installation.call("begin_regrade", parent=parent)
            installation.wait_for_end(child, seconds=1_200)
        finally:
            running.clean_up()
        judged, in_all = _spent(installation, child)
        bare = _bare(installation, child)
    what = f"a regrade of {RECORDS:,} results by {WORKERS} workers"
    yield f"the bare driver's insert of its {RECORDS:,} results and scores", f"{bare:.2f} s", ""
    yield f"{what}: all judged and kept", f"{judged:.1f} s, {judged / bare:.1f} x", f"{AIM:.0f} s"
    yield f"{what}: with metrics, artifacts and seal", f"{in_all:.1f} s", ""
    yield f"{what}: a record", f"{in_all / RECORDS * 1000:.2f} ms", ""


def _spent(installation: Installation, run: str) -> tuple[float, float]:
    """Seconds from the start to the last judgment, and to the end."""
    moments = {
        state: datetime.fromisoformat(str(at))
        for state, at in installation.ask(
            f"SELECT state, at FROM runs_statechange WHERE run_id = '{run}' ORDER BY seq"
        )
    }
    began = moments["queued"]
    end = max(moments.values())
    return (moments["finalizing"] - began).total_seconds(), (end - began).total_seconds()


def _bare(installation: Installation, run: str) -> float:
    """Seconds of sqlite3 alone for the same rows, into the same tables without anything in them."""
    found: dict[str, list[tuple[Any, ...]]] = {
        table: installation.ask(f"SELECT * FROM {table} WHERE run_id = '{run}'") for table in TABLES
    }
    schema = installation.ask(
        f"SELECT sql FROM sqlite_master WHERE tbl_name IN {TABLES} AND sql IS NOT NULL"
    )
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(sqlite3.connect(Path(folder) / "bare.sqlite3")) as bare,
    ):
        bare.execute("PRAGMA journal_mode=WAL")
        for (statement,) in schema:
            bare.execute(statement)
        began = time.perf_counter()
        for table, kept in found.items():
            marks = ", ".join("?" * len(kept[0]))
            bare.executemany(f"INSERT INTO {table} VALUES ({marks})", kept)
        bare.commit()
        return time.perf_counter() - began
