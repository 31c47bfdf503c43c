"""The page of the installation: who works, what waits, what is wrong and what to do about it."""

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from apps import VERSION
from apps.accounts.models import User, Workspace
from apps.dashboards.installation import Disk, about_disk, installation
from apps.datasets.models import Upload
from apps.jobs.models import Chore, Heartbeat, JobState

pytestmark = pytest.mark.django_db

ADDRESS = "/w/demo/system/"


@pytest.fixture
def as_ada(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


@pytest.fixture
def at_work(db: None) -> Heartbeat:
    return Heartbeat.objects.create(
        host="one", pid=1, kind="worker", version=VERSION, slots=4, seen_at=timezone.now()
    )


def an_upload(workspace: Workspace, state: str, **columns: object) -> Upload:
    return Upload.objects.create(
        workspace=workspace, identity="0" * 64, name="tickets.json", state=state, **columns
    )


def complaints() -> list[str]:
    return [each.title for each in installation(timezone.now()).complaints]


def test_an_admin_reads_what_everything_stands_on(as_ada: Client, at_work: Heartbeat) -> None:
    page = as_ada.get(ADDRESS).content.decode()

    assert "1 machine at work, 4 slots" in page
    assert f"<dd>{VERSION}" in page
    assert "Labelling desk" in page
    assert "free (" in page


def test_nobody_else_does(client: Client, workspace: Workspace, alice: User) -> None:
    client.force_login(alice)

    assert client.get(ADDRESS).status_code == 403
    assert ADDRESS not in client.get("/w/demo/").content.decode()


def test_jobs_are_counted_by_kind_of_all_that_are_kept(workspace: Workspace) -> None:
    now = timezone.now()
    due = now - timedelta(minutes=3)
    an_upload(workspace, JobState.PENDING, not_before=due)
    an_upload(workspace, JobState.PENDING, not_before=now + timedelta(hours=1))
    an_upload(workspace, JobState.SENT, not_before=now)
    an_upload(workspace, JobState.FAILED)
    an_upload(workspace, JobState.DONE)

    counted = next(each for each in installation(now).jobs if each.kind == "Uploads")

    assert (counted.waiting, counted.running, counted.failed, counted.total) == (3, 0, 1, 5)
    assert counted.due_since == due


def test_without_a_worker_it_says_how_many_jobs_wait_and_what_to_do(
    as_ada: Client, workspace: Workspace
) -> None:
    an_upload(workspace, JobState.PENDING)

    page = as_ada.get(ADDRESS).content.decode()

    assert "No worker is up." in page
    assert "1 job waits until one is" in page
    assert "evalhub worker" in page


def test_jobs_that_wait_long_though_somebody_works_are_told(
    workspace: Workspace, at_work: Heartbeat
) -> None:
    before = complaints()
    an_upload(workspace, JobState.PENDING, not_before=timezone.now() - timedelta(minutes=5))

    assert [each for each in complaints() if each not in before] == [
        "Jobs wait for more than two minutes."
    ]


def test_jobs_that_their_own_run_holds_back_are_no_complaint(
    workspace: Workspace, at_work: Heartbeat
) -> None:
    before = complaints()
    an_upload(workspace, JobState.PENDING, not_before=timezone.now() - timedelta(minutes=5))
    an_upload(workspace, JobState.RUNNING, lease="0" * 32, lease_until=timezone.now())
    assert complaints() == before

    Heartbeat.objects.update(slots=1)
    assert "Jobs wait for more than two minutes." in complaints()


def test_workers_of_another_version_are_told(at_work: Heartbeat) -> None:
    Heartbeat.objects.update(version="0.0.1")

    assert "Workers of another version are at work." in complaints()


def test_a_chore_that_broke_is_told_without_its_error(as_ada: Client, at_work: Heartbeat) -> None:
    Chore.objects.create(name="retention", error="OSError: /secret/place")

    page = as_ada.get(ADDRESS).content.decode()

    assert "Retention did not end well." in page
    assert "/secret/place" not in page


def test_mail_that_is_not_set_up_is_told(settings: LazySettings, at_work: Heartbeat) -> None:
    assert complaints() == []
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"

    assert complaints() == ["No mail server is set up."]


def test_a_disk_with_little_space_is_told() -> None:
    assert list(about_disk(Disk(free=50, total=100))) == []
    assert [each.tone for each in about_disk(Disk(free=4, total=100))] == ["bad"]


def test_it_names_nothing_of_a_workspace(as_ada: Client, charlie: User) -> None:
    an_upload(charlie.memberships.get().workspace, JobState.FAILED, error="tickets of Charlie")

    page = as_ada.get(ADDRESS).content.decode()

    assert "tickets" not in page


def test_the_part_that_refreshes_itself_is_a_fragment(as_ada: Client) -> None:
    part = as_ada.get(ADDRESS, headers={"HX-Request": "true"}).content.decode()

    assert part.strip().startswith('<div id="system"')
