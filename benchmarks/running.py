"""How fast runs are: real workers on a data directory of their own, a model server of ours.

`EVALHUB_BENCH_RECORDS` makes it smaller for a quick look. Ratios hold, seconds do not.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from tests.kills.installation import Installation, Workers
from tests.model_server.handle import ModelServer, running_server

Row = tuple[str, str, str]

RECORDS = int(os.environ.get("EVALHUB_BENCH_RECORDS", "10000"))
LATENCY_MS = 50
CONCURRENCY = 64
WORKERS = 4
FAULTS: dict[str, dict[str, Any]] = {
    "429 once": {"mode": "429", "times": 1, "after_ms": 500},
    "429 thrice": {"mode": "429", "times": 3, "after_ms": 500},
    "503 always": {"mode": "503"},
    "broken JSON": {"mode": "malformed"},
    "connection resets": {"mode": "reset", "times": 1},
}
FAILING = 0.05


class Measured(NamedTuple):
    asking: float
    """Seconds from the start until the last answer was kept."""
    in_all: float
    cpu: float
    """Processor time of supervisor and workers: what a busy machine does not change."""
    answered: int
    failed: int
    requests: int
    repeats: int


def rows() -> list[Row]:
    """What was measured, the measurement, and what we aim for."""
    found = [*_steady(), *_instant()]
    for name, fault in FAULTS.items():
        found += _failing(name, fault)
    return found


def _steady() -> Iterator[Row]:
    ideal = RECORDS * LATENCY_MS / 1000 / CONCURRENCY
    run = _measure(latency_ms=LATENCY_MS)
    what = f"{RECORDS:,} records at {LATENCY_MS} ms, {CONCURRENCY} at once"
    yield f"{what}: all kept, against the ideal {ideal:.1f} s", _times(run.asking, ideal), "1.25 x"
    yield f"{what}: with metrics, artifacts and seal", _times(run.in_all, ideal), ""
    yield f"{what}: answers asked for twice", f"{run.repeats}", "0"


def _instant() -> Iterator[Row]:
    run = _measure(latency_ms=0)
    what = f"{RECORDS:,} records at 0 ms"
    yield f"{what}: a record", f"{run.asking / RECORDS * 1000:.2f} ms", "1.0 ms"
    yield f"{what}: a record, with metrics and artifacts", _ms(run.in_all), ""
    yield f"{what}: a record, processor time of all workers", _ms(run.cpu), ""


def _failing(name: str, fault: dict[str, Any]) -> Iterator[Row]:
    run = _measure(latency_ms=0, faults=[{**fault, "share": FAILING}])
    what = f"{RECORDS:,} records at 0 ms, 5 % {name}"
    lost = RECORDS - run.answered - run.failed
    outcome = f"{run.answered:,} answered, {run.failed:,} failed, {lost} lost"
    yield f"{what}: outcome", outcome, "0 lost"
    yield f"{what}: a record", _ms(run.asking), ""
    yield f"{what}: answers asked for twice", f"{run.repeats}", "0"


def _measure(**plan: Any) -> Measured:
    with tempfile.TemporaryDirectory() as folder, running_server() as server:
        server.plan(wrong_rate=0.1, **plan)
        installation = Installation(Path(folder), workers=WORKERS)
        installation.call(
            "prepare", records=RECORDS, base_url=server.base_url, concurrency=CONCURRENCY
        )
        with _workers(installation) as running:
            before = _cpu(running)
            run = installation.call("begin")
            installation.wait_for_end(run, seconds=600)
            cpu = _cpu(running) - before
        return _told(installation, run, server, cpu)


@contextmanager
def _workers(installation: Installation) -> Iterator[Workers]:
    running = installation.workers()
    try:
        yield running
    finally:
        running.clean_up()


def _cpu(running: Workers) -> float:
    processes = [running.process, *running.tree()]
    return sum(sum(each.cpu_times()[:2]) for each in processes)


def _told(installation: Installation, run: str, server: ModelServer, cpu: float) -> Measured:
    moments = {
        state: datetime.fromisoformat(str(at))
        for state, at in installation.ask(
            f"SELECT state, at FROM runs_statechange WHERE run_id = '{run}' ORDER BY seq"
        )
    }
    counts = dict(installation.ask("SELECT status, COUNT(*) FROM runs_result GROUP BY status"))
    stats = server.stats()
    end = max(moments.values())
    return Measured(
        asking=(moments["finalizing"] - moments["queued"]).total_seconds(),
        in_all=(end - moments["queued"]).total_seconds(),
        cpu=cpu,
        answered=counts.get("completed", 0),
        failed=sum(counts.values()) - counts.get("completed", 0),
        requests=stats["requests"],
        repeats=stats["repeats"],
    )


def _times(seconds: float, ideal: float) -> str:
    return f"{seconds / ideal:.2f} x ({seconds:.1f} s)"


def _ms(seconds: float) -> str:
    return f"{seconds / RECORDS * 1000:.2f} ms"
