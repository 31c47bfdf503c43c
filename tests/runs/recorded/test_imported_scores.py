"""Scores that were given elsewhere, on the recorded run."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.datasets.exporting.writing import export
from apps.datasets.models import DatasetVersion, Upload
from apps.datasets.sight import Sight
from apps.jobs import services as jobs
from apps.jobs.models import OPEN
from apps.runs.models import ResultStatus, Run, RunState, Score
from apps.runs.queries import counts_of
from apps.runs.recorded.imported import given_in, label_of
from apps.runs.recorded.recording import recorded_run
from tests.datasets.pairs import SCORE_COLUMNS, csv_of, lines_of, pairs_version, uploaded
from tests.runs.conftest import artifact, drain, points

RESULT = {
    "test_id": "lamp",
    "score": 0.75,
    "target": "gpt",
    "execution_status": "ok",
    "input": [{"role": "user", "content": "Hello?"}],
    "output": [{"role": "assistant", "content": "Hello."}],
    "scores": [{"name": "kind", "type": "llm-grader", "score": 1.0}],
}
SILENT = {**RESULT, "test_id": "chair", "output": None, "score": 0.0, "scores": []}


@pytest.fixture
def version(workspace: Workspace) -> DatasetVersion:
    return pairs_version(workspace)


def scored(workspace: Workspace, *rows: tuple[object, ...], name: str = "judge.csv") -> Upload:
    return uploaded(workspace, csv_of(SCORE_COLUMNS, rows), name)


def told(upload: Upload) -> str:
    assert upload.outcome is not None
    return str(upload.outcome["told"])


def test_a_score_says_who_gave_it_and_has_no_verdict(
    workspace: Workspace, version: DatasetVersion
) -> None:
    upload = scored(workspace, ("p0", "grounding", 0.5, "model_based"))

    score = Score.objects.get()
    assert (score.rule, score.value, score.method) == ("grounding", 0.5, "model_based")
    assert (score.verifier, score.verdict) == ("import:judge.csv", "")
    assert upload.outcome is not None
    assert upload.outcome["address"] == reverse("runs:detail", args=["demo", score.run_id])
    assert upload.version == version


def test_the_same_file_again_changes_nothing_and_another_value_is_counted(
    workspace: Workspace, version: DatasetVersion
) -> None:
    scored(workspace, ("p0", "grounding", 0.5, "x"), ("p1", "grounding", 0.5, "x"))

    same = scored(workspace, ("p0", "grounding", 0.5, "x"), ("p1", "grounding", 0.5, "x"))
    other = scored(workspace, ("p0", "grounding", 0.25, "x"), ("p2", "grounding", 1, "x"))

    assert told(same).endswith("0 new, 0 changed, 2 as before.")
    assert told(other).endswith("1 new, 1 changed, 0 as before.")
    assert sorted(Score.objects.values_list("value", flat=True)) == [0.25, 0.5, 1.0]


def test_a_refusal_counts_unknown_records_among_the_errors(
    workspace: Workspace, version: DatasetVersion
) -> None:
    upload = scored(
        workspace,
        ("p0", "grounding", 0.5, "x"),
        ("p1", "grounding", "much", "x"),
        ("p9", "grounding", 1, "x"),
    )

    assert upload.outcome is not None
    assert "import the 1 valid records and leave 2 out" in upload.outcome["message"]
    assert "unknown_id" in {issue.code for issue in upload.issues.all()}
    assert not Score.objects.exists()


def test_two_files_with_the_same_scores_are_two_verifiers(
    workspace: Workspace, version: DatasetVersion
) -> None:
    scored(workspace, ("p0", "grounding", 0.5, "x"))
    scored(workspace, ("p0", "grounding", 0.75, "x"), name="other.csv")

    found = given_in(Run.objects.get())

    assert [(each.verifier, each.n) for each in found] == [
        ("import:judge.csv", 1),
        ("import:other.csv", 1),
    ]


def test_what_comes_first_is_in_the_artifacts_and_what_comes_later_on_the_page(
    workspace: Workspace, version: DatasetVersion
) -> None:
    scored(workspace, ("p0", "grounding", 0.5, "x"))
    run = drain(Run.objects.get())
    sealed = artifact(run, "metrics_summary.json")

    scored(workspace, ("p1", "grounding", 1, "x"))
    drain_steps(run)

    mean = f"rule:{label_of('grounding', 'x', 'import:judge.csv')}:mean"
    assert sealed["metrics"][mean]["point"] == 0.5
    assert points(run)[mean] == 0.75
    assert artifact(run, "metrics_summary.json") == sealed
    assert run.state == RunState.COMPLETED


def test_imported_scores_neither_pass_nor_fail_an_answer(
    workspace: Workspace, version: DatasetVersion
) -> None:
    scored(workspace, *[(f"p{n}", "grounding", 0, "x") for n in range(3)])

    run = drain(Run.objects.get())

    found = counts_of(run).denominators
    assert (found.evaluated, found.unjudged, found.failed_contract) == (3, 3, 0)
    assert points(run)["pass_rate"] is None


def test_a_long_name_of_scores_is_cut_and_stays_one_of_its_own() -> None:
    one, other = (label_of("x" * 80, "y" * 40, verifier) for verifier in ("a", "b"))

    assert len(one) <= 100
    assert one != other


def test_result_rows_bring_their_answers_and_scores(workspace: Workspace) -> None:
    upload = uploaded(workspace, lines_of(RESULT, SILENT), "index.jsonl", format="agentv")
    assert upload.version is not None, upload.outcome

    run = drain(recorded_run(upload.version, by=None, now=timezone.now()))

    spoke, silent = run.results.order_by("ordinal")
    assert (spoke.response, spoke.status) == ("Hello.", ResultStatus.COMPLETED)
    assert sorted(spoke.scores.values_list("rule", "value")) == [("agentv", 0.75), ("kind", 1.0)]
    assert (silent.status, silent.cause) == (ResultStatus.EVALUATION_ERROR, "no_answer")
    assert run.state == RunState.COMPLETED_WITH_FAILURES
    found = counts_of(run).denominators
    assert (found.total, found.valid, found.evaluated, found.failed) == (2, 2, 1, 1)


def test_the_scores_of_result_rows_come_out_as_scores(workspace: Workspace) -> None:
    upload = uploaded(workspace, lines_of(RESULT), "index.jsonl", format="agentv")
    assert upload.version is not None
    recorded_run(upload.version, by=None, now=timezone.now())

    csv = b"".join(export(upload.version, "scores", Sight(workspace)).pieces).decode()

    assert [line.split(",")[2:5] for line in csv.splitlines()[1:]] == [
        ["agentv", "0.75", "judge"],
        ["kind", "1.0", "judge"],
    ]


def drain_steps(run: Run) -> None:
    """Work until no step of the run is open."""
    jobs.work_here(lambda: not run.steps.filter(state__in=OPEN).exists())


def test_programs_read_imported_scores_beside_the_answer(
    as_alice: Client, workspace: Workspace, version: DatasetVersion
) -> None:
    scored(workspace, ("p0", "grounding", 0.5, "x"))
    run = Run.objects.get()

    answer = as_alice.get(f"/api/v1/runs/{run.pk}/results", headers={"x-workspace": "demo"})

    [score] = answer.json()["results"][0]["scores"]
    assert (score["rule"], score["value"], score["verdict"]) == ("grounding", 0.5, "")
