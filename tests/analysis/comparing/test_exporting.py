"""Comparisons as files: a table, JSON, and what agentv's own command prints."""

import csv
import io
import json
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.analysis.comparing import ComparisonUnavailable, asked, comparison_of
from apps.analysis.comparing.asking import standing
from apps.analysis.comparing.exporting import agentv_json, pairs_csv, told
from apps.metrics.compared import PairedRuns
from apps.runs.models import Result, Run
from apps.runs.recorded.recording import recorded_run
from tests.datasets.agentv import lines
from tests.datasets.pairs import SHARED, pairs_version, real
from tests.runs.conftest import drain

from .building import a_run, named, two_runs

CONFORMANCE = SHARED / "conformance" / "agentv_compare.json"
FILES = "agentv/v2026-01-20/features/compare/evals"


def table(pieces: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(pieces), newline="")))


def test_a_line_a_pair_with_both_values_and_the_move(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+-!", "-+?")
    Result.objects.filter(run=second, ordinal=0).update(score=0.1)

    rows = table(pairs_csv(first, [comparison_of(first, second)]))

    assert [row["pass_rate.move"] for row in rows] == ["worse", "better", "error"]
    assert rows[0]["record_id"] == rows[0]["candidate_record_id"] == "ticket-00000"
    assert (rows[0]["baseline"], rows[0]["candidate"]) == (first.pk, second.pk)
    assert (rows[0]["score_mean.baseline"], rows[0]["score_mean.candidate"]) == ("1.0", "0.1")
    assert (rows[2]["pass_rate.baseline"], rows[2]["latency_mean.baseline"]) == ("", "")
    assert rows[2]["rule:exact:mean.move"] == "error"


def test_a_formula_in_the_name_of_a_record_stays_a_text(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+", "-")
    named(first.dataset_version, ["=1+1"])

    [row] = table(pairs_csv(first, [comparison_of(first, second)]))

    assert row["record_id"] == "'=1+1"


def test_several_runs_are_lines_one_after_the_other(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+-", "-+")
    third = a_run(workspace, "!!", first.dataset_version)

    rows = table(pairs_csv(first, asked(first, [third, second])))

    assert [row["candidate"] for row in rows] == [third.pk] * 2 + [second.pk] * 2
    assert [row["pass_rate.move"] for row in rows] == ["error", "error", "worse", "better"]
    assert rows[0]["cost_mean.move"] == ""


def test_json_says_all_that_was_computed_and_in_what_the_runs_differ(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+-", "-!")

    found = json.loads(json.dumps(told(first, asked(first, [second]))))

    assert found["baseline"]["run_id"] == first.pk
    [comparison] = found["comparisons"]
    assert comparison["run"]["run_id"] == second.pk
    assert PairedRuns.model_validate(comparison["body"]).shared.shared == 2
    assert [each["what"] for each in comparison["unlike"]] == ["how the runs ended"]


def test_what_is_not_computed_has_no_table(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+", "-")

    with pytest.raises(ComparisonUnavailable):
        pairs_csv(first, standing(first, [second]))


def imported(workspace: Workspace, *rows: dict[str, Any], name: str) -> Run:
    """Result rows of agentv as the recorded run that they become, each with an answer."""
    answered = ({"candidate_answer": "Yes.", **row} for row in rows)
    version = pairs_version(workspace, lines(*answered), name)
    run = drain(recorded_run(version, by=None, now=timezone.now()))
    return Run.objects.get(pk=run.pk)


def test_two_result_files_of_agentv_compare_as_its_own_command_says(workspace: Workspace) -> None:
    files = [real(f"{FILES}/{name}-results.jsonl") for name in ("baseline", "candidate")]
    wanted = json.loads(CONFORMANCE.read_text())
    first, second = (
        imported(workspace, *map(json.loads, file.read_text().splitlines()), name=file.name)
        for file in files
    )

    found = agentv_json(first, [comparison_of(first, second)])

    assert json.dumps(found) == json.dumps(wanted)


def scored(test: str, score: float) -> dict[str, Any]:
    return {"test_id": test, "score": score, "target": "gpt"}


def test_results_that_only_one_run_has_are_unmatched(workspace: Workspace) -> None:
    first = imported(workspace, scored("a", 1), scored("b", 0.2), name="one-results.jsonl")
    second = imported(workspace, scored("a", 0.9), scored("c", 0.5), name="two-results.jsonl")

    found = agentv_json(first, [comparison_of(first, second)])

    assert found["matched"][0]["outcome"] == "tie"  # 0.9 - 1 is -0.09999999999999998
    assert found["matched"][0]["normalized_gain"] is None
    assert found["unmatched"] == {"file1": 1, "file2": 1}
    assert found["summary"] == {
        "total": 4,
        "matched": 1,
        "wins": 0,
        "losses": 0,
        "ties": 1,
        "mean_delta": -0.1,
        "mean_normalized_gain": None,
    }


def test_of_our_runs_what_failed_is_unmatched(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+-!", "-++")

    found = agentv_json(first, [comparison_of(first, second)])

    assert [each["test_id"] for each in found["matched"]] == ["ticket-00000", "ticket-00001"]
    assert [each["outcome"] for each in found["matched"]] == ["loss", "win"]
    assert found["unmatched"] == {"file1": 0, "file2": 1}


def test_several_runs_are_a_matrix_and_their_pairs(workspace: Workspace) -> None:
    first, second = two_runs(workspace, "+-", "++")
    third = a_run(workspace, "-!", first.dataset_version)

    found = agentv_json(first, asked(first, [second, third]))

    assert found["matrix"] == [
        {"test_id": "ticket-00000", "scores": {first.pk: 1.0, second.pk: 1.0, third.pk: 0.2}},
        {"test_id": "ticket-00001", "scores": {first.pk: 0.2, second.pk: 1.0}},
    ]
    pairs = [(each["candidate"], each["summary"]["wins"]) for each in found["pairwise"]]
    assert pairs == [(second.pk, 1), (third.pk, 0)]
    assert found["pairwise"][1]["unmatched"] == {"file1": 1, "file2": 0}
