"""The page of trends over HTTP: what it opens with and tells."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.analysis.calibration.known import corrected_of
from apps.analysis.trends.choosing import A_PICTURE
from apps.analysis.trends.telling import short_names
from apps.metrics.contracts import Metric
from apps.metrics.intervals import rate
from apps.runs.ending.summaries import store_summaries
from apps.runs.models import Run, Summary
from tests.labeling.building import labels_blind
from tests.runs import building

from .building import a_run, in_a_row, judged
from .pages import TRENDS, trend_of

MOST_QUERIES = 22


def test_nothing_yet_says_what_a_trend_takes(workspace: Workspace, client: Client) -> None:
    assert "A trend takes three ended runs of one dataset" in trend_of(client)


def test_a_metric_that_no_run_has_is_not_what_it_opens_with(
    workspace: Workspace, client: Client
) -> None:
    in_a_row(workspace, 20, 22, 25)
    Summary.objects.filter(metric="pass_rate").delete()

    assert "Score over 3 runs" in trend_of(client)
    assert "Pass rate over 3 runs" in trend_of(client, {"metric": "pass_rate"})


def test_of_few_runs_it_says_how_many_would_tell(workspace: Workspace, client: Client) -> None:
    in_a_row(workspace, 20, 22, 19)

    shown = trend_of(client)

    assert "Inconclusive" in shown
    says = r"of 1.0 points a run is seen, four times in five, from about (\d+) runs on; there are 3"
    found = re.search(says, shown)
    assert found
    assert 3 < int(found[1]) < 100


def test_rates_that_rise_are_improving_with_slope_interval_and_reason(
    workspace: Workspace, client: Client
) -> None:
    runs = in_a_row(workspace, *range(10, 40, 5))

    shown = trend_of(client)

    assert "Pass rate over 6 runs" in shown
    assert "Improving" in shown
    assert re.search(r"; p [=<] \.\d+, n = 6 runs", shown)
    assert re.search(r"\+1\d\.\d points a run , 95 % interval \+\d", shown)
    assert "The interval of the slope lies above 0. A change of 1.0 points a run matters" in shown
    for run in runs:
        assert run.name in shown


def test_two_runs_are_no_trend_and_are_shown_all_the_same(
    workspace: Workspace, client: Client
) -> None:
    in_a_row(workspace, 20, 30)

    shown = trend_of(client)

    assert "Inconclusive" in shown
    assert "2 runs have a value: a trend takes at least 3." in shown
    assert "Night 1" in shown


def test_the_newest_run_is_first_and_each_says_its_n_and_interval(
    workspace: Workspace, client: Client
) -> None:
    in_a_row(workspace, 20, 30)

    shown = trend_of(client).partition("The newest first")[2]

    assert shown.index("Night 1") < shown.index("Night 0")
    assert "40 75.0 % 59.8 – 85.8" in shown


def test_a_judged_rate_says_why_it_is_not_corrected(workspace: Workspace, client: Client) -> None:
    runs = in_a_row(workspace, 20, 22, 25)
    assert "Corrected by people" not in trend_of(client), "no judge stands behind exact match"

    first = judged(workspace, runs[1:])
    shown, sliced = trend_of(client), trend_of(client, {"slice": "metadata.channel=mail"})

    assert "Corrected by people" in shown
    known = corrected_of(first, "pass_rate")
    assert known is not None
    assert shown.count(known.why) == 2
    assert shown.count("no judge stands behind that number") == 1
    assert "Corrected by people" not in sliced, "people's labels are of the whole run"


@pytest.mark.parametrize(
    ("titles", "short"),
    [
        (["Desk, assistant 1.0", "Desk, assistant 1.1"], ["1.0", "1.1"]),
        (["Night", "Night"], ["1 Mar 2026", "2 Mar 2026"]),
        (["Night", "Night 2"], ["1 Mar 2026", "2 Mar 2026"]),
        (["one", "two"], ["one", "two"]),
        (["Desk 1.0", "Desk 1.1", "Slow one"], ["1.0", "1.1", "Slow one"]),
    ],
)
def test_below_a_picture_stands_what_tells_its_runs_apart(
    titles: list[str], short: list[str]
) -> None:
    days = ("1 Mar 2026", "2 Mar 2026", "3 Mar 2026")

    assert short_names(list(zip(titles, days, strict=False))) == short


def test_the_picture_is_told_in_words_and_its_numbers_can_be_had(
    workspace: Workspace, client: Client
) -> None:
    in_a_row(workspace, 20, 22, 25)

    shown = client.get(TRENDS).content.decode()

    assert "Data as CSV" in shown
    assert 'role="img"' in shown


def test_more_runs_than_fit_are_counted(workspace: Workspace, client: Client) -> None:
    version = building.make_version(workspace, 2)
    run = a_run(workspace, "++", version)
    taken = ("id", "idempotency_key", "completed_at", "created_at")
    same = {
        field.attname: getattr(run, field.attname)
        for field in Run._meta.concrete_fields
        if field.name not in taken
    }
    days = (building.START + timedelta(days=day) for day in range(1, A_PICTURE + 5))
    Run.objects.bulk_create(Run(**same, completed_at=day) for day in days)

    shown = trend_of(client)

    assert f"Pass rate over {A_PICTURE} runs" in shown
    assert "5 older runs left out" in shown


def test_the_number_of_queries_does_not_grow_with_the_runs(
    workspace: Workspace, client: Client, django_assert_max_num_queries: Any
) -> None:
    in_a_row(workspace, *range(10, 30), of=30)
    client.get(TRENDS)

    with django_assert_max_num_queries(MOST_QUERIES):
        client.get(TRENDS)


def test_whoever_labels_blind_sees_no_point_of_what_is_concealed(
    workspace: Workspace, client: Client, bob: User
) -> None:
    runs = in_a_row(workspace, 20, 22, 25)
    labels_blind(runs[0], bob)
    client.force_login(bob)

    shown = trend_of(client)

    assert "3 runs are hidden while you label blind" in shown
    assert "Night" not in shown
    assert "tickets" not in shown


def test_a_stranger_finds_no_page(workspace: Workspace, client: Client, charlie: User) -> None:
    client.force_login(charlie)

    assert client.get(TRENDS).status_code == 404


def test_htmx_gets_the_part_that_changes(workspace: Workspace, client: Client) -> None:
    in_a_row(workspace, 20, 22, 25)

    part = client.get(TRENDS, headers={"HX-Request": "true"}).content.decode()

    assert part.lstrip().startswith('<div id="trend"')
    assert "<html" not in part


def test_a_run_that_lacks_the_number_says_why(workspace: Workspace, client: Client) -> None:
    runs = in_a_row(workspace, 20, 22, 25)
    Summary.objects.filter(run=runs[1]).delete()
    store_summaries(
        runs[1],
        [Metric(metric="pass_rate", interval=rate(0, 0), too_few=True)],
        as_of=timezone.now(),
    )

    shown = trend_of(client)

    assert "nothing was observed" in shown
    assert "2 runs have a value" in shown
