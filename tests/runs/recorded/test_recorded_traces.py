"""Imported traces as the answers of scenarios and sessions."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.datasets.contracts import Options
from apps.datasets.models import DatasetVersion
from apps.runs.beginning.regrading import Regrade, regrade
from apps.runs.models import ResultStatus, Run, Score
from apps.runs.recorded.recording import TARGET, TRACES, recorded_run
from tests.datasets.documents import accepted
from tests.datasets.scenario_files import as_export, event, export, log, run, scenario, session
from tests.runs.conftest import drain
from tests.traces.building import imported, scenarios

pytestmark = pytest.mark.django_db


def version_of(workspace: Workspace, *rows: dict[str, Any]) -> DatasetVersion:
    version = scenarios(workspace, *rows).version
    assert version is not None
    return version


def sessions(workspace: Workspace, *rows: dict[str, Any]) -> DatasetVersion:
    upload = accepted(workspace, as_export(export(*rows)), options=Options(format="scenarios"))
    assert upload.version is not None
    return upload.version


def recorded(version: DatasetVersion, by: User | None = None) -> Run:
    return recorded_run(version, by=by, now=timezone.now())


def regraded(parent: Run) -> Run:
    return drain(regrade(Regrade(drain(parent), contract=None), now=timezone.now()))


def said(text: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": text}]


def test_the_traces_of_a_scenario_are_its_tries_in_the_order_of_their_ids(
    workspace: Workspace,
) -> None:
    version = version_of(workspace, scenario(1))
    for number in (10, 2, 1):
        row = log(f"try-{number}", scenario_id="refund-1", messages=said(f"Answer {number}."))
        imported(workspace, row)

    run_ = recorded(version)

    assert (run_.name, run_.trials, run_.planned) == (TRACES, 3, 3)
    results = run_.results.order_by("trial")
    assert [each.response for each in results] == ["Answer 1.", "Answer 2.", "Answer 10."]
    assert [each.extra["turns"][0]["trace_id"] for each in results] == ["try-1", "try-2", "try-10"]


def test_a_try_without_a_trace_has_no_answer_and_the_counts_add_up(workspace: Workspace) -> None:
    version = version_of(workspace, scenario(1), scenario(2))
    for number in (1, 2):
        imported(workspace, log(f"a-{number}", scenario_id="refund-1", messages=said("Done.")))
    imported(workspace, log("b-1", scenario_id="refund-2", messages=said("Done.")))

    run_ = recorded(version)

    assert run_.results.count() == run_.planned == 4
    (lacking,) = run_.results.exclude(status=ResultStatus.COMPLETED)
    assert (lacking.ordinal, lacking.trial, lacking.cause) == (1, 1, "no_answer")
    assert lacking.detail == "No trace is there for try 2 of refund-2."


def test_the_traces_of_one_session_are_one_try(workspace: Workspace) -> None:
    version = version_of(
        workspace,
        scenario(1, user_inputs=["First.", "Second."], expected_outcomes={"total_runs": 2}),
    )
    for number in (1, 2):
        start = event(
            trace_id=f"run-{number}", payload={"session_id": "s", "scenario_id": "refund-1"}
        )
        end = event("run_complete", f"run-{number}", payload={"output_preview": f"Part {number}."})
        imported(workspace, start, end)

    run_ = recorded(version)

    (result,) = run_.results.all()
    assert result.response == "Part 1.\n\nPart 2."
    assert [turn["user_input"] for turn in result.extra["turns"]] == ["First.", "Second."]
    assert [score.value for score in Score.objects.filter(run=regraded(run_))] == [1.0]


def test_traces_of_other_workspaces_are_none_of_its_tries(
    workspace: Workspace,
) -> None:
    elsewhere = Workspace.objects.create(slug="elsewhere", name="Elsewhere")
    version = version_of(workspace, scenario(1))
    imported(elsewhere, log("theirs", scenario_id="refund-1", messages=said("Theirs.")))

    with pytest.raises(ValidationError, match="no trace is of one of them"):
        recorded(version)


def test_the_rules_of_the_data_judge_the_tries(workspace: Workspace) -> None:
    rule = {"type": "contains_substring", "expected": "refund", "blocking": True}
    version = version_of(workspace, scenario(1, grading_rules=[rule]))
    imported(
        workspace,
        log("good", scenario_id="refund-1", status="success", messages=said("A refund.")),
        log("late", scenario_id="refund-1", status="failed", messages=said("No.")),
    )

    run_ = regraded(recorded(version))

    verdicts = dict(run_.results.values_list("trial", "verdict"))
    assert verdicts == {0: "passed", 1: "failed"}


def test_a_session_is_judged_with_the_events_of_the_traces_that_it_names(
    workspace: Workspace,
) -> None:
    rule = {"type": "memory_write_absent", "expected": True, "blocking": True}
    held = session(run(1))
    held["eval"]["grading_rules"] = [rule]
    version = sessions(workspace, held)
    imported(workspace, event("memory_persisted", "run-1"))

    run_ = recorded(version)

    assert run_.name == TARGET
    (score,) = Score.objects.filter(run=regraded(run_), rule="memory_write_absent_0")
    assert (score.value, score.verdict) == (0, "fail")


def test_a_session_whose_traces_are_not_here_is_judged_by_its_runs_alone(
    workspace: Workspace,
) -> None:
    held = session(run(1))
    held["eval"]["grading_rules"] = [
        {"type": "memory_write_absent", "expected": True, "blocking": True},
        {"type": "approval_required", "expected": True, "blocking": True},
    ]
    run_ = regraded(recorded(sessions(workspace, held)))

    values = dict(Score.objects.filter(run=run_).values_list("rule", "value"))
    assert values == {"memory_write_absent_0": None, "approval_required_1": 1.0}
    assert run_.results.get().verdict == "unjudged"
