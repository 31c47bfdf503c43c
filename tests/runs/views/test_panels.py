"""Panels of judges in a run: who is asked, what decides, and what a tie becomes."""

from typing import Any

import pytest

from apps.runs.models import Run, RunState
from tests.model_server import ModelServer
from tests.runs.conftest import MakeContract, MakeTarget, MakeVersion, Start, drain, sums

REFERENCE = {"type": "reference_judge", "name": "compared", "passes_by": "threshold"}


@pytest.fixture
def by_panel(
    start: Start,
    make_version: MakeVersion,
    make_target: MakeTarget,
    make_contract: MakeContract,
    model_server: ModelServer,
) -> Any:
    """A run of four right answers; a judge named contrary gives the low marks to good answers."""

    def run(*panel: str, mode: str) -> Run:
        model_server.plan(wrong_rate=0)
        for name in panel:
            wrong = 1 if name == "contrary" else 0
            make_target(name, kind="scripted", plays="judge", wrong_rate=wrong)
        rule = {**REFERENCE, "panel": panel, "panel_mode": mode}
        return drain(start(version=make_version(records=sums(4)), contract=make_contract(rule)))

    return run


def test_a_majority_asks_every_judge_and_most_of_them_decide(by_panel: Any) -> None:
    run = by_panel("amos", "contrary", "beth", mode="majority")

    assert run.state == RunState.COMPLETED
    calls = run.attempts.filter(purpose="judge").values_list("call", flat=True)
    assert sorted(calls) == ["1"] * 4 + ["1#2"] * 4 + ["1#3"] * 4
    assert set(run.results.values_list("verdict", flat=True)) == {"passed"}
    score = run.scores.first()
    assert score.judge == "amos + contrary + beth"
    assert [each["passed"] for each in score.raw["opinions"]] == [True, False, True]


def test_judges_who_disagree_leave_the_answer_unjudged_with_the_reason(by_panel: Any) -> None:
    run = by_panel("amos", "contrary", mode="majority")

    assert run.state == RunState.COMPLETED
    assert set(run.results.values_list("verdict", flat=True)) == {"unjudged"}
    assert set(run.scores.values_list("value", "reason")) == {
        (None, "The judges disagree (1 to 1): for review")
    }


def test_in_turn_only_the_judge_whose_turn_it_is_is_asked(by_panel: Any) -> None:
    run = by_panel("amos", "contrary", mode="round_robin")

    opinions = [score.raw["opinions"] for score in run.scores.all()]
    assert [[each["judge"] for each in said] for said in opinions] == [["amos"]] * 4
    assert set(run.results.values_list("verdict", flat=True)) == {"passed"}
