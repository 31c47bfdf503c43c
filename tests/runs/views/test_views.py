"""The pages of runs as the server answers them: content, fragments, filters, queries."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User, Workspace
from apps.grading.models import ContractVersion
from apps.runs.beginning.judging import DEFAULT
from apps.runs.ending.summaries import metrics_of, store_summaries
from apps.runs.models import Run
from apps.targets.specs import ScriptedSpec
from tests.runs import building
from tests.runs.building import BROKEN, FAILED_CONTRACT, MIX, PASSED, SKIPPED, TIMED_OUT
from tests.runs.pages import Opener, words_of

pytestmark = pytest.mark.django_db

MOST_QUERIES = 13


# -- the table ------------------------------------------------------------------------------


def test_the_table_shows_each_run_with_its_numbers(ended: Run, opened: Opener) -> None:
    page = words_of(opened("list"))

    assert "v14 prompt" in page
    assert "Completed, with failures" in page
    assert "100 / 100" in page
    assert "scripted" in page
    assert "quality@1" in page


def test_an_empty_table_teaches_the_next_step(opened: Opener) -> None:
    page = opened("list")

    assert "No runs yet" in page
    assert reverse("runs:start", args=["demo"]) in page


def test_a_filter_that_leaves_nothing_says_so(ended: Run, opened: Opener) -> None:
    assert "No run matches" in opened("list", query="?state=queued")


def test_a_filter_that_nobody_could_choose_is_not_given(ended: Run, opened: Opener) -> None:
    assert "v14 prompt" in opened("list", query="?state=nonsense&dataset=%00&cursor=x")


def test_the_table_pages_by_its_cursor_and_the_address_holds_it(
    workspace: Workspace, alice: User, opened: Opener
) -> None:
    version = building.make_version(workspace, 1)
    for number in range(52):
        building.queued_run(workspace, by=alice, version=version, name=f"number {number:02d}")

    first = opened("list")
    older = re.search(r'rel="next" href="[^"?]*(\?[^"]+)"', first)
    assert older is not None
    second = opened("list", query=older[1].replace("&amp;", "&"))

    assert "number 51" in first
    assert "number 02" in first
    assert "number 01" not in first
    assert "number 01" in second
    assert "number 02" not in second


def test_the_oldest_comes_first_where_that_is_asked(
    workspace: Workspace, alice: User, opened: Opener
) -> None:
    for name in ("older", "newer"):
        building.queued_run(workspace, by=alice, name=name)

    page = opened("list", query="?sort=time")

    assert page.index("older") < page.index("newer")


# -- one run --------------------------------------------------------------------------------


def test_the_page_of_a_run_spells_its_denominators_out(ended: Run, opened: Opener) -> None:
    page = words_of(opened("detail", ended.pk))

    assert "104 total = 100 valid + 4 invalid" in page
    assert "100 valid = 90 evaluated + 10 failed + 0 skipped" in page
    assert "90 evaluated = 70 passed + 15 failed the contract + 5 not judged" in page


def test_the_head_of_a_run_has_few_buttons_and_a_menu_of_the_others(
    ended: Run, opened: Opener
) -> None:
    page = opened("detail", ended.pk)

    head, _, menu = page.partition('class="page-head"')[2].partition("More<svg")
    assert "Compare with…" in words_of(head)
    for action in ("Grade again", "Clone", "Label these answers", "Archive"):
        assert action not in words_of(head)
        assert action in words_of(menu.partition("</details>")[0]), action


def test_the_tile_of_costs_says_what_judges_cost_beside(
    workspace: Workspace, judged: ContractVersion, opened: Opener
) -> None:
    judge = building.make_target(workspace, "solomon", ScriptedSpec(plays="judge")).current
    alone = building.ended_run(workspace)
    beside = building.ended_run(workspace, contract=judged, judges={DEFAULT: judge})
    Run.objects.filter(pk=beside.pk).update(spent="0.1")

    assert "without judges" not in words_of(opened("detail", alone.pk))
    page = words_of(opened("detail", beside.pk))
    assert "without judges; $0.10 with them" in page
    assert re.search(r"per 1,000 records \$[\d.]+ without, \$[\d.]+ with", page)


def test_every_panel_of_a_run_is_there(ended: Run, opened: Opener) -> None:
    page = words_of(opened("detail", ended.pk, query="?family=metadata.language"))

    for expected in (
        "Pass rate by slice",
        "English",
        "too few",
        "token_f1",
        "The target&#x27;s answer could not be read",
        "Timed out",
        "Rejected when the dataset was validated",
        "Contract quality@1",
        "≥ 80.0 %, lower bound of the interval",
        "95 % CI",
    ):
        assert expected in page, expected


def test_a_slice_says_how_many_of_its_records_were_judged(
    workspace: Workspace, opened: Opener
) -> None:
    version = building.make_version(workspace, 40)
    run = building.ended_run(workspace, [*[PASSED] * 3, TIMED_OUT], version=version)

    page = words_of(opened("detail", run.pk, query="?family=task_type"))

    assert "classification 30 of 40 100.0 %" in page


def test_an_open_run_polls_and_an_ended_one_does_not(
    workspace: Workspace, ended: Run, opened: Opener
) -> None:
    under_way = building.running_run(workspace, [PASSED, TIMED_OUT])

    assert opened("detail", under_way.pk).count('hx-trigger="every') == 2
    assert 'hx-trigger="every' not in opened("detail", ended.pk)


def test_a_poll_that_finds_the_run_ended_brings_its_new_head(ended: Run, opened: Opener) -> None:
    fragment = opened("detail", ended.pk, hx_request="true", hx_target="progress")

    assert "hx-swap-oob" in fragment
    assert "Archive" in fragment
    assert "<html" not in fragment


def test_a_fragment_is_only_itself(workspace: Workspace, opened: Opener) -> None:
    run = building.running_run(workspace, [PASSED])

    progress = opened("detail", run.pk, hx_request="true", hx_target="progress")
    figures = opened("detail", run.pk, hx_request="true", hx_target="figures")

    assert 'id="progress"' in progress
    assert 'id="figures"' not in progress
    assert 'id="figures"' in figures
    assert 'id="progress"' not in figures


def test_only_buttons_that_apply_are_offered(workspace: Workspace, opened: Opener) -> None:
    version = building.make_version(workspace)
    perfect = building.ended_run(workspace, [PASSED], version=version)
    failing = building.ended_run(workspace, [PASSED, TIMED_OUT], version=version)
    cancelled = building.ended_run(workspace, [PASSED, SKIPPED], version=version)
    under_way = building.running_run(workspace, [PASSED], version=version)
    wanted = {
        perfect.pk: {"archive", "clone"},
        failing.pk: {"archive", "clone", "retry"},
        cancelled.pk: {"archive", "clone", "resume"},
        under_way.pk: {"clone", "cancel"},
    }

    for run_id, expected in wanted.items():
        page = opened("detail", run_id)
        actions = ("archive", "cancel", "clone", "restore", "resume", "retry")
        found = {each for each in actions if f"/{run_id}/{each}/" in page}
        assert found == expected


def test_a_reviewer_is_offered_nothing_that_changes_a_run(
    ended: Run, client: Client, bob: User
) -> None:
    client.force_login(bob)

    page = client.get(reverse("runs:detail", args=["demo", ended.pk])).content.decode()

    assert "<form" not in page.split('<main id="main"')[1].split("</main>")[0]
    assert "results.csv" not in page


def test_what_follows_a_run_and_what_it_follows_are_linked(
    workspace: Workspace, opened: Opener, as_alice: Client
) -> None:
    parent = building.ended_run(workspace, [PASSED, TIMED_OUT], name="first")
    as_alice.post(reverse("runs:retry", args=["demo", parent.pk]))
    child = Run.objects.get(parent=parent)

    assert f"/runs/{child.pk}/" in opened("detail", parent.pk)
    assert f"/runs/{parent.pk}/" in opened("detail", child.pk)


def test_the_first_numbers_are_announced_while_there_are_none(
    workspace: Workspace, opened: Opener
) -> None:
    run = building.queued_run(workspace)

    page = words_of(opened("detail", run.pk))

    assert "Not measured yet." in page
    assert "waiting for a worker" in page


# -- how many queries -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "",
        "?tab=nothing&family=tag&page=2",
        "results/",
        "results/?outcome=failed_contract&rule=exact:fail&family=tag&value=tag-01&q=ticket",
        "records/18/?outcome=failed",
        "artifacts/",
    ],
)
def test_a_page_of_a_run_takes_at_most_thirteen_queries(
    address: str,
    workspace: Workspace,
    as_alice: Client,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    version = building.make_version(workspace, 100)
    ended = building.kept_run(workspace, MIX, version=version)
    open_run = building.running_run(workspace, MIX, version=version)
    store_summaries(open_run, metrics_of(open_run), as_of=timezone.now())
    as_alice.get("/w/demo/runs/")  # the first visit notes the workspace in the session

    for run in (ended, open_run):
        with django_assert_max_num_queries(MOST_QUERIES):
            as_alice.get(f"/w/demo/runs/{run.pk}/{address}")


def test_the_table_takes_the_same_queries_whatever_its_length(
    workspace: Workspace,
    as_alice: Client,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    version = building.make_version(workspace, 20)
    for _ in range(8):
        building.ended_run(workspace, [PASSED, FAILED_CONTRACT, BROKEN], version=version)
        building.queued_run(workspace, version=version)
    as_alice.get("/w/demo/runs/")

    with django_assert_max_num_queries(10):
        as_alice.get("/w/demo/runs/")
