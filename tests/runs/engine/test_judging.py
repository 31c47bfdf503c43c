"""Judges over HTTP: strict JSON, one re-ask, the answer kept whatever the judge does."""

from typing import Any

import pytest

from apps.runs.models import Run, RunState
from tests.model_server import ModelServer
from tests.runs.conftest import (
    EXACT,
    JUDGE,
    MakeContract,
    MakeTarget,
    MakeVersion,
    Start,
    artifact,
    drain,
    record,
    statuses,
)

CRITERIA = ["accuracy", "clarity"]


@pytest.fixture
def judged(
    start: Start,
    make_version: MakeVersion,
    make_target: MakeTarget,
    make_contract: MakeContract,
    model_server: ModelServer,
) -> Any:
    """A run of five records judged on two criteria by a model of the test server."""

    def run(model: str, *, faults: list[dict[str, Any]] | None = None) -> Run:
        model_server.plan(faults=faults or [], wrong_rate=0)
        records = [
            record(
                f"q{n}",
                f"What is {n} plus 2?",
                str(n + 2),
                expected={"required_criteria": CRITERIA},
            )
            for n in range(5)
        ]
        judge = make_target(
            "solomon",
            kind="openai_chat",
            base_url=model_server.base_url,
            model=model,
            concurrency=2,
        )
        return drain(
            start(
                version=make_version(records=records),
                contract=make_contract(EXACT, JUDGE),
                judge=judge,
            )
        )

    return run


def test_every_criterion_is_asked_once_and_scored(judged: Any, model_server: ModelServer) -> None:
    run = judged("judge")

    assert run.state == RunState.COMPLETED
    assert model_server.stats()["requests"] == 10
    calls = run.attempts.filter(purpose="judge").values_list("rule", "call")
    assert sorted(set(calls)) == [("judge", "accuracy"), ("judge", "clarity")]
    score = run.scores.filter(rule="judge").first()
    assert score.method == "judge"
    assert score.verifier.startswith("criteria_judge@1:")
    assert set(score.raw["criteria"]) == set(CRITERIA)
    assert 0 <= score.value <= 1


def test_a_reply_that_breaks_once_is_asked_again_once(
    judged: Any, model_server: ModelServer
) -> None:
    run = judged("judge-broken-once")

    assert run.state == RunState.COMPLETED
    assert model_server.stats()["requests"] == 20
    calls = set(run.attempts.filter(purpose="judge").values_list("call", flat=True))
    assert calls == {"accuracy", "accuracy:again", "clarity", "clarity:again"}


def test_a_judge_that_is_never_readable_fails_the_records_and_keeps_the_answers(
    judged: Any,
) -> None:
    run = judged("judge-broken-always")

    assert run.state == RunState.COMPLETED_WITH_FAILURES
    assert statuses(run) == {"evaluation_error": 5}
    assert set(run.results.values_list("cause", flat=True)) == {"judge_failed"}
    assert all(run.results.values_list("response", flat=True))
    assert run.scores.filter(rule="exact", value=1).count() == 5
    assert not run.scores.filter(rule="judge", value__isnull=False).exists()
    assert not run.scores.filter(value__isnull=True, reason="").exists()
    row = artifact(run, "predictions.jsonl")[0]
    assert row["model_response"]
    assert row["status"] == "evaluation_error"


def test_a_busy_judge_is_asked_again_and_the_target_is_not(
    judged: Any, model_server: ModelServer
) -> None:
    run = judged("judge", faults=[{"mode": "429", "times": 1}])

    assert run.state == RunState.COMPLETED
    assert run.attempts.filter(purpose="target").count() == 5
    assert set(run.results.values_list("attempts", flat=True)) == {1}
    assert model_server.stats()["repeats"] == 0
    errors = run.attempts.filter(purpose="judge").exclude(error_code="")
    assert set(errors.values_list("error_code", "http_status")) == {("rate_limited", 429)}


def test_each_question_has_attempts_of_its_own(judged: Any) -> None:
    run = judged("judge", faults=[{"mode": "429", "times": 2}])

    assert run.state == RunState.COMPLETED
    numbers = run.attempts.filter(purpose="judge", ordinal=0).values_list("call", "number")
    assert sorted(numbers) == [(call, n) for call in sorted(CRITERIA) for n in (1, 2, 3)]


def test_a_judge_that_is_down_is_an_error_with_the_reason_after_its_attempts(judged: Any) -> None:
    run = judged("judge", faults=[{"mode": "503"}])

    assert statuses(run) == {"evaluation_error": 5}
    first = run.results.get(ordinal=0)
    assert first.cause == "judge_failed"
    assert "HTTP 503" in first.detail
    calls = run.attempts.filter(purpose="judge", ordinal=0, call=CRITERIA[0]).order_by("number")
    assert list(calls.values_list("number", flat=True)) == [1, 2, 3]


def test_a_judge_is_asked_no_more_at_once_than_it_takes(
    judged: Any, model_server: ModelServer
) -> None:
    judged("judge")

    assert model_server.stats()["peak_concurrency"] <= 2
