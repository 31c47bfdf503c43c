"""Search: what is found, what stays hidden, and that it stays bounded."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User, Workspace
from apps.dashboards.search import search
from apps.datasets.models import Record
from tests.runs import building

pytestmark = pytest.mark.django_db

ADDRESS = "/w/demo/search/"


def test_datasets_and_runs_are_found_by_a_part_of_their_name(
    alice: User, workspace: Workspace
) -> None:
    run = building.queued_run(workspace, name="Nightly triage")

    by_run, by_dataset = search(alice, workspace, "TRIAGE"), search(alice, workspace, "icket")

    assert by_run.runs == [run]
    assert [dataset.name for dataset in by_dataset.datasets] == ["tickets"]
    assert by_dataset.runs == [run]


def test_a_run_is_found_by_the_beginning_of_its_id(alice: User, workspace: Workspace) -> None:
    run = building.queued_run(workspace)

    assert search(alice, workspace, run.pk[:14]).runs == [run]


def test_records_are_found_by_the_beginning_of_their_id_in_the_latest_version(
    alice: User, workspace: Workspace
) -> None:
    building.make_version(workspace, 12)
    latest = building.make_version(workspace, 11)

    found = search(alice, workspace, "ticket-0001")

    assert [each.record.record_id for each in found.records] == ["ticket-00010"]
    assert found.records[0].record.version == latest
    assert search(alice, workspace, "icket-0001").records == []


def test_no_more_than_ten_of_a_kind_are_listed_and_it_says_so(
    alice: User, workspace: Workspace
) -> None:
    building.make_version(workspace, 30)

    found = search(alice, workspace, "ticket-")

    assert len(found.records) == 10
    assert found.more == {"records"}


@pytest.mark.parametrize("text", ["", " ", "x", "\0\0"])
def test_too_few_letters_find_nothing(text: str, alice: User, workspace: Workspace) -> None:
    building.make_version(workspace, name="x")

    assert search(alice, workspace, text).is_empty


@pytest.mark.parametrize("text", ["%%", "__", "ticket_", "\\\\", "'; drop table", "ÿ" * 5_000])
def test_letters_that_mean_something_to_a_database_are_letters(
    text: str, as_alice: Client, workspace: Workspace
) -> None:
    building.make_version(workspace, 3)

    answer = as_alice.get(ADDRESS, {"q": text})

    assert answer.status_code == 200
    assert "Nothing is called" in answer.content.decode()


def test_nothing_of_another_workspace_is_found(
    alice: User, workspace: Workspace, charlie: User
) -> None:
    elsewhere = charlie.memberships.get().workspace
    building.queued_run(elsewhere, name="secret triage")

    assert search(alice, workspace, "secret").is_empty
    assert search(alice, workspace, "ticket").is_empty
    assert search(alice, elsewhere, "ticket").is_empty


def test_personal_data_stays_hidden_where_the_workspace_asks(
    as_alice: Client, workspace: Workspace
) -> None:
    version = building.make_version(workspace, 1)
    Record.objects.filter(version=version).update(head="Write to jane.roe@example.com")

    before = as_alice.get(ADDRESS, {"q": "ticket"}).content.decode()
    Workspace.objects.filter(pk=workspace.pk).update(redacts_personal_data=True)
    after = as_alice.get(ADDRESS, {"q": "ticket"}).content.decode()

    assert "jane.roe" in before
    assert "jane.roe" not in after


def test_what_was_searched_is_never_markup(as_alice: Client, workspace: Workspace) -> None:
    page = as_alice.get(ADDRESS, {"q": "<script>alert(1)</script>"}).content.decode()

    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page


def test_search_takes_at_most_twelve_queries(
    as_alice: Client,
    workspace: Workspace,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    building.queued_run(workspace, name="ticket")
    as_alice.get(ADDRESS)

    with django_assert_max_num_queries(12):
        as_alice.get(ADDRESS, {"q": "ticket"})
