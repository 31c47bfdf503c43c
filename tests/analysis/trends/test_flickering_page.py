"""Records that changed over the runs of a board, over HTTP."""

import re

from django.test import Client

from apps.accounts.models import Workspace
from apps.runs.models import Run
from apps.targets.services import edit_target
from apps.targets.specs import ScriptedSpec
from tests.runs import building

from .building import a_run, in_a_row, rivals
from .pages import FLAKY, html_of, text_of


def releases(workspace: Workspace, *verdicts: str) -> list[Run]:
    """A run of each version of one target, a day apart, a mark a record."""
    version = building.make_version(workspace, len(verdicts[0]))
    target = building.make_target(workspace, "assistant")
    runs = []
    for day, marks in enumerate(verdicts):
        edit_target(target=target, spec=ScriptedSpec(wrong_rate=day / 10), by=None)
        runs.append(a_run(workspace, marks, version, day=day, name=f"Release {day}"))
    return runs


def test_what_a_release_broke_for_good_is_no_flicker(workspace: Workspace, client: Client) -> None:
    releases(workspace, "+++-" * 10, "++--" * 10, "-+-+" * 10, "-+--" * 10)

    shown, page = text_of(client), text_of(client, page=FLAKY)

    assert "10 flicker " in shown
    assert "20 changed once" in shown
    assert (
        "Of 40 records that two runs or more judged, 10 passed and 0 failed in every run" in shown
    )
    assert re.search(r"Flicker 10 Changed once 20 Differ by target 0", page)
    assert ("ticket-00003" in page, "ticket-00000" in page) == (True, False)
    changed = text_of(client, {"kind": "changed"}, FLAKY)
    assert ("ticket-00003" in changed, "ticket-00000" in changed) == (False, True)
    assert "a regression or a repair, no flicker" in changed


def test_two_runs_of_one_version_that_disagree_flicker(
    workspace: Workspace, client: Client
) -> None:
    in_a_row(workspace, 20, 30)

    assert "10 flicker " in text_of(client, {"every": "on"})


def test_runs_stand_in_the_order_of_time(workspace: Workspace, client: Client) -> None:
    releases(workspace, "-" * 30, "+" * 30)

    page = text_of(client, page=FLAKY).partition("the oldest first")[2]

    assert page.index("Release 0") < page.index("Release 1")


def test_targets_that_differ_are_counted_on_the_board(workspace: Workspace, client: Client) -> None:
    rivals(workspace, a=20, b=30, c=25)

    shown = text_of(client)

    assert "10 differ by target" in shown
    assert "20 passed and 30 failed in every run that judged them" in shown
    assert FLAKY in html_of(client)


def test_each_record_says_what_every_run_made_of_it(workspace: Workspace, client: Client) -> None:
    runs = rivals(workspace, a=20, b=30, c=25)

    html, shown = html_of(client, page=FLAKY), text_of(client, page=FLAKY)

    assert "ticket-00020" in shown
    assert re.search(r"ticket-00020 .*? 2 of 3", shown)
    assert re.search(r"ticket-00025 .*? 1 of 3", shown)
    assert "ticket-00019" not in shown
    assert f'href="/w/demo/runs/{runs["a"].pk}/records/20/"' in html
    assert "Compare these runs" in shown
    compare = "&amp;".join(f"run={run.pk}" for run in list(runs.values())[::-1])
    assert f"/w/demo/compare/?{compare}" in html


def test_many_are_turned_page_by_page(workspace: Workspace, client: Client) -> None:
    rivals(workspace, a=0, b=60)

    first, last = text_of(client, page=FLAKY), text_of(client, {"page": "3"}, FLAKY)

    assert "60 records, page 1 of 3" in first
    assert ("ticket-00000" in first, "ticket-00059" in first) == (True, False)
    assert ("ticket-00000" in last, "ticket-00059" in last) == (False, True)


def test_none_is_listed_where_all_agree(workspace: Workspace, client: Client) -> None:
    rivals(workspace, a=30, b=30)

    assert "and none did both" in text_of(client)
    assert "None here" in text_of(client, page=FLAKY)


def test_what_trials_made_of_a_record_is_told(workspace: Workspace, client: Client) -> None:
    version = building.make_version(workspace, 5)
    a_run(workspace, "++-" * 5, version, target="often", trials=3)
    a_run(workspace, "-" * 5, version, target="never")

    assert "Passed in 2 of 3 trials" in text_of(client, page=FLAKY)
