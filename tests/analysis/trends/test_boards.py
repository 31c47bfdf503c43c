"""Boards: what is ranked, computed once, kept under exactly its runs."""

import pytest

from apps.accounts.models import User, Workspace
from apps.analysis.models import Board
from apps.analysis.trends import asked, boards
from apps.analysis.trends.choosing import NO_CONTRACT, comparable, contenders
from apps.jobs import services as jobs
from apps.jobs.models import JobState
from apps.metrics.ranked import Board as Body
from apps.runs.models import Run, RunState
from tests.runs import building

from .building import a_run, in_a_row, passing, rivals


def body(board: Board) -> Body:
    assert board.body is not None, board.error
    return Body.model_validate(board.body)


def places(board: Board) -> dict[str, tuple[int, int, int]]:
    return {each.run: (each.first, each.last, each.group) for each in body(board).ranks}


def test_a_light_board_is_computed_in_the_request_and_kept(workspace: Workspace) -> None:
    runs = rivals(workspace, solid=55, shaky=30, weak=31)
    newest_first = list(runs.values())[::-1]

    board = asked(newest_first, "pass_rate")

    assert board.state == JobState.DONE
    assert places(board) == {
        runs["solid"].pk: (1, 1, 1),
        runs["weak"].pk: (2, 3, 2),
        runs["shaky"].pk: (2, 3, 2),
    }
    assert body(board).shared == 60
    assert asked(newest_first, "pass_rate").pk == board.pk
    assert Board.objects.count() == 1


def test_other_runs_and_another_metric_are_other_boards(workspace: Workspace) -> None:
    one, two, three = rivals(workspace, a=50, b=40, c=30).values()

    keys = {
        asked([three, two, one], "pass_rate").pk,
        asked([three, two], "pass_rate").pk,
        asked([three, two, one], "score_mean").pk,
    }

    assert len(keys) == 3


def test_a_heavy_board_waits_for_a_worker(workspace: Workspace) -> None:
    one, two = rivals(workspace, a=50, b=20).values()
    Run.objects.filter(pk=one.pk).update(planned=200_000)
    one.refresh_from_db()

    board = asked([two, one], "pass_rate")

    assert (board.body, board.is_open) == (None, True)
    jobs.work_here(lambda: not Board.objects.filter(state__in=["pending", "sent"]).exists())
    board.refresh_from_db()
    assert places(board) == {one.pk: (1, 1, 1), two.pk: (2, 2, 2)}


def test_what_failed_is_tried_again_a_minute_later(workspace: Workspace) -> None:
    runs = list(rivals(workspace, a=50, b=20).values())
    board = asked(runs, "pass_rate")
    failed = {"state": JobState.FAILED, "body": None, "error": "no memory"}
    Board.objects.update(**failed, finished_at=board.created_at)

    assert asked(runs, "pass_rate").state == JobState.FAILED, "a moment ago"
    Board.objects.update(finished_at=building.START)
    assert body(asked(runs, "pass_rate")).ranks


def test_scores_rank_as_pass_rates_do_and_say_their_own_estimate(workspace: Workspace) -> None:
    runs = rivals(workspace, a=58, b=30)

    found = body(asked(list(runs.values()), "score_mean"))

    assert [each.run for each in found.ranks] == [runs["a"].pk, runs["b"].pk]
    assert found.ranks[0].estimate.point == pytest.approx((58 + 2 * 0.2) / 60)
    assert found.ranks[0].estimate.method.startswith("bootstrap")


def test_a_run_without_a_value_is_left_out_and_errors_are_no_records(workspace: Workspace) -> None:
    version = building.make_version(workspace, 40)
    good = a_run(workspace, "+" * 30 + "!" * 10, version, target="good")
    bad = a_run(workspace, "-" * 40, version, target="bad")
    none = a_run(workspace, "?" * 40, version, target="none")

    found = body(asked([none, bad, good], "pass_rate"))

    assert found.left_out == (none.pk,)
    assert {each.run for each in found.ranks} == {good.pk, bad.pk}
    assert found.shared == 30
    assert (found.judged, found.differing, found.always_failed) == (30, 30, 0)


def test_records_of_several_trials_count_once_and_by_their_contract(workspace: Workspace) -> None:
    version = building.make_version(workspace, 30)
    often = a_run(workspace, "++-" * 30, version, target="often", trials=3)
    seldom = a_run(workspace, "--+" * 30, version, target="seldom", trials=3)

    found = body(asked([seldom, often], "pass_rate"))

    assert [each.run for each in found.ranks] == [often.pk, seldom.pk]
    assert (found.ranks[0].first, found.ranks[0].last) == (1, 1)
    assert (found.differing, found.judged) == (30, 30), "most of three trials pass, or fail"
    assert found.ranks[0].estimate.n == 90


def test_records_of_one_document_are_flipped_together(workspace: Workspace) -> None:
    runs = rivals(workspace, a=60, b=30)
    version = runs["a"].dataset_version
    for ordinal in range(60):
        version.records.filter(ordinal=ordinal).update(group=f"document {ordinal // 15}")

    found = body(asked(list(runs.values()), "pass_rate"))

    assert [(each.first, each.last) for each in found.ranks] == [(1, 2), (1, 2)]


def test_the_counts_of_flicker_add_up(workspace: Workspace) -> None:
    runs = in_a_row(workspace, 20, 30, 25)

    found = body(asked(runs[::-1], "pass_rate"))

    assert (found.flickering, found.always_passed, found.always_failed) == (10, 20, 10)
    assert found.judged == 40
    assert {(each.ordinal, each.passed) for each in found.flickers} == {
        *((ordinal, 2) for ordinal in range(20, 25)),
        *((ordinal, 1) for ordinal in range(25, 30)),
    }


def test_a_board_is_a_job_like_any_other() -> None:
    boards.warm_up()

    assert Board.handler == boards.__name__


# -- who stands on it -----------------------------------------------------------------------


def test_the_newest_of_each_target_version_stands_on_it_or_every_run(
    workspace: Workspace, alice: User
) -> None:
    version = building.make_version(workspace, 20)
    first = a_run(workspace, passing(10, 20), version, day=1)
    again = a_run(workspace, passing(11, 20), version, day=2)
    other = a_run(workspace, passing(12, 20), version, day=3, target="other")

    newest = contenders(alice, workspace, version.pk, contract="", every=False)
    every = contenders(alice, workspace, version.pk, contract="", every=True)

    assert newest.runs == [other, again]
    assert every.runs == [other, again, first]
    assert dict(newest.contracts) == {first.contract_version_id: str(first.contract_version)}


def test_runs_judged_by_other_rules_are_another_board(workspace: Workspace, alice: User) -> None:
    version = building.make_version(workspace, 20)
    strict = building.demanding_contract(workspace)
    old = [a_run(workspace, "+" * 20, version, day=day, target=f"t{day}") for day in (1, 2)]
    new = a_run(workspace, "+" * 20, version, day=3, contract=strict)

    key = str(new.contract_version_id)
    by_the_new = contenders(alice, workspace, version.pk, contract=key, every=False)
    by_the_fullest = contenders(alice, workspace, version.pk, contract="", every=False)

    assert by_the_new.runs == [new]
    assert by_the_fullest.runs == old[::-1]
    assert by_the_fullest.contract == old[0].contract_version_id
    assert NO_CONTRACT not in dict(by_the_fullest.contracts)


def test_without_a_wish_the_fullest_board_is_shown_and_the_newest_of_as_full_ones(
    workspace: Workspace, alice: User
) -> None:
    full, as_full, alone = (building.make_version(workspace, 10) for _ in range(3))
    for day, version in enumerate([as_full, full, full, as_full]):
        a_run(workspace, "+" * 10, version, day=day, target=f"t{day}")
    for day in (7, 8, 9):
        a_run(workspace, "+" * 10, alone, day=day, target="again and again")

    newest = contenders(alice, workspace, "", contract="", every=False)
    every = contenders(alice, workspace, "", contract="", every=True)

    assert (newest.version, len(newest.runs)) == (as_full.pk, 2)
    assert (every.version, len(every.runs)) == (alone.pk, 3)


def test_what_only_the_rules_of_the_data_judged_is_a_board_of_its_own(
    workspace: Workspace, alice: User
) -> None:
    version = building.make_version(workspace, 10)
    for day in (1, 2):
        a_run(workspace, "+" * 10, version, day=day, target=f"t{day}")
    Run.objects.update(contract_version=None)

    found = contenders(alice, workspace, version.pk, contract="", every=False)

    assert (found.contract, len(found.runs)) == (NO_CONTRACT, 2)
    assert found.contracts == [(NO_CONTRACT, "Rules of the data alone")]


def test_twelve_stand_on_it_and_the_others_are_counted(workspace: Workspace, alice: User) -> None:
    version = building.make_version(workspace, 3)
    for day in range(14):
        a_run(workspace, "++-", version, day=day, target=f"t{day}")

    found = contenders(alice, workspace, version.pk, contract="", every=False)

    assert (len(found.runs), found.left_out) == (12, 2)


def test_pilots_and_cancelled_and_replaced_runs_are_no_contenders(
    workspace: Workspace, alice: User
) -> None:
    version = building.make_version(workspace, 20)
    kept = a_run(workspace, "+" * 20, version)
    a_run(workspace, "+" * 10, version, pilot=True)
    a_run(workspace, "+" * 10 + "/" * 10, version)
    replaced = a_run(workspace, "!" * 20, version)
    retried = a_run(workspace, "+" * 20, version)
    Run.objects.filter(pk=retried.pk).update(kind=Run.Kind.RETRY, parent=replaced)
    archived = a_run(workspace, "+" * 20, version)
    Run.objects.filter(pk=archived.pk).update(archived_at=building.START)

    assert set(comparable(alice, workspace)) == {kept, retried}
    Run.objects.filter(pk=retried.pk).update(state=RunState.CANCELLED)
    assert set(comparable(alice, workspace)) == {kept, replaced}


def test_a_stranger_finds_no_contender(workspace: Workspace, charlie: User) -> None:
    run = in_a_row(workspace, 10)[0]

    found = contenders(charlie, workspace, run.dataset_version_id, contract="", every=True)

    assert found.runs == []
