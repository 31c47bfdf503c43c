"""The leaderboard over HTTP: ranks in words, ties, concealed runs."""

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.analysis.calibration.known import corrected_of
from apps.analysis.models import Board
from apps.jobs.models import JobState
from apps.runs.models import Run
from tests.labeling.building import labels_blind
from tests.runs import building

from .building import a_run, in_a_row, judged, passing, rivals
from .pages import BOARD, FLAKY, html_of, text_of

MOST_QUERIES = 20


def test_nothing_yet_says_what_a_board_takes(workspace: Workspace, client: Client) -> None:
    assert "No runs to rank yet" in text_of(client)
    in_a_row(workspace, 20)
    alone = text_of(client)
    assert "One run ranks against nobody" in alone
    assert "A leaderboard takes two ended runs of one dataset version" in alone


def test_it_opens_with_a_board_where_there_is_one(workspace: Workspace, client: Client) -> None:
    runs = rivals(workspace, solid=55, weak=31)
    version = runs["solid"].dataset_version
    a_run(
        workspace, passing(20, 60), version, day=9, contract=building.demanding_contract(workspace)
    )
    in_a_row(workspace, 20)

    shown = text_of(client)

    assert "One run ranks against nobody" not in shown
    assert "solid v1" in shown


def test_an_empty_board_leads_to_those_that_there_are(workspace: Workspace, client: Client) -> None:
    full = rivals(workspace, solid=55, weak=31)
    nights = in_a_row(workspace, 20, 21)
    version = nights[0].dataset_version

    html = html_of(client, {"version": version.pk, "metric": "score_mean"})

    assert "Start a run" not in html
    assert f">2 runs over {version}, judged by {nights[0].contract_version}</a>" in html
    elsewhere = f">2 target versions over {full['solid'].dataset_version}, judged by"
    assert elsewhere in html
    links = re.findall(r'href="\?(version=[^"]+)"', html)
    here, there = (text_of(client, dict(parse_qsl(unescape(link)))) for link in links)
    assert "Night 0" in here
    assert "solid v1" in there
    assert "By score" in there


def test_ranks_are_told_with_their_ties(workspace: Workspace, client: Client) -> None:
    rivals(workspace, solid=55, shaky=30, weak=31)

    shown = text_of(client)

    assert re.search(r"1 solid v1 .* 2–3 \(tied\) weak v1 .* 2–3 \(tied\) shaky v1", shown)
    assert "60 records that all of them have" in shown
    assert "Nobody leads" not in shown


def test_where_no_test_tells_anybody_apart_nobody_leads(
    workspace: Workspace, client: Client
) -> None:
    rivals(workspace, one=50, two=51, three=52)

    shown = text_of(client)

    assert "Nobody leads" in shown
    assert shown.count("1–3 (tied)") == 3


def test_below_twenty_records_nobody_is_ranked_and_the_page_says_why(
    workspace: Workspace, client: Client
) -> None:
    rivals(workspace, of=12, all_right=12, all_wrong=0)

    shown = text_of(client)

    assert "Too few records to rank: 12 of 20" in shown
    assert "Nobody leads" not in shown
    assert shown.count("1–2 (tied)") == 2


def test_a_line_has_interval_latency_cost_and_what_ran(
    workspace: Workspace, client: Client
) -> None:
    runs = rivals(workspace, solid=55, weak=31)

    html, shown = html_of(client), text_of(client)

    assert f'href="/w/demo/runs/{runs["solid"].pk}/"' in html
    assert "91.7 % 81.9 – 96.4" in shown
    assert re.search(r"60 \d\.\d\d s \$0\.0\d", shown)


def test_ranks_by_a_judge_stand_beside_what_people_make_of_it(
    workspace: Workspace, client: Client
) -> None:
    runs = rivals(workspace, solid=55, weak=31)
    assert "Corrected by people" not in text_of(client)

    first = judged(workspace, list(runs.values()))
    shown = text_of(client)

    assert "Corrected by people" in shown
    known = corrected_of(first, "pass_rate")
    assert known is not None
    assert shown.count(known.why) == 2
    assert "Ranks are by what the judges said, as they said it" in shown


def test_lines_are_ticked_to_be_compared(workspace: Workspace, client: Client) -> None:
    runs = rivals(workspace, solid=55, weak=31)

    html = html_of(client)

    assert 'action="/w/demo/compare/"' in html
    for run in runs.values():
        assert f'name="run" value="{run.pk}" form="choose"' in html


def test_every_run_of_a_target_by_choice(workspace: Workspace, client: Client) -> None:
    version = building.make_version(workspace, 40)
    for day in range(3):
        a_run(workspace, passing(20, 40), version, day=day, name=f"Night {day}")
    a_run(workspace, passing(35, 40), version, day=4, target="other", name="Other")

    newest, every = text_of(client), text_of(client, {"every": "on"})

    assert ("Night 2" in newest, "Night 1" in newest) == (True, False)
    assert all(f"Night {day}" in every for day in range(3))


def test_it_is_ranked_by_score_and_by_another_version_as_the_address_says(
    workspace: Workspace, client: Client
) -> None:
    old = rivals(workspace, a=50, b=20)
    rivals(workspace, a=30, b=31)

    assert "By score" in text_of(client, {"metric": "score_mean"})
    shown = text_of(client, {"version": old["a"].dataset_version_id})
    assert "83.3 %" in shown
    assert "Nobody leads" in text_of(client)


def test_a_heavy_board_is_waited_for(workspace: Workspace, client: Client) -> None:
    rivals(workspace, a=50, b=20)
    Run.objects.update(planned=500_000)

    html = html_of(client)

    assert "are being held against each other" in html
    assert 'hx-trigger="every 2s"' in html
    assert "being computed" in text_of(client, page=FLAKY)


def test_a_board_that_failed_says_why(workspace: Workspace, client: Client) -> None:
    rivals(workspace, a=50, b=20)
    html_of(client)
    Board.objects.update(state=JobState.FAILED, body=None, error="MemoryError: too much")

    assert "MemoryError: too much" in text_of(client)


@pytest.mark.parametrize("page", [BOARD, FLAKY])
@pytest.mark.parametrize(
    "query",
    [
        {"contract": "\0", "metric": "é" * 5_000},
        {"page": "9" * 40},
        {"page": "-1", "every": "\0"},
        {"page": "٣"},
        {"kind": "\0"},
        {"kind": "changed"},
        {"metric": "pass^4", "unknown": "1"},
    ],
)
def test_no_address_breaks_it(
    workspace: Workspace, client: Client, page: str, query: dict[str, Any]
) -> None:
    rivals(workspace, a=50, b=20)

    assert client.get(page, query).status_code == 200


@pytest.mark.parametrize("page", [BOARD, FLAKY])
def test_what_an_address_names_and_cannot_be_had_is_told(
    workspace: Workspace, client: Client, page: str
) -> None:
    rivals(workspace, a=50, b=20)
    told = "Not all that the address names is shown"

    assert told not in text_of(client, {}, page)
    assert told in text_of(client, {"contract": "nothing-here"}, page)


def test_the_number_of_queries_does_not_grow_with_the_runs(
    workspace: Workspace, client: Client, django_assert_max_num_queries: Any
) -> None:
    rivals(workspace, of=20, **{f"t{number}": number + 5 for number in range(12)})
    html_of(client)

    for page in (BOARD, FLAKY):
        with django_assert_max_num_queries(MOST_QUERIES):
            client.get(page)


def test_no_board_is_shown_of_runs_that_a_blind_reviewer_may_not_see(
    workspace: Workspace, client: Client, bob: User
) -> None:
    runs = rivals(workspace, solid=55, weak=31)
    other = building.make_version(workspace, 30, name="other")
    own = [a_run(workspace, passing(n, 30), other, target=f"own{n}") for n in (10, 28)]
    html_of(client, {"version": runs["solid"].dataset_version_id})
    labels_blind(runs["solid"], bob)
    client.force_login(bob)

    hidden = {"version": runs["solid"].dataset_version_id}
    assert [client.get(page, hidden).status_code for page in (BOARD, FLAKY)] == [404, 404]
    unknown = {"version": "x\0y"}
    assert [client.get(page, unknown).status_code for page in (BOARD, FLAKY)] == [404, 404]
    shown, flaky = (text_of(client, {}, page) for page in (BOARD, FLAKY))

    assert "2 runs are hidden while you label blind" in shown
    for text in (shown, flaky):
        assert "solid" not in text
        assert "91.7" not in text
    assert own[1].title in shown


def test_a_board_stored_for_more_runs_is_not_the_board_of_fewer(
    workspace: Workspace, client: Client
) -> None:
    runs = rivals(workspace, solid=55, weak=31, third=12)
    assert "third v1" in text_of(client)
    Run.objects.filter(pk=runs["third"].pk).update(archived_at=building.START)

    assert "third v1" not in text_of(client)
    assert Board.objects.count() == 2


@pytest.mark.parametrize("page", [BOARD, FLAKY])
def test_a_stranger_finds_no_page(
    workspace: Workspace, client: Client, charlie: User, page: str
) -> None:
    client.force_login(charlie)

    assert client.get(page).status_code == 404
