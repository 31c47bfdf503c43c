"""The overview: what needs attention, what runs, what is recent, and how to begin."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User, Workspace
from apps.dashboards.installation import workers
from apps.dashboards.queries import Attention, activity, attention
from apps.datasets.models import Upload
from apps.jobs.models import Heartbeat, JobState
from apps.labeling.desk import desks
from apps.runs.models import Run, RunState
from apps.targets.specs import OpenAIChatSpec
from tests.labeling.at_the_desk import opened
from tests.labeling.building import a_campaign
from tests.labeling.fake_desk import FakeDesk
from tests.runs import building
from tests.runs.building import PASSED, TIMED_OUT

pytestmark = pytest.mark.django_db

ADDRESS = "/w/demo/"


def beat(seconds_ago: float, host: str = "one", slots: int = 4) -> None:
    seen = timezone.now() - timedelta(seconds=seconds_ago)
    Heartbeat.objects.create(
        host=host, pid=1, kind="worker", version="0", slots=slots, seen_at=seen
    )


def told(user: User, workspace: Workspace, now: datetime | None = None) -> list[Attention]:
    moment = now or timezone.now()
    return attention(user, workspace, activity(user, workspace), workers(moment), moment)


def upload(workspace: Workspace, **columns: Any) -> Upload:
    return Upload.objects.create(
        workspace=workspace, identity="0" * 64, name="tickets.json", **columns
    )


def test_a_new_workspace_shows_the_first_steps(as_alice: Client, workspace: Workspace) -> None:
    page = as_alice.get(ADDRESS).content.decode()

    assert page.count('aria-label="To do"') == 4
    assert "Upload a dataset" in page


def test_steps_that_are_done_are_ticked(as_alice: Client, workspace: Workspace) -> None:
    building.make_version(workspace)
    building.make_target(workspace)

    page = as_alice.get(ADDRESS).content.decode()

    assert page.count('aria-label="Done"') == 2
    assert page.count('aria-label="To do"') == 2


def test_steps_disappear_with_the_first_run(as_alice: Client, workspace: Workspace) -> None:
    building.queued_run(workspace)

    assert "First steps" not in as_alice.get(ADDRESS).content.decode()


def test_who_has_answers_to_label_reads_how_many_and_where(
    client: Client, workspace: Workspace, alice: User, bob: User
) -> None:
    with desks.use(desk := FakeDesk()):
        opened(a_campaign(workspace, alice, bob, tasks=("grounding",), pairs=4), desk)
    pages = []
    for user in (alice, bob):
        client.force_login(user)
        pages.append(client.get(ADDRESS).content.decode())

    of_alice, of_bob = pages

    assert "4 answers wait for you to label" in of_bob
    assert "/w/demo/labeling/mine/" in of_bob
    assert "for you to label" not in of_alice


def test_runs_under_way_are_polled_and_only_they(as_alice: Client, workspace: Workspace) -> None:
    building.ended_run(workspace, name="yesterday")
    building.running_run(workspace, [PASSED], name="today")

    page = as_alice.get(ADDRESS).content.decode()
    fragment = as_alice.get(ADDRESS, headers={"hx-request": "true"}).content.decode()

    assert "yesterday" in page
    assert "today" in page
    assert "today" in fragment
    assert "yesterday" not in fragment


def test_nothing_needs_attention_where_all_is_well(alice: User, workspace: Workspace) -> None:
    beat(1)
    building.ended_run(workspace, [PASSED])

    assert told(alice, workspace) == []


def test_waiting_runs_without_a_worker_come_first(alice: User, workspace: Workspace) -> None:
    beat(60)
    run = building.queued_run(workspace, name="nightly")
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(minutes=2))

    items = told(alice, workspace)

    assert [item.title for item in items] == ["No worker is up", "nightly waits"]


def test_failures_of_the_last_days_need_attention_until_somebody_follows_them(
    alice: User, workspace: Workspace
) -> None:
    beat(1)
    version = building.make_version(workspace, 4)
    run = building.ended_run(workspace, [PASSED, TIMED_OUT], version=version, name="nightly")
    soon = building.START + timedelta(hours=1)
    late = building.START + timedelta(days=9)

    before = told(alice, workspace, soon)
    building.queued_run(workspace, version=version, kind=Run.Kind.RETRY, parent=run)
    after = told(alice, workspace, soon)

    assert [(item.title, item.text) for item in before] == [
        ("nightly has failures", "2 records failed")
    ]
    assert after == []
    assert told(alice, workspace, late) == []


def test_a_run_that_failed_says_why(alice: User, workspace: Workspace) -> None:
    beat(1)
    run = building.queued_run(workspace, name="nightly")
    Run.objects.filter(pk=run.pk).update(
        state=RunState.FAILED, completed_at=timezone.now(), reason="The key is not set."
    )

    items = told(alice, workspace)

    assert [(item.tone, item.title, item.text) for item in items] == [
        ("bad", "nightly failed", "The key is not set.")
    ]


def test_a_run_that_may_spend_without_limit_is_named(alice: User, workspace: Workspace) -> None:
    beat(1)
    spec = OpenAIChatSpec(base_url="http://127.0.0.1:9/v1", model="m")
    target = building.make_target(workspace, "paid", spec)
    building.queued_run(workspace, target=target, name="uncapped")
    building.queued_run(workspace, target=target, name="capped", cost_cap=3.0)

    assert [item.title for item in told(alice, workspace)] == ["uncapped has no cost cap"]


@pytest.mark.parametrize(
    ("columns", "title"),
    [
        ({"counts": {"rejected": 3}}, "tickets.json has 3 rejected records"),
        ({"outcome": {"status": 400, "message": "Not JSON."}}, "tickets.json was not accepted"),
        ({"state": JobState.FAILED, "error": "gone"}, "tickets.json was not accepted"),
    ],
)
def test_uploads_with_errors_need_attention(
    columns: dict[str, Any], title: str, alice: User, workspace: Workspace
) -> None:
    made = upload(workspace, **columns)

    items = told(alice, workspace)

    assert [(item.title, item.key) for item in items] == [(title, made.pk)]


def test_uploads_without_errors_need_none(alice: User, workspace: Workspace) -> None:
    upload(workspace, counts={"rejected": 0}, outcome={"status": 201})
    upload(workspace, purpose=Upload.Purpose.ANSWERS, outcome={"message": "not a dataset"})

    assert told(alice, workspace) == []


def test_the_health_of_workers_is_that_of_the_last_seconds() -> None:
    beat(1, "one", slots=4)
    beat(2, "two", slots=2)
    beat(40, "gone", slots=8)

    up = workers(timezone.now())

    assert (up.machines, up.slots, up.is_up) == (2, 6, True)


def test_workers_that_died_are_remembered_for_an_hour() -> None:
    beat(1_800)

    up = workers(timezone.now())

    assert not up.is_up
    assert up.seen_at is not None


def test_the_overview_takes_at_most_twelve_queries(
    as_alice: Client,
    workspace: Workspace,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    version = building.make_version(workspace, 4)
    for _ in range(4):
        building.ended_run(workspace, [PASSED, TIMED_OUT], version=version)
        building.running_run(workspace, [PASSED], version=version)
        upload(workspace, counts={"rejected": 1})
    as_alice.get(ADDRESS)

    with django_assert_max_num_queries(12):
        as_alice.get(ADDRESS)


def test_an_empty_overview_takes_at_most_twelve_queries(
    as_alice: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    as_alice.get(ADDRESS)

    with django_assert_max_num_queries(12):
        as_alice.get(ADDRESS)
