"""Results as files: exactly what the filter leaves, safe in a spreadsheet, streamed."""

import csv
import io
import json

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import Workspace
from apps.runs.labels import Said, label_failure
from apps.runs.models import Run
from apps.runs.queries import ResultFilter, results_of
from apps.runs.telling.exports import rows
from tests.runs import building

pytestmark = pytest.mark.django_db


def download(client: Client, run: Run, ending: str, query: str = "") -> str:
    answer = client.get(f"/w/demo/runs/{run.pk}/results.{ending}{query}")
    assert answer.status_code == 200
    assert answer["Content-Disposition"] == f'attachment; filename="{run.pk}-results.{ending}"'
    return b"".join(answer.streaming_content).decode("utf-8-sig")


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.split("\n") if line]


def test_what_people_named_stands_with_its_result(as_alice: Client, ended: Run) -> None:
    said = Said(
        primary="incorrect_answer",
        secondary=("hallucinated_fact",),
        attribution="tool_adapter",
    )
    label_failure(ended.results.get(ordinal=14), said, by=None, now=timezone.now())

    by_index = {row["index"]: row for row in lines(download(as_alice, ended, "jsonl"))}
    as_table = table(download(as_alice, ended, "csv", "?label=incorrect_answer"))

    assert by_index[14]["failure"] == "incorrect_answer"
    assert by_index[14]["failure_secondary"] == ["hallucinated_fact"]
    assert by_index[13]["failure"] is None
    assert [(row["index"], row["failure_attribution"]) for row in as_table] == [
        ("14", "tool_adapter")
    ]


@pytest.mark.parametrize(
    "query", ["", "?outcome=failed", "?rule=exact:fail&family=tag&value=tag-14"]
)
def test_both_files_hold_exactly_what_the_filter_leaves(
    query: str, as_alice: Client, ended: Run
) -> None:
    given = dict(pair.split("=") for pair in query.removeprefix("?").split("&") if pair)
    found = results_of(ended, ResultFilter(**given))
    expected = [result.record.record_id for result in found]

    as_table = [row["record_id"] for row in table(download(as_alice, ended, "csv", query))]
    as_lines = [row["record_id"] for row in lines(download(as_alice, ended, "jsonl", query))]

    assert as_table == as_lines == expected
    assert expected


def test_every_rule_has_its_columns(as_alice: Client, ended: Run) -> None:
    first, *_ = table(download(as_alice, ended, "csv", "?outcome=unjudged"))

    assert first["exact.value"] == ""
    assert first["exact.verdict"] == "skip"
    assert first["exact.reason"] == "The record has no reference."
    assert float(first["token_f1.value"]) == 0.3
    assert first["prompt"].startswith("Ticket 17")


def test_a_line_of_json_holds_every_score(as_alice: Client, ended: Run) -> None:
    first, *_ = lines(download(as_alice, ended, "jsonl"))

    scores = first["scores"]
    assert isinstance(scores, list)
    assert [score["rule"] for score in scores] == ["exact", "token_f1", "latency"]
    assert first["status"] == "completed"
    assert first["first_attempt_at"] == "2026-03-01T12:00:00Z"


@pytest.mark.parametrize("formula", ['=HYPERLINK("http://x")', "+1", "-1+2", "@SUM(A1)", "\t=1"])
def test_no_cell_is_taken_for_a_formula(formula: str, as_alice: Client, ended: Run) -> None:
    ended.results.filter(ordinal=0).update(response=formula)

    first, *_ = table(download(as_alice, ended, "csv"))

    assert first["response"] == f"'{formula}"


def test_answers_of_any_letters_come_through(as_alice: Client, ended: Run) -> None:
    hostile = 'one,"two"\nthree \u2028 \U0001f600 \x01'
    ended.results.filter(ordinal=0).update(response=hostile)

    as_table, *_ = table(download(as_alice, ended, "csv"))
    as_lines, *_ = lines(download(as_alice, ended, "jsonl"))

    assert as_table["response"] == hostile
    assert as_lines["response"] == hostile


def test_an_export_asks_four_queries_for_every_500_results(
    workspace: Workspace, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    run = building.ended_run(workspace, version=building.make_version(workspace, 600))
    run = Run.objects.select_related("workspace").get(pk=run.pk)

    with django_assert_num_queries(1 + 2 * 3):
        found = sum(1 for _ in rows(run, results_of(run, ResultFilter())))

    assert found == 600
