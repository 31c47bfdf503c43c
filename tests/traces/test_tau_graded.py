"""A hundred real runs of an airline agent, graded as answers to their scenarios."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.datasets import subjects
from apps.datasets.models import DatasetVersion
from apps.grading.combining import in_force
from apps.grading.contracts import Judgment
from apps.grading.spec import judge
from apps.runs.beginning.regrading import Regrade, regrade
from apps.runs.contracts import Held
from apps.runs.engine.evaluating import subject_of
from apps.runs.engine.items import Item
from apps.runs.models import Run, RunState, Score
from apps.runs.queries import counts_of
from apps.runs.recorded.recording import recorded_run
from apps.traces.answers import Heard, Step, answer_of_messages
from tests.commands import evalhub
from tests.datasets.documents import accepted
from tests.runs.conftest import drain

from .test_real import AGENT, RUNS

pytestmark = pytest.mark.skipif(
    not RUNS.is_file(), reason=f"{RUNS.name} is not here: set EVALHUB_SHARED to the shared folder"
)
SCENARIOS = AGENT / "tau_airline_scenarios.jsonl"
OUTCOMES = {"passed": 30, "failed": 70}
"""31 succeeded; of these one wrote $23,553 where the scenario wants 23553."""


def rows(file: Any) -> Iterator[dict[str, Any]]:
    return map(json.loads, file.read_text().splitlines())


def graded(scenario: dict[str, Any], trace: dict[str, Any]) -> Judgment:
    steps = [Step(each["role"], json.dumps(each)) for each in trace["messages"]]
    about = {key: value for key, value in trace.items() if key != "messages"}
    reply = answer_of_messages(Heard(trace["trace_id"], trace["status"], json.dumps(about)), steps)
    payload = {"record_id": scenario["scenario_id"], "kind": "scenario", "row": scenario}
    item = Item(0, trace["trial"], 1, scenario["scenario_id"], payload, Held(reply=reply))
    given = subjects.given(payload)
    return judge(in_force(None, given.dataset, given.record), subject_of(item, given))


@cache
def everything() -> list[tuple[dict[str, Any], Judgment]]:
    known = {row["scenario_id"]: row for row in rows(SCENARIOS)}
    return [(trace, graded(known[trace["scenario_id"]], trace)) for trace in rows(RUNS)]


def verdicts(rule_type: str) -> Counter[str]:
    return Counter(
        score.verdict
        for _trace, judgment in everything()
        for score in judgment.scores
        if score.type == rule_type
    )


def test_every_run_is_judged_and_a_third_passes() -> None:
    assert Counter(judgment.outcome for _trace, judgment in everything()) == OUTCOMES
    assert not [score for _, each in everything() for score in each.scores if score.value is None]


def test_the_status_is_what_the_reward_of_upstream_says_in_all_of_them() -> None:
    agreeing = [
        (score.value == 1) == (trace["reward"] == 1.0)
        for trace, judgment in everything()
        for score in judgment.scores
        if score.type == "status_equals"
    ]

    assert agreeing == [True] * 200, "the rule and the expected outcome of each"
    assert verdicts("status_equals") == {"pass": 62, "fail": 138}


def test_a_dozen_calls_are_too_few_for_some_and_that_only_warns() -> None:
    assert verdicts("max_tool_calls") == {"pass": 87, "warn": 13}


def test_runs_that_ran_out_of_steps_failed_and_are_judged_all_the_same() -> None:
    unfinished = [each for each in everything() if each[0]["reward_info"] is None]

    assert len(unfinished) == 3
    assert {judgment.outcome for _trace, judgment in unfinished} == {"failed"}


def test_the_expected_actions_warn_of_other_ways_and_never_fail() -> None:
    found = verdicts("tool_trajectory")

    assert set(found) == {"pass", "warn"}
    assert sum(found.values()) == 4 * sum(
        bool(row["expected_outcomes"]["expected_actions"]) for row in rows(SCENARIOS)
    )
    of_successes = [
        score.value == 1
        for trace, judgment in everything()
        for score in judgment.scores
        if score.type == "tool_trajectory" and trace["status"] == "success"
    ]
    assert Counter(of_successes) == {True: 10, False: 3}, "three came to the goal otherwise"


def test_process_and_outcome_have_scores_of_their_own() -> None:
    trace, judgment = everything()[0]

    assert trace["trace_id"] == "tau_airline_00_trial0"
    assert judgment.outcome_score == 0
    assert judgment.process_score is not None
    assert judgment.process_score > 0


@pytest.mark.django_db
def test_imported_traces_are_recorded_as_trials_and_graded_by_the_rules_of_the_data(
    workspace: Workspace, alice: User
) -> None:
    version = accepted(workspace, SCENARIOS.read_bytes(), alice).version
    assert isinstance(version, DatasetVersion)
    assert evalhub("trace", "import", str(RUNS)).status == 0

    recorded = drain(recorded_run(version, by=alice, now=timezone.now()))
    run = drain(regrade(Regrade(recorded, contract=None, by=alice), now=timezone.now()))

    assert (recorded.kind, recorded.planned, recorded.trials) == (Run.Kind.RECORDED, 100, 4)
    assert (recorded.state, run.state) == (RunState.COMPLETED, RunState.COMPLETED)
    found = counts_of(run).denominators
    assert (found.passed, found.failed_contract, found.unjudged) == (30, 70, 0)
    warned = Score.objects.filter(run=run, rule__startswith="max_tool_calls_", verdict="warn")
    assert warned.count() == 13
    first = run.results.get(ordinal=0, trial=0)
    assert first.extra["turns"][0]["trace_id"] == "tau_airline_00_trial0"
    assert "Your flight from New York (JFK) to Seattle (SEA)" in first.response
