"""Query-response pairs judged by all three families, the real ones too: ExpertQA and MTRAG.

The answers are those that came with the pairs, graded again by the contract for pairs; a scripted
judge replies in place of a model.
"""

from collections.abc import Callable
from typing import Any

import orjson
import pytest
from django.utils import timezone

from apps.accounts.models import Workspace
from apps.grading.rules.pairs.families import GroundingJudge, RelevanceJudge, RetrievalJudge
from apps.grading.rules.pairs.pair_questions import GROUNDING, RELEVANCE, RETRIEVAL
from apps.grading.starters import starter_spec
from apps.runs.beginning.regrading import Regrade, regrade
from apps.runs.models import Run, RunState
from apps.runs.queries import counts_of
from apps.runs.recorded.recording import recorded_run
from tests.datasets.pairs import pairs_csv, pairs_version, real

from .conftest import MakeContract, MakeTarget, drain

Judge = Callable[..., Run]


@pytest.fixture
def judged(workspace: Workspace, make_target: MakeTarget, make_contract: MakeContract) -> Judge:
    """The recorded answers judged by the contract for pairs; the judge errs as it is told."""

    def run(raw: bytes, name: str = "pairs.csv", **judge: Any) -> Run:
        recorded = drain(
            recorded_run(pairs_version(workspace, raw, name), by=None, now=timezone.now())
        )
        rules = starter_spec("pairs").model_dump(mode="json")["rules"]
        wanted = Regrade(
            parent=recorded,
            contract=make_contract(*rules, name="pairs"),
            judge=make_target("solomon", plays="judge", concurrency=8, **judge),
        )
        return drain(regrade(wanted, now=timezone.now()))

    return run


def opinions(run: Run, rule: str) -> list[dict[str, Any]]:
    scores = run.scores.filter(rule=rule, value__isnull=False)
    return [opinion for score in scores for opinion in (score.raw or {})["opinions"]]


@pytest.mark.parametrize(("name", "pairs"), [("expertqa_pairs.csv", 217), ("mtrag_pairs.csv", 318)])
def test_real_pairs_are_judged_by_all_three_families(judged: Judge, name: str, pairs: int) -> None:
    run = judged(real(f"rag/{name}").read_bytes(), name, wrong_rate=0.2)

    counts = counts_of(run).denominators
    contexts = [
        len(row["row"]["context"]) for row in map(_payload, run.dataset_version.records.all())
    ]
    bare = contexts.count(0)
    assert run.kind == Run.Kind.REGRADE
    assert not run.attempts.filter(purpose="target").exists()
    assert run.state == RunState.COMPLETED
    assert (counts.valid, counts.evaluated, counts.unjudged) == (pairs, pairs, 0)
    assert counts.passed + counts.failed_contract == pairs
    assert min(counts.passed, counts.failed_contract) > 10
    assert len(opinions(run, "relevance")) == pairs
    assert len(opinions(run, "grounding")) == pairs - bare
    assert len(opinions(run, "retrieval")) == sum(min(each, 20) for each in contexts)
    skipped = run.scores.filter(verdict="skip")
    assert skipped.count() == 2 * bare
    assert not skipped.filter(reason="").exists()


def test_every_question_of_a_family_is_answered_and_kept(judged: Judge) -> None:
    run = judged(pairs_csv())

    asked = {"retrieval": RETRIEVAL, "grounding": GROUNDING, "relevance": RELEVANCE}
    for rule, questions in asked.items():
        found = opinions(run, rule)
        assert len(found) == 3
        assert all(set(questions.labels) <= opinion.keys() for opinion in found)
    assert set(run.scores.values_list("method", flat=True)) == {"judge"}
    assert counts_of(run).denominators.passed == 3


def test_a_family_whose_judge_is_never_readable_fails_the_pair_with_the_reason(
    judged: Judge,
) -> None:
    run = judged(pairs_csv(), broken_json=1, broken_attempts=0)

    assert run.state == RunState.COMPLETED_WITH_FAILURES
    assert set(run.results.values_list("cause", flat=True)) == {"judge_failed"}
    assert all(run.results.values_list("response", flat=True))
    assert not run.scores.filter(value__isnull=False).exists()
    again = run.attempts.filter(call__endswith=":again")
    assert again.count() == run.attempts.filter(purpose="judge").count() / 2


def test_each_family_is_a_rule_of_the_starter() -> None:
    rules = [type(rule) for rule in starter_spec("pairs").rules]

    assert rules == [RetrievalJudge, GroundingJudge, RelevanceJudge]


def _payload(record: Any) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(record.payload)
    return found
