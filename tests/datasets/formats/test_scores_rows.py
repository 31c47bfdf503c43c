"""Scores: what a row says, and what is wrong with one."""

import pytest

from apps.datasets.contracts import Rejected
from tests.datasets.pairs import (
    SCORE_COLUMNS,
    Row,
    accepted,
    csv_of,
    lines_of,
    opened,
    problems,
    real,
    rows,
)
from tests.datasets.pairs import written as export_of


def a_score(**changes: object) -> Row:
    return {
        "id": "p1",
        "metric_family": "grounding",
        "score": "0.5",
        "method": "model_based",
        **changes,
    }


def test_a_score_is_a_number() -> None:
    raw = csv_of(SCORE_COLUMNS, [a_score(), a_score(id="p2", score="1")])

    assert [row["score"] for row in rows("scores", raw)] == [0.5, 1.0]


def test_lines_say_the_same() -> None:
    other = {name: value for name, value in a_score(score=1).items() if name != "id"}
    raw = lines_of(a_score(score=0.5), {"pair_id": "p2", **other})

    assert [row["score"] for row in rows("scores", raw, "scores.jsonl")] == [0.5, 1.0]


def test_further_columns_are_kept() -> None:
    raw = csv_of([*SCORE_COLUMNS, "model"], [{**a_score(), "model": "judge-1"}])

    assert rows("scores", raw)[0]["metadata"] == {"model": "judge-1"}


def test_methods_tell_scores_of_one_family_apart() -> None:
    raw = csv_of(SCORE_COLUMNS, [a_score(), a_score(method="reference_based")])

    assert len(accepted("scores", raw)) == 2


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        ({"score": "1.01"}, "value_out_of_range", "score"),
        ({"score": "-0.5"}, "value_out_of_range", "score"),
        ({"score": "nan"}, "invalid_score", "score"),
        ({"score": "1e999"}, "invalid_score", "score"),
        ({"score": "good"}, "invalid_score", "score"),
        ({"score": ""}, "invalid_score", "score"),
        ({"method": ""}, "empty_value", "method"),
        ({"metric_family": "x" * 81}, "string_too_long", "metric_family"),
        ({"id": ""}, "empty_value", "id"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    changes: dict[str, object], code: str, path: str
) -> None:
    raw = csv_of(SCORE_COLUMNS, [a_score(), a_score(**{"id": "p2", **changes})])

    assert problems("scores", raw) == [(3, code, path)]


def test_a_missing_score_may_say_why() -> None:
    raw = csv_of([*SCORE_COLUMNS, "reason"], [{**a_score(score=""), "reason": "no passage"}])

    [row] = rows("scores", raw)

    assert (row["score"], row["reason"]) == (None, "no passage")


def test_a_score_that_comes_again_names_the_first_line() -> None:
    [_first, again] = list(opened("scores", csv_of(SCORE_COLUMNS, [a_score(), a_score()])))

    assert again.issues[0].code == "duplicate_score"  # type: ignore[union-attr]
    assert "line 2" in again.issues[0].message  # type: ignore[union-attr]


def test_unknown_families_and_methods_are_kept_with_a_warning() -> None:
    document = opened("scores", csv_of(SCORE_COLUMNS, [a_score(method="gut", metric_family="fun")]))

    [record] = list(document)

    assert record.record_id is not None
    assert [warning.split(" is none")[0] for warning in document.warnings] == [
        "metric_family fun",
        "method gut",
    ]


def test_missing_columns_ask_for_a_mapping() -> None:
    with pytest.raises(Rejected) as refused:
        opened("scores", b"id,metric_family,mark\np1,grounding,1\n")

    assert refused.value.details["missing"] == ["score", "method"]


def test_no_cell_of_an_export_is_a_formula() -> None:
    raw = csv_of(SCORE_COLUMNS, [a_score(id="+p1", method="=x")])

    export = export_of("scores", raw)

    assert b"1.0,'+p1,grounding,0.5,'=x" in export
    assert rows("scores", export) == rows("scores", raw)


def test_every_real_score_is_accepted_and_comes_back_the_same() -> None:
    raw = real("rag/mtrag_judge_scores.csv").read_bytes()

    records = accepted("scores", raw)

    assert len(records) == 954
    assert [one.sha256 for one in accepted("scores", export_of("scores", raw))] == [
        one.sha256 for one in records
    ]
