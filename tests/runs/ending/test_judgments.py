"""Judgments as the legal_eval_v1 pipeline writes them: from a run over HTTP to one JSON a line."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import User, Workspace
from apps.runs.ending.judgments import rows
from apps.runs.models import Run
from tests.commands import evalhub
from tests.model_server import ModelServer
from tests.runs.conftest import MakeContract, MakeTarget, MakeVersion, Start, drain
from tests.runs.legal import LEGAL_RULES, answers_to, chosen, legal_version

KEYS = [
    *("run_id", "run_started_at_utc", "dataset", "provenance", "judge_mode", "example_id"),
    *("candidate_name", "judge_name", "judge_provider", "judge_model", "judge_settings"),
    *("request_id", "cache_key", "cache_hit", "score", "pass", "rationale", "criteria"),
    *("parse_error", "prbench_weighted_raw", "prbench_points_normalized"),
    *("prbench_points_clipped", "raw_judge"),
]
SAID = {"mcq": chosen("(b)"), "reference_qa": "In writing.", "rubric_qa": "By the first of May."}


@pytest.fixture
def judged(
    workspace: Workspace,
    start: Start,
    make_target: MakeTarget,
    make_contract: MakeContract,
    model_server: ModelServer,
) -> Any:
    """A run of one row of each task type, judged by a model of the test server."""

    def run(model: str = "judge", said: dict[str, str] = SAID) -> Run:
        version = legal_version(workspace)
        answers = answers_to(version, lambda row: said[row["task_type"]])
        model_server.plan(answers=answers, wrong_rate=0)
        there = {"kind": "openai_chat", "base_url": model_server.base_url, "concurrency": 2}
        return drain(
            start(
                version=version,
                target=make_target("candidate-1", model="m", **there),
                contract=make_contract(*LEGAL_RULES),
                judge=make_target("solomon", model=model, temperature=0, **there),
            )
        )

    return run


def by_example(run: Run) -> dict[str, dict[str, Any]]:
    found = list(rows(run, run.results.order_by("ordinal")))
    assert len({row["example_id"] for row in found}) == len(found)
    return {row["example_id"]: row for row in found}


def test_each_task_type_is_judged_by_its_own_rule_alone(judged: Any) -> None:
    run = judged()

    found = by_example(run)

    assert list(found) == ["choice", "open", "task"]
    assert all(sorted(row) == sorted(KEYS) for row in found.values())
    assert [row["judge_mode"] for row in found.values()] == ["mcq", "reference", "rubric"]
    assert {row["candidate_name"] for row in found.values()} == {"candidate-1"}
    assert {row["dataset"] for row in found.values()} == {"tenancy"}
    assert found["open"]["provenance"] == "canonical:reference_qa"


def test_multiple_choice_is_graded_by_program(judged: Any) -> None:
    row = by_example(judged())["choice"]

    assert (row["judge_name"], row["judge_provider"], row["judge_model"]) == (
        "deterministic_mcq",
        "programmatic",
        "exact_match_v1",
    )
    assert (row["score"], row["pass"], row["parse_error"]) == (1.0, True, False)
    assert row["rationale"] == "By the statute. | Selected=B; expected=['B']"
    assert row["criteria"] == {"exact_match": 1.0}


def test_an_answer_that_cannot_be_read_is_the_targets_zero(judged: Any) -> None:
    row = by_example(judged(said={**SAID, "mcq": "I pick B"}))["choice"]

    assert (row["score"], row["pass"], row["parse_error"]) == (0.0, False, True)


def test_a_rubric_comes_with_what_it_was_made_of(judged: Any) -> None:
    row = by_example(judged())["task"]

    aggregate = row["raw_judge"]["deterministic_rubric_aggregation"]
    assert row["judge_name"] == "rubric_multi_judge"
    assert (row["judge_provider"], row["judge_model"]) == ("openai_chat", "judge")
    assert row["judge_settings"]["judges"][0]["settings"] == {"temperature": 0.0}
    assert set(row["criteria"]) == {"date", "law"}
    assert (aggregate["min_raw"], aggregate["max_raw"]) == (-5.0, 8.0)
    assert row["prbench_weighted_raw"] == aggregate["raw_sum"]
    assert row["prbench_points_normalized"] == aggregate["normalized_points"]
    assert row["score"] == aggregate["weighted_score"] == row["prbench_points_clipped"]
    assert row["rationale"].count("By the hash.") == 2


def test_a_reference_judge_is_named_with_its_model(judged: Any) -> None:
    row = by_example(judged())["open"]

    assert (row["judge_name"], row["judge_model"]) == ("solomon", "judge")
    assert row["judge_settings"] == {"temperature": 0.0}
    assert row["rationale"] == "By the hash."
    assert row["parse_error"] is False
    assert row["prbench_weighted_raw"] is None


def test_a_judge_without_a_readable_reply_is_a_zero_there_and_no_score_here(judged: Any) -> None:
    run = judged("judge-broken-always")

    found = by_example(run)

    for row in (found["open"], found["task"]):
        assert (row["score"], row["pass"], row["parse_error"]) == (0.0, False, True)
        assert row["rationale"]
    assert found["choice"]["score"] == 1.0
    assert set(run.scores.exclude(rule="multiple_choice").values_list("value", flat=True)) == {None}
    assert run.results.filter(cause="judge_failed").count() == 2


def test_the_page_the_api_and_the_shell_give_the_same_lines(
    judged: Any, as_alice: Client, tmp_path: Path
) -> None:
    run = judged()
    expected = list(rows(run, run.results.order_by("ordinal")))

    page = as_alice.get(f"/w/demo/runs/{run.pk}/judgments.jsonl")
    api = as_alice.get(f"/api/v1/runs/{run.pk}/judgments")
    to = tmp_path / "judgments.jsonl"
    told = evalhub("judgments", run.pk, "--to", str(to), "--json")

    assert "judgments.jsonl" in page["Content-Disposition"]
    assert b"judgments.jsonl" in as_alice.get(f"/w/demo/runs/{run.pk}/").content
    assert _lines(page.getvalue()) == expected
    assert _lines(api.getvalue()) == expected
    assert _lines(to.read_bytes()) == expected
    assert told.facts["judgments"] == 3
    assert _lines(evalhub("judgments", run.pk).out.encode()) == expected


def test_a_stranger_finds_none(judged: Any, client: Client, charlie: User) -> None:
    run = judged()
    client.force_login(charlie)

    assert client.get(f"/w/demo/runs/{run.pk}/judgments.jsonl").status_code == 404
    assert client.get(f"/api/v1/runs/{run.pk}/judgments").status_code in (403, 404)


def test_a_batch_takes_as_many_queries_as_a_single_row(
    judged: Any, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    run = judged()

    with django_assert_max_num_queries(6):
        list(rows(run, run.results.order_by("ordinal")))


def test_a_filter_leaves_what_it_leaves(judged: Any, as_alice: Client) -> None:
    run = judged(said={**SAID, "mcq": chosen("A")})

    page = as_alice.get(f"/w/demo/runs/{run.pk}/judgments.jsonl?rule=multiple_choice:fail")

    (row,) = _lines(page.getvalue())
    assert (row["example_id"], row["score"]) == ("choice", 0.0)


def test_records_of_another_format_have_no_place_in_it(
    start: Start, make_version: MakeVersion, make_contract: MakeContract, as_alice: Client
) -> None:
    run = drain(start(version=make_version(2), contract=make_contract()))

    page = as_alice.get(f"/w/demo/runs/{run.pk}/judgments.jsonl")
    api = as_alice.get(f"/api/v1/runs/{run.pk}/judgments")

    assert page.status_code == 404
    assert api.status_code == 400
    assert "not legal_eval_v1" in api.json()["error"]["message"]
    assert b"judgments.jsonl" not in as_alice.get(f"/w/demo/runs/{run.pk}/").content
    told = evalhub("judgments", run.pk)
    assert (told.status, "not legal_eval_v1" in told.err) == (2, True)


def _lines(raw: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in raw.splitlines()]
