"""Which answers a run's own scores put in doubt."""

from typing import Any

from apps.accounts.models import User, Workspace
from apps.grading.rules import CriteriaJudge, ExactMatch, MaxLatency
from apps.grading.services import create_contract
from apps.grading.spec import ContractSpec
from apps.labeling.making.doubts import doubts_about
from apps.runs.models import Result, Run, Score
from tests.runs import building


def a_judged_run(workspace: Workspace, alice: User) -> tuple[Run, list[Result]]:
    """By a judge that blocks (0.6), one that warns, a rule on the outcome, one on the effort."""
    spec = ContractSpec(
        rules=(
            CriteriaJudge(name="judge", default_criteria=("accuracy",), threshold=0.6),
            CriteriaJudge(name="warns", default_criteria=("accuracy",), blocking=False),
            ExactMatch(name="exact"),
            MaxLatency(name="latency", blocking=False, weight=0),
        )
    )
    made = create_contract(
        workspace=workspace, name="judged", spec=spec, by=None, now=building.START
    )
    run = building.ended_run(workspace, [building.PASSED], contract=made.versions.get(), by=alice)
    run.scores.all().delete()
    return run, list(run.results.order_by("ordinal"))


def score(result: Result, rule: str, verdict: str, **more: Any) -> None:
    of_judge = rule in ("judge", "warns")
    verifier = {"exact": "exact_match@1", "latency": "max_latency@1"}.get(rule, "criteria_judge@1")
    told = {"method": "judge" if of_judge else "code", "verifier": verifier, **more}
    value = told.pop("value", 1.0 if verdict == "pass" else 0.0)
    Score.objects.create(
        run=result.run, result=result, rule=rule, verdict=verdict, value=value, **told
    )


def test_judge_and_rule_disagree_where_they_say_the_opposite(
    workspace: Workspace, alice: User
) -> None:
    run, results = a_judged_run(workspace, alice)
    for result, judge, exact in zip(
        results, ("pass", "pass", "fail", "fail"), ("pass", "fail", "pass", "fail"), strict=False
    ):
        score(result, "judge", judge)
        score(result, "exact", exact)

    assert set(doubts_about(run, "disagreement")) == {results[1].pk, results[2].pk}


def test_what_only_warns_or_looks_at_the_effort_disagrees_with_nobody(
    workspace: Workspace, alice: User
) -> None:
    run, results = a_judged_run(workspace, alice)
    score(results[0], "warns", "pass")
    score(results[0], "exact", "fail")
    score(results[1], "judge", "fail")
    score(results[1], "latency", "pass")

    assert doubts_about(run, "disagreement") == {}


def test_a_panel_that_is_divided_is_in_doubt(workspace: Workspace, alice: User) -> None:
    run, results = a_judged_run(workspace, alice)
    for result, second in zip(results, (True, False), strict=False):
        opinions = [
            {"criterion": "accuracy", "judge": "a", "passed": True},
            {"criterion": "accuracy", "judge": "b", "passed": second},
        ]
        score(result, "judge", "pass", raw={"opinions": opinions})

    assert set(doubts_about(run, "disagreement")) == {results[1].pk}


def test_low_confidence_is_the_distance_from_the_threshold(
    workspace: Workspace, alice: User
) -> None:
    run, results = a_judged_run(workspace, alice)
    score(results[0], "judge", "pass", value=0.62)
    score(results[1], "judge", "fail", value=0.1)
    score(results[2], "exact", "pass")  # yes or no: nothing is near its threshold

    found = doubts_about(run, "low_confidence")

    assert {key: round(distance, 2) for key, distance in found.items()} == {
        results[0].pk: 0.02,
        results[1].pk: 0.5,
    }


def test_a_sample_drawn_by_chance_asks_for_no_doubt(workspace: Workspace, alice: User) -> None:
    run, results = a_judged_run(workspace, alice)
    score(results[0], "judge", "pass")

    assert doubts_about(run, "random") == {}
