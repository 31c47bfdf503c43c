"""How fast the server answers the pages of a run with 50,000 results, and with how many queries."""

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import quantiles

import django

RECORDS = 50_000
TIMES = 40
AIM = "100 ms, 12 queries"

Row = tuple[str, str, str]


def rows() -> list[Row]:
    """What was measured, the measure, the aim: in a database of its own that is dropped."""
    django.setup()
    with own_database():
        pages = list(_pages())
        settle()
        return [measured(name, open_page) for name, open_page in pages]


def measured(name: str, open_page: Callable[[], object], aim: str = AIM) -> Row:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    open_page()
    with CaptureQueriesContext(connection) as queries:
        open_page()
        asked = len(queries)  # the next request empties the log
    spent = [_spent(open_page) for _ in range(TIMES)]
    wall, cpu = (_p95(kind) for kind in zip(*spent, strict=True))
    told = f"p95 {wall:.0f} ms ({cpu:.0f} ms of CPU), {asked} queries"
    return f"page: {name}", told, aim


def _p95(times: tuple[float, ...]) -> float:
    return quantiles(times, n=20, method="inclusive")[-1]


def settle() -> None:
    """What a server that runs for a while has: statistics, and no rubbish of whoever built this."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    gc.collect()
    gc.freeze()


def _spent(open_page: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds on the clock, and of them this process at work: a busy machine tells apart."""
    began, worked = time.perf_counter(), time.process_time()
    open_page()
    return (time.perf_counter() - began) * 1_000, (time.process_time() - worked) * 1_000


def _pages() -> Iterator[tuple[str, Callable[[], object]]]:
    from django.test import Client

    from apps.accounts.models import Membership, User, Workspace
    from tests.runs import building

    workspace = Workspace.objects.create(slug="bench", name="Bench")
    alice = User.objects.create_user("alice")
    Membership.objects.create(workspace=workspace, user=alice, role="lead")
    version = building.make_version(workspace, RECORDS)
    run = building.ended_run(workspace, by=alice, version=version)
    outcomes = [building.MIX[place % len(building.MIX)] for place in range(RECORDS // 2)]
    under_way = building.running_run(workspace, outcomes, by=alice, version=version)
    for _ in range(60):
        building.queued_run(workspace, by=alice, version=version)
    client = Client()
    client.force_login(alice)
    for name, address, headers in _addresses(run.pk, under_way.pk, version.pk):

        def open_page(address: str = address, headers: dict[str, str] = headers) -> object:
            answer = client.get(f"/w/bench/{address}", headers=headers)
            assert answer.status_code == 200, f"{address}: {answer.status_code}"
            return answer

        yield name, open_page


def _addresses(run: str, under_way: str, version: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    htmx = {"HX-Request": "true"}
    yield "overview", "", {}
    yield "search", "search/?q=ticket-000", {}
    yield "runs table", "runs/", {}
    yield "start form with estimate", f"runs/start/?version={version}&clone={run}", {}
    yield "run", f"runs/{run}/?family=tag", {}
    yield "run under way", f"runs/{under_way}/", {}
    yield "its progress, every 2 s", f"runs/{under_way}/", {**htmx, "HX-Target": "progress"}
    yield "results", f"runs/{run}/results/", {}
    yield "results by cause", f"runs/{run}/results/?status=timeout&cause=timeout", {}
    yield "results by verdict", f"runs/{run}/results/?outcome=failed_contract", {}
    yield "results by rule", f"runs/{run}/results/?rule=exact:skip", {}
    yield "results by slice", f"runs/{run}/results/?family=metadata.language&value=Czech", {}
    yield "results by id", f"runs/{run}/results/?q=49998", {}
    yield "record", f"runs/{run}/records/25000/?rule=exact:fail", {}
    yield "record slide-over", f"runs/{run}/records/25000/", {**htmx, "HX-Target": "panel-content"}
    yield "artifacts", f"runs/{run}/artifacts/", {}


@contextmanager
def own_database() -> Iterator[None]:
    from django.test.runner import DiscoverRunner
    from django.test.utils import setup_test_environment, teardown_test_environment

    runner = DiscoverRunner(verbosity=0, interactive=False)
    setup_test_environment(debug=False)
    databases = runner.setup_databases()
    try:
        yield
    finally:
        runner.teardown_databases(databases)
        teardown_test_environment()


if __name__ == "__main__":
    import os

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalhub.settings")
    for what, told, aim in rows():
        print(f"{what:34} {told:44} aim {aim}")
