"""What labels would buy, on the page of planning."""

from typing import Any

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.analysis.models import Calibration
from apps.runs.ending.summaries import metrics_of, store_summaries
from apps.runs.models import Run, Score
from tests.analysis.building import held
from tests.runs.building import (
    PASSED,
    ended_run,
    make_target,
    make_version,
    with_judge,
)
from tests.runs.pages import judged

from .pages import planned

__all__ = ["judged"]


HUMAN = [True] * 15 + [False] * 10
JUDGE = [0.9] * 12 + [0.1] * 3 + [0.8] * 4 + [0.2] * 6


def test_where_all_is_labelled_labels_buy_nothing(as_alice: Client, workspace: Workspace) -> None:
    campaign = held(workspace, HUMAN, JUDGE)

    page = planned(as_alice, run=campaign.run_id)

    assert "grounding checked by people, n = 25" in page
    assert "All 25 judged answers are labelled: further labels buy nothing" in page
    assert "25 of 25" in page


def test_labels_that_say_nothing_of_the_others_are_told_from_nothing(
    as_alice: Client, workspace: Workspace
) -> None:
    campaign = held(workspace, HUMAN, [*JUDGE, *[0.9] * 120])

    page = planned(as_alice, run=campaign.run_id)

    assert "The 25 labels so far were not drawn at random and do not count" in page
    assert "unknown → ± 9.8" in page


def test_a_judge_that_nobody_looked_at_is_listed(as_alice: Client, workspace: Workspace) -> None:
    campaign = held(workspace, HUMAN, JUDGE, family="relevance")
    Calibration.objects.update(matched=False)

    page = planned(as_alice, run=campaign.run_id)

    assert "relevance · model_based · import:scores.csv uncalibrated" in page
    assert "25 labels of answers drawn at random give at most this half width" in page
    assert "From which score on" not in page
    assert "from which score on the judge passes is not known" in page


def test_a_judge_of_the_contract_is_listed_with_what_it_judged(
    as_alice: Client, workspace: Workspace, judged: Any
) -> None:
    judge = make_target(workspace, "solomon")
    run = ended_run(
        workspace, [PASSED], contract=judged, judges={"": judge.current},
        version=make_version(workspace, 30),
    )  # fmt: skip
    Score.objects.filter(run=run, rule="exact").update(rule="judge")
    store_summaries(run, metrics_of(run), as_of=timezone.now())

    page = planned(as_alice, run=run.pk)

    assert "judge uncalibrated 30 labels of answers drawn at random" in page
    assert "0 of 30" in page


def test_a_judge_that_rules_of_the_data_asked_is_listed(as_alice: Client, run: Run) -> None:
    """As the page of the run calls its pass rate uncalibrated."""
    with_judge(run, "solomon")
    settings = {**run.plan["settings"], "data_rules": True}
    Run.objects.filter(pk=run.pk).update(
        contract_version=None, plan={**run.plan, "settings": settings}
    )
    Score.objects.filter(run=run, rule="exact").update(rule="polite", method="judge")
    store_summaries(run, metrics_of(run), as_of=timezone.now())

    page = planned(as_alice, run=run.pk)

    assert "No judge in this run" not in page
    assert "polite uncalibrated" in page
    assert "0 of 200" in page


def test_a_run_without_judges_says_what_labels_are_for(as_alice: Client, run: Run) -> None:
    assert "No judge in this run" in planned(as_alice, run=run.pk)


def test_reviewers_see_no_link_to_a_page_that_is_closed_to_them(
    client: Client, bob: User, workspace: Workspace
) -> None:
    campaign = held(workspace, HUMAN, JUDGE)
    client.force_login(bob)

    found = client.get(reverse("analysis:planning", args=["demo"]))

    assert b"grounding" in found.content
    assert f"labeling/{campaign.pk}".encode() not in found.content
