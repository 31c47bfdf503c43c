"""How many records a difference takes, on the page of planning."""

import re
from math import ceil

import pytest
from django.test import Client

from apps.accounts.models import Workspace
from apps.metrics import wilson
from apps.runs.models import Run
from apps.runs.queries.figures import interval_of
from tests.runs.building import (
    FAILED_CONTRACT,
    PASSED,
    TIMED_OUT,
    ended_run,
    make_version,
)

from .pages import planned


def row(page: str, points: str) -> str:
    """A line of the table of differences."""
    found = re.search(rf" {points} points? (?:wanted )?([\d,–]+) (enough|too few)", page)
    assert found, page
    return f"{found[1]} {found[2]}"


def test_a_plan_says_how_many_records_a_difference_takes(as_alice: Client, run: Run) -> None:
    page = planned(as_alice, run=run.pk, points=10)

    # 2 · 0.8 · 0.2 = 0.32: (1.96 + 0.84)² (0.32 − 0.01) / 0.01 = 243.3
    assert row(page, "10") == "244 too few"
    assert "44 lacking" in page
    assert "Assumed: two runs that pass 80.0 % of the records each" in page
    assert "differ on 2 · p · (1 − p) = 32.0 % of them" in page


def test_other_differences_stand_beside_the_wanted_one(as_alice: Client, run: Run) -> None:
    page = planned(as_alice, run=run.pk, points=20)

    assert [row(page, each) for each in ("1", "5", "20")] == [
        "25,109 too few",
        "997 too few",
        "66 enough",  # by the exact test; the formula says 55
    ]


def test_what_the_records_can_show_is_told_in_points(as_alice: Client, run: Run) -> None:
    # √(0.32 · 7.85 / (200 + 7.85)) = 0.110
    assert "What they show 11.0 points" in planned(as_alice, run=run.pk)


def test_scores_are_planned_by_how_far_they_scatter(as_alice: Client, run: Run) -> None:
    page = planned(as_alice, run=run.pk, metric="score_mean", points=5)

    assert "Mean score of first" in page
    assert "whose values of a record have nothing to do with each other differ by 0.4" in page
    assert "A point is 0.01 of the score." in page


def test_a_second_run_measures_how_much_answers_change(
    as_alice: Client, run: Run, workspace: Workspace
) -> None:
    outcomes = [PASSED] * 8 + [FAILED_CONTRACT] * 2
    second = ended_run(workspace, outcomes, version=run.dataset_version, name="second")

    page = planned(as_alice, run=second.pk, baseline=run.pk, points=10)

    # Of ten records the fifth and the ninth differ: one better, one worse.
    assert "Measured: 20.0 % of the 200 records that both runs have" in page
    assert row(page, "10") == "168 enough"  # by the exact test; the formula says 150


def test_a_second_run_without_a_common_record_is_of_no_use_and_says_so(
    as_alice: Client, run: Run, workspace: Workspace
) -> None:
    other = ended_run(workspace, [TIMED_OUT], version=run.dataset_version, name="other")

    page = planned(as_alice, run=run.pk, baseline=other.pk)

    assert "The second run is of no use here" in page
    assert "too few records in common" in page
    assert "Assumed:" in page


def test_a_run_without_the_metric_says_why(as_alice: Client, workspace: Workspace) -> None:
    run = ended_run(workspace, [TIMED_OUT], name="broken")

    page = planned(as_alice, run=run.pk)

    assert "Pass rate is not known of broken : no result passed or failed the contract." in page


def test_tries_of_a_record_are_one_record(as_alice: Client, workspace: Workspace) -> None:
    version = make_version(workspace, 40)
    run = ended_run(workspace, [PASSED, FAILED_CONTRACT], version=version, trials=2)

    page = planned(as_alice, run=run.pk)

    assert "Records there are 40" in page
    assert "Records of this run hang together" in page
    assert "each the mean of 2 tries," in page


def test_the_interval_takes_records_too_and_not_tries(
    as_alice: Client, workspace: Workspace
) -> None:
    version = make_version(workspace, 10)
    outcomes = [PASSED] * 3 + [FAILED_CONTRACT] * 3 + [PASSED, FAILED_CONTRACT]
    run = ended_run(workspace, outcomes, version=version, trials=3)
    stored = run.summaries.get(metric="pass_rate", family="", value="")
    assert stored.point is not None

    page = planned(as_alice, run=run.pk, points=10)

    effective = wilson.worth(interval_of(stored))
    there = re.search(r" 10 points wanted [\d,]+ (?:enough|too few) (\d+)", page)
    assert there
    assert stored.n == 30
    assert int(there[1]) == ceil(wilson.size_for(stored.point, 0.1) * 10 / effective - 1e-9)


def test_records_of_groups_are_multiplied_by_the_design_effect(
    as_alice: Client, workspace: Workspace
) -> None:
    version = make_version(workspace, 100)
    for ordinal in range(100):
        version.records.filter(ordinal=ordinal).update(group=f"document {ordinal // 10}")
    run = ended_run(workspace, [PASSED] * 50 + [FAILED_CONTRACT] * 50, version=version)

    page = planned(as_alice, run=run.pk, points=10)

    # A document passes as a whole: ten of them, with Student's t of 9.
    says = r"100 of them are worth (\d+) independent ones. So n is (\d+\.\d) times"
    found = re.search(says, page)
    assert found
    assert int(found[1]) < 10
    plain = 385  # 7.85 (0.5 - 0.01) / 0.01
    assert int(row(page, "10").split()[0].replace(",", "")) == pytest.approx(
        plain * float(found[2]), rel=0.01
    )


def test_below_twenty_records_nothing_is_shown_and_twenty_are_the_fewest(
    as_alice: Client, workspace: Workspace
) -> None:
    run = ended_run(workspace, [PASSED], version=make_version(workspace, 12))

    page = planned(as_alice, run=run.pk, points=90)

    assert row(page, "90") == "20 too few"
    assert "8 lacking" in page
    assert "no verdict is given on fewer than 20 records" in page
    assert "Never fewer than 20: on fewer records no verdict is given" in page


def test_where_all_pass_a_difference_takes_as_many_as_it_changes(
    as_alice: Client, workspace: Workspace
) -> None:
    run = ended_run(workspace, [PASSED], version=make_version(workspace, 100))

    page = planned(as_alice, run=run.pk, points=10)

    # d is at least δ: 7.85 (0.1 − 0.01) / 0.01 = 70.6, and the exact test takes more.
    assert row(page, "10") == "78 enough"


def test_slices_say_which_are_too_small_and_what_they_lack(as_alice: Client, run: Run) -> None:
    page = planned(as_alice, run=run.pk, points=10, family="metadata.language")

    assert "6 slices by language: 0 with fewer than 20 records, 6 with too few for 10" in page
    assert re.search(r"Czech 33 \d+\.\d 211", page)


def test_slices_of_fewer_than_twenty_are_marked(as_alice: Client, run: Run) -> None:
    page = planned(as_alice, run=run.pk, family="tag")

    assert "40 slices by tag: 40 with fewer than 20 records" in page
    assert re.search(r"tag-00 too few 5 ", page)


def test_of_many_slices_the_smallest_are_listed_and_all_on_demand(
    as_alice: Client, workspace: Workspace
) -> None:
    run = ended_run(workspace, [PASSED], version=make_version(workspace, 300))

    some = planned(as_alice, run=run.pk, family="tag")
    every = planned(as_alice, run=run.pk, family="tag", all=1)

    assert "The 25 smallest of 60. Show all ." in some
    assert "Show all" not in every
    assert every.count("too few 5 ") == 60


def test_an_unknown_family_is_the_first_one(as_alice: Client, run: Run) -> None:
    assert "Which slices are too small" in planned(as_alice, run=run.pk, family="nobody")
