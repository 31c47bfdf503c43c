"""The page of planning over HTTP: which run it plans from, for whom, hostile addresses."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.analysis.planning import choosing
from apps.runs.models import Run
from tests.analysis.gates.building import a_policy, approved
from tests.labeling.building import labels_blind
from tests.runs.building import (
    FAILED_CONTRACT,
    PASSED,
    ended_run,
    make_version,
    running_run,
)

from .pages import planned

MOST_QUERIES = 24


def test_without_a_run_in_the_address_the_largest_recent_one_is_planned_from(
    as_alice: Client, run: Run, workspace: Workspace
) -> None:
    ended_run(workspace, version=make_version(workspace, 3, name="examples"), name="tiny")

    page = planned(as_alice)

    assert "Pass rate of first" in page
    assert "3 points wanted" in page
    assert "assumed: the worst case" in page


def test_without_a_run_in_the_address_a_second_one_of_the_same_records_measures(
    as_alice: Client, run: Run, workspace: Workspace
) -> None:
    ended_run(workspace, version=run.dataset_version, name="second")

    page = planned(as_alice)

    assert "Pass rate of second" in page
    assert "Second run: first" in page
    assert "measured on two runs" in page


def test_without_a_run_in_the_address_the_baseline_of_a_gate_is_planned_from(
    as_alice: Client, run: Run, workspace: Workspace
) -> None:
    ended_run(workspace, version=make_version(workspace, 300, name="others"), name="larger")
    approved(a_policy(workspace), run)

    assert "Pass rate of first" in planned(as_alice)


def test_without_an_ended_run_the_page_says_what_comes_first(
    as_alice: Client, workspace: Workspace
) -> None:
    running_run(workspace)

    assert "No run to plan from" in planned(as_alice)


def test_a_run_that_is_concealed_is_no_run_to_plan_from(
    client: Client, bob: User, run: Run
) -> None:
    labels_blind(run, bob)
    client.force_login(bob)

    assert "No run to plan from" in planned(client)
    assert "choose another" in planned(client, status=422, run=run.pk)


def test_strangers_find_no_page(client: Client, charlie: User, workspace: Workspace) -> None:
    client.force_login(charlie)

    assert client.get(reverse("analysis:planning", args=["demo"])).status_code == 404


def test_runs_of_another_workspace_are_not_offered(
    as_alice: Client, run: Run, charlie: User
) -> None:
    elsewhere = charlie.memberships.get().workspace
    theirs = ended_run(elsewhere, [PASSED])

    page = planned(as_alice, status=422, run=theirs.pk)

    assert "This run is not here, has not ended, or you may not see it" in page


def test_a_run_that_is_too_old_to_be_offered_is_planned_from_by_its_address(
    as_alice: Client, run: Run, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "OFFERED", 1)
    ended_run(workspace, [PASSED], name="newer")

    assert "Pass rate of first" in planned(as_alice, run=run.pk)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ({"points": "0"}, "must be at least 0.1"),
        ({"points": "1e999"}, "Enter a number"),
        ({"points": "nan"}, "Enter a number"),
        ({"points": "-3"}, "must be at least 0.1"),
        ({"points": "101"}, "may be 100 at most"),
        ({"metric": "hacked"}, "Select a valid choice"),
        ({"run": "run_\0"}, "choose another"),
        ({"run": "x" * 5000}, "choose another"),
        ({"baseline": "run_nobody"}, "choose another"),
        ({"family": "\0"}, "Null characters"),
    ],
)
def test_what_cannot_be_planned_is_told_in_a_sentence(
    as_alice: Client, run: Run, query: dict[str, str], says: str
) -> None:
    assert says in planned(as_alice, status=422, **query)


def test_a_run_against_itself_is_refused(as_alice: Client, run: Run) -> None:
    page = planned(as_alice, status=422, run=run.pk, baseline=run.pk)

    assert "A run does not differ from itself" in page


def test_the_page_makes_few_queries_however_many_runs_and_slices_there_are(
    as_alice: Client, workspace: Workspace, django_assert_max_num_queries: Any
) -> None:
    version = make_version(workspace, 300)
    runs = [ended_run(workspace, [PASSED, FAILED_CONTRACT], version=version) for _ in range(6)]
    Run.objects.update(created_at=timezone.now() - timedelta(days=1))
    planned(as_alice, run=runs[0].pk, baseline=runs[1].pk)

    with django_assert_max_num_queries(MOST_QUERIES):
        planned(as_alice, run=runs[0].pk, baseline=runs[1].pk, family="tag")
