"""Metrics of retrieved chunks: the values of the conformance file, and what labels leave open."""

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.grading.contracts import Subject
from apps.grading.rules.base import Rule
from apps.grading.rules.pairs.retrieval import (
    RULES,
    MisleadingRate,
    Ndcg,
    Precision,
    Recall,
    ReciprocalRank,
    SufficiencyHit,
    SufficiencyRate,
)
from apps.grading.subjects import Chunk

CHECKOUT = Path(__file__).parents[4]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
VECTORS = SHARED / "conformance" / "agreement_and_intervals.json"
NAMED: dict[str, Rule] = {
    "topical_precision": Precision(name="p"),
    "sufficiency_hit": SufficiencyHit(name="h"),
    "sufficiency_rate": SufficiencyRate(name="s"),
    "misleading": MisleadingRate(name="m", negate=False),
    "rr": ReciprocalRank(name="r"),
    "ndcg": Ndcg(name="n"),
}


def retrieved(*chunks: dict[str, Any], listed: tuple[str, ...] = ()) -> Subject:
    """Chunks a, b, c … with ranks in their order, unless they say otherwise."""
    made = [
        Chunk(**{"id": chr(97 + place), "rank": place + 1, **chunk})
        for place, chunk in enumerate(chunks)
    ]
    return Subject(chunks=tuple(made), relevant_chunk_ids=listed)


def relevance(*marks: int) -> Subject:
    return retrieved(*({"relevant": bool(mark)} for mark in marks))


def _vectors() -> dict[str, Any]:
    if not VECTORS.is_file():
        return {}
    found: dict[str, Any] = json.loads(VECTORS.read_bytes())["metrics"]
    return found


@pytest.mark.skipif(not VECTORS.is_file(), reason="set EVALHUB_SHARED to the shared folder")
@pytest.mark.parametrize("metric", NAMED)
@pytest.mark.parametrize("query", _vectors())
def test_each_metric_is_that_of_the_conformance_file(query: str, metric: str) -> None:
    vector = _vectors()[query]
    labels = zip(vector["t"], vector["s"], vector["m"], strict=True)
    subject = retrieved(
        *({"relevant": bool(t), "sufficient": bool(s), "misleading": bool(m)} for t, s, m in labels)
    )

    assert NAMED[metric].grade(subject).value == vector[metric]


@pytest.mark.parametrize(("k", "value"), [(0, 0.5), (1, 0.0), (2, 0.5), (3, 1 / 3), (9, 0.5)])
def test_precision_looks_at_the_first_k_of_those_that_came(k: int, value: float) -> None:
    assert Precision(name="p", k=k).grade(relevance(0, 1, 0, 1)).value == pytest.approx(value)


def test_the_order_is_that_of_the_ranks_not_of_the_list() -> None:
    subject = retrieved({"rank": 9, "relevant": False}, {"rank": 2, "relevant": True})

    assert ReciprocalRank(name="r").grade(subject).value == 1.0
    assert ReciprocalRank(name="r", k=1).grade(subject).value == 1.0


def test_recall_counts_what_was_not_retrieved() -> None:
    subject = retrieved({}, {}, listed=("a", "x", "y", "x"))

    assert Recall(name="r").grade(subject).value == pytest.approx(1 / 3)
    assert Precision(name="p").grade(subject).value == 0.5


def test_ndcg_counts_what_was_not_retrieved() -> None:
    subject = retrieved({}, {}, listed=("b", "x"))

    gained, best = 1 / math.log2(3), 1 + 1 / math.log2(3)
    assert Ndcg(name="n").grade(subject).value == pytest.approx(gained / best)
    assert Ndcg(name="n", k=1).grade(subject).value == 0.0


def test_nothing_retrieved_of_what_is_relevant_is_zero_by_every_metric_of_relevance() -> None:
    subject = retrieved(listed=("x",))

    assert [rule.grade(subject).value for rule in NAMED.values()] == [0.0] * 6
    assert Recall(name="r").grade(subject).value == 0.0


def test_without_anything_relevant_there_is_no_recall_and_ndcg_is_zero() -> None:
    subject = relevance(0, 0)

    recall = Recall(name="r").grade(subject)
    assert (recall.value, recall.verdict) == (None, "skip")
    assert recall.reason == "No chunk is known to be relevant: there is nothing to find."
    assert Ndcg(name="n").grade(subject).value == 0.0


@pytest.mark.parametrize("rule_class", RULES)
def test_a_chunk_that_nobody_labelled_leaves_no_score(rule_class: type[Rule]) -> None:
    subject = retrieved({"relevant": True, "sufficient": True, "misleading": False}, {})

    score = rule_class.model_validate({"type": _type(rule_class), "name": "x"}).grade(subject)

    assert (score.value, score.verdict) == (None, "skip")
    assert score.reason.startswith("Nobody labelled whether chunk 'b' is ")


@pytest.mark.parametrize("rule_class", RULES)
def test_a_record_without_chunks_is_left_to_the_other_rules(rule_class: type[Rule]) -> None:
    rule = rule_class.model_validate({"type": _type(rule_class), "name": "x"})

    score = rule.grade(Subject(response="An answer."))

    assert (score.value, score.verdict, rule.when_missing) == (None, "skip", "skip")
    assert score.reason == "The record has no retrieved chunks."


def test_labels_beyond_k_are_not_needed_for_what_looks_at_the_first_k() -> None:
    subject = retrieved({"relevant": True}, {})

    assert Precision(name="p", k=1).grade(subject).value == 1.0
    assert Recall(name="r", k=1).grade(subject).value is None


def test_what_follows_from_a_label_needs_no_label_of_its_own() -> None:
    assert Precision(name="p").grade(retrieved({"sufficient": True})).value == 1.0
    assert SufficiencyHit(name="s").grade(retrieved({"relevant": False})).value == 0.0
    assert SufficiencyHit(name="s").grade(retrieved({"relevant": True})).value is None


def test_no_misleading_chunk_is_a_one_and_the_share_is_kept_as_measured() -> None:
    subject = retrieved({"misleading": False}, {"misleading": True})

    score = MisleadingRate(name="m").grade(subject)

    assert score.value == 0.5
    assert score.raw == {"metric": "misleading_context_rate", "measured": 0.5, "chunks": 2}
    assert [(check.text, check.passed) for check in score.checks] == [
        ("Chunk a is not misleading", True),
        ("Chunk b is misleading", False),
    ]
    assert score.reason == "Chunk b is misleading"


def test_a_score_says_which_chunks_are_relevant_and_by_which_k() -> None:
    score = Precision(name="p", k=2).grade(relevance(1, 0, 1))

    assert score.raw == {"metric": "topical_precision@2", "measured": 0.5, "chunks": 2}
    assert [check.text for check in score.checks] == [
        "Chunk a is relevant",
        "Chunk b is not relevant",
    ]


marks = st.none() | st.booleans()
chunks = st.builds(
    Chunk,
    id=st.sampled_from("abcde") | st.text(max_size=3),
    rank=st.integers(-5, 10),
    relevant=marks,
    sufficient=marks,
    misleading=marks,
)


@given(
    st.lists(chunks, max_size=8),
    st.lists(st.sampled_from("abcdef"), max_size=4),
    st.integers(0, 9),
    st.sampled_from(RULES),
    st.booleans(),
)
def test_any_chunks_and_labels_have_a_value_or_a_reason(
    found: list[Chunk], listed: list[str], k: int, rule_class: type[Rule], negate: bool
) -> None:
    rule = rule_class.model_validate(
        {"type": _type(rule_class), "name": "x", "k": k, "negate": negate}
    )

    score = rule.grade(Subject(chunks=tuple(found), relevant_chunk_ids=tuple(listed)))

    assert 0 <= score.value <= 1 if score.value is not None else score.reason


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.integers(0, 12))
def test_the_best_order_has_ndcg_one_and_no_order_has_more(marks: list[bool], k: int) -> None:
    rule = Ndcg(name="n", k=k)
    best = rule.grade(relevance(*sorted(marks, reverse=True))).value

    assert best == pytest.approx(float(any(marks)))
    assert rule.grade(relevance(*marks)).value <= best + 1e-9  # type: ignore[operator]


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_sufficiency_hit_is_whether_the_rate_is_above_zero(marks: list[bool]) -> None:
    subject = retrieved(*({"sufficient": mark, "relevant": mark} for mark in marks))

    rate = SufficiencyRate(name="s").grade(subject).value

    assert rate == pytest.approx(sum(marks) / len(marks))
    assert SufficiencyHit(name="s").grade(subject).value == float(any(marks))


def test_thousands_of_chunks_take_no_time_and_few_words() -> None:
    subject = retrieved(*({"id": str(n), "relevant": n % 2 == 0} for n in range(20_000)))

    score = Recall(name="r", k=10_000).grade(subject)

    assert score.value == 0.5
    assert len(score.checks) == 50


def _type(rule_class: type[Rule]) -> str:
    return str(rule_class.model_fields["type"].default)
