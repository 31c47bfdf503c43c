"""`evalhub compare`."""

import csv
import io
import json
import re
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.analysis.models import Comparison
from apps.jobs.models import JobState
from apps.runs.models import Run

from .building import a_run, two_runs


@pytest.fixture
def runs(workspace: Workspace) -> tuple[Run, Run]:
    first, second = two_runs(workspace, "+" * 20 + "-" * 20, "+" * 38 + "-!")
    Run.objects.filter(pk=second.pk).update(name="better prompt")
    return first, second


def printed(*arguments: str) -> str:
    out = io.StringIO()
    call_command("compare", *arguments, stdout=out)
    return out.getvalue()


def test_a_table_tells_what_pairs_what_differs_and_how_sure_that_is(runs: tuple[Run, Run]) -> None:
    told = printed(runs[0].pk, "better prompt")

    assert "40 records in both, 0 only in the baseline, 0 only in the candidate" in told
    assert "! Not every record has an answer" in told
    [line] = [each for each in told.splitlines() if each.split()[:1] == ["pass_rate"]]
    assert "better" in line.split()
    assert "18 better, 0 worse, 21 same, 1 errors, 0 unscored" in line


def test_one_metric_comes_with_its_slices(runs: tuple[Run, Run]) -> None:
    told = printed(runs[0].pk, runs[1].pk, "--metric", "pass_rate")

    assert "metadata.language=Czech" in told
    assert "latency_mean" not in told


def test_p_of_a_slice_is_after_holm_and_its_interval_is_not(runs: tuple[Run, Run]) -> None:
    told = printed(runs[0].pk, runs[1].pk, "--metric", "pass_rate")

    assert re.search(r"p of a slice is after Holm's correction for \d+ slices", told)
    assert "its interval is of the slice by itself" in told
    [line] = [each for each in told.splitlines() if "metadata.language=Czech" in each]
    assert "  too few  " in line


def test_whoever_waits_for_somebody_killed_is_told_for_how_long(runs: tuple[Run, Run]) -> None:
    printed(runs[0].pk, runs[1].pk)
    until = timezone.now() + timedelta(seconds=1)
    killed = {"body": None, "state": JobState.RUNNING, "lease": "gone", "lease_until": until}
    Comparison.objects.update(**killed)
    heard = io.StringIO()

    call_command("compare", runs[0].pk, runs[1].pk, stdout=io.StringIO(), stderr=heard)

    assert "better prompt is being compared by somebody else" in heard.getvalue()
    assert re.search(r"free again in [01] s; waiting 30 s at most", heard.getvalue())


def test_a_metric_that_the_runs_do_not_have_is_refused(runs: tuple[Run, Run]) -> None:
    with pytest.raises(CommandError, match="they have: pass_rate") as refused:
        printed(runs[0].pk, runs[1].pk, "--metric", "charm")

    assert refused.value.returncode == 2


def test_json_csv_and_the_shape_of_agentv(runs: tuple[Run, Run]) -> None:
    first, second = runs[0].pk, runs[1].pk

    told = json.loads(printed(first, second, "--json"))
    rows = list(csv.DictReader(io.StringIO(printed(first, second, "--csv"), newline="")))
    shaped = json.loads(printed(first, second, "--agentv"))

    assert told["comparisons"][0]["body"]["shared"]["shared"] == 40
    assert len(rows) == 40
    assert shaped["summary"]["wins"] == 18


def test_a_worse_run_is_no_failure_of_the_command(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "++++", "----")

    assert json.loads(printed(first.pk, second.pk, "--agentv"))["summary"]["mean_delta"] < 0


def test_runs_that_cannot_be_compared_are_refused(workspace: Workspace) -> None:
    run = a_run(workspace, "++")

    with pytest.raises(CommandError, match="itself") as refused:
        printed(run.pk, "latest")

    assert refused.value.returncode == 2
