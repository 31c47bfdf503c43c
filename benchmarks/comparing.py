"""Holding two runs of 50,000 records and three rules against each other, and the page after it.

`EVALHUB_BENCH_PAIRS` makes it smaller for a quick look.
"""

import os
import random
import statistics
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING

import django

from benchmarks.own_process import Row
from benchmarks.pages import measured, own_database, settle

if TYPE_CHECKING:
    from django.test import Client

    from apps.runs.models import Run

RECORDS = int(os.environ.get("EVALHUB_BENCH_PAIRS", "50000"))
ROUNDS = 5
CHANGED = 0.15
AIM_SECONDS = 2.0
AIM_PAGE = "300 ms"

_RESULTS = (
    "SELECT id, ordinal, status, verdict, score, latency_ms, input_tokens, output_tokens, "
    "total_tokens, cost FROM runs_result WHERE run_id = %s"
)
_SCORES = (
    "SELECT result_id, value, rule, method, verifier, verdict FROM runs_score WHERE run_id = %s"
)


def rows() -> list[Row]:
    """In a database of its own; on PostgreSQL where EVALHUB_DATABASE_URL names one."""
    django.setup()
    _on_disk()
    with own_database():
        baseline, candidate = _two_runs()
        settle()
        return [
            *_cold(baseline, candidate),
            *_computing(baseline, candidate),
            *_pages(baseline, candidate),
        ]


def _on_disk() -> None:
    """Other processes see the database too."""
    from django.conf import settings
    from django.db import connection

    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(settings.DATA_DIR / "bench.sqlite3")


def _cold(baseline: "Run", candidate: "Run") -> Iterator[Row]:
    """Each round in a process of its own that has served nothing, of runs not compared before."""
    from apps.analysis.models import Comparison

    spent = []
    for _ in range(ROUNDS):
        Comparison.objects.all().delete()
        spent.append(_first_page([baseline.pk, candidate.pk]))
    ready, wall, worked = (statistics.median(kind) for kind in zip(*spent, strict=True))
    yield "a new web server until it listens", f"{ready:.2f} s of CPU", ""
    told = f"{wall:.2f} s ({worked:.2f} s of CPU)"
    yield "first page of a new web server, nothing compared yet", told, f"{AIM_SECONDS:g} s"


def _first_page(runs: list[str]) -> tuple[float, float, float]:
    from django.db import connection

    database = str(connection.settings_dict["NAME"])
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_opened_first, database, runs).result()


def _opened_first(database: str, runs: list[str]) -> tuple[float, float, float]:
    """Seconds of CPU of the start; of the first request after a sign-in, on the wall and of CPU."""
    import evalhub.wsgi  # noqa: F401 - what granian imports before it listens

    ready = time.process_time()
    from django.conf import settings
    from django.db import connection
    from django.test import Client

    from apps.accounts.models import User

    connection.settings_dict["NAME"] = database
    settings.ALLOWED_HOSTS = ["testserver"]
    client = Client()
    client.force_login(User.objects.get(username="alice"))
    began = time.process_time()
    wall = _spent(lambda: _open(client, runs), time.perf_counter)
    return ready, wall, time.process_time() - began


def _open(client: "Client", runs: list[str]) -> None:
    answer = client.get("/w/bench/compare/", {"run": runs, "baseline": runs[0]})
    assert answer.status_code == 200, answer.status_code
    assert b"By metric" in answer.content


def _computing(baseline: "Run", candidate: "Run") -> Iterator[Row]:
    from apps.analysis.comparing import computing

    computing.warm_up()
    bare = _median(lambda: _read_bare(baseline, candidate))
    wall = _median(lambda: _compute(baseline, candidate))
    worked = _median(lambda: _compute(baseline, candidate), time.process_time)
    what = f"two runs of {RECORDS:,} records"
    told = f"{wall:.2f} s ({worked:.2f} s of CPU)"
    yield f"{what}: compared and stored", told, f"{AIM_SECONDS:g} s"
    yield f"{what}: to reading them with the bare driver", f"{wall / bare:.1f} times", ""


def _compute(baseline: "Run", candidate: "Run") -> None:
    """As whoever asks first."""
    from apps.analysis.comparing import comparison_of
    from apps.analysis.models import Comparison

    Comparison.objects.all().delete()
    comparison_of(baseline, candidate)


def _pages(baseline: "Run", candidate: "Run") -> Iterator[Row]:
    from django.test import Client

    from apps.accounts.models import User

    client = Client()
    client.force_login(User.objects.get(username="alice"))
    runs = f"baseline={baseline.pk}&run={candidate.pk}"
    for name, address in (
        ("the comparison", f"/w/bench/compare/?run={baseline.pk}&{runs}"),
        (
            "records that got worse",
            f"/w/bench/compare/records/?run={baseline.pk}&{runs}&move=worse",
        ),
        ("the comparison by the API", f"/api/v1/comparisons?{runs}"),
    ):

        def open_page(address: str = address) -> object:
            answer = client.get(address)
            assert answer.status_code == 200, f"{address}: {answer.status_code}"
            return answer

        yield measured(name, open_page, AIM_PAGE)


def _two_runs() -> "tuple[Run, Run]":
    from apps.accounts.models import Membership, User, Workspace
    from tests.runs import building

    workspace = Workspace.objects.create(slug="bench", name="Bench")
    alice = User.objects.create_user("alice")
    Membership.objects.create(workspace=workspace, user=alice, role="lead")
    version = building.make_version(workspace, RECORDS)
    draw = random.Random(20260115)
    before = [draw.choice(building.MIX) for _ in range(RECORDS)]
    after = [draw.choice(building.MIX) if draw.random() < CHANGED else each for each in before]
    first, second = (
        building.ended_run(workspace, outcomes, by=alice, version=version)
        for outcomes in (before, after)
    )
    return first, second


def _read_bare(*runs: "Run") -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        for run in runs:
            for sql in (_RESULTS, _SCORES):
                cursor.execute(sql, [run.pk])
                cursor.fetchall()


def _median(action: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    return statistics.median(_spent(action, clock) for _ in range(ROUNDS))


def _spent(action: Callable[[], object], clock: Callable[[], float]) -> float:
    began = clock()
    action()
    return clock() - began
