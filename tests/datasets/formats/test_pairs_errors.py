"""Query-response pairs: what is wrong with a row or a file, and where."""

import pytest

from apps.datasets.contracts import Rejected
from tests.datasets.pairs import PAIR_COLUMNS, a_pair, csv_of, lines_of, opened, pairs_csv, problems

CHUNKED = ("id", "query", "response", "chunk_text", "chunk_rank")


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        ({"id": ""}, "empty_value", "id"),
        ({"query": "  "}, "empty_value", "query"),
        ({"response": ""}, "empty_value", "response"),
        ({"context": "no array"}, "invalid_json", "context"),
        ({"context": {"a": 1}}, "invalid_field_type", "context"),
        ({"context": [1, 2]}, "invalid_field_type", "context"),
        ({"id": "x" * 129}, "invalid_field_value", "id"),
    ],
)
def test_a_wrong_cell_is_told_with_its_line(
    changes: dict[str, object], code: str, path: str
) -> None:
    raw = pairs_csv(a_pair(0), a_pair(1, **changes))

    assert problems("pairs", raw) == [(3, code, path)]


def test_every_problem_of_a_row_is_listed() -> None:
    raw = lines_of(a_pair(0), {"query": 5, "response": None, "context": [3]})

    assert {code for _, code, _ in problems("pairs", raw, "pairs.jsonl")} == {
        "invalid_field_type",
        "missing_required_field",
    }
    assert len(problems("pairs", raw, "pairs.jsonl")) == 3


def test_an_id_that_comes_again_names_the_first_line() -> None:
    [record] = list(opened("pairs", pairs_csv(a_pair(0), a_pair(1), a_pair(0))))[2:]

    assert record.issues[0].code == "duplicate_record_id"  # type: ignore[union-attr]
    assert "line 2" in record.issues[0].message  # type: ignore[union-attr]


def test_a_row_of_too_few_cells_is_told() -> None:
    raw = pairs_csv(a_pair(0)) + b"p1,Why?\n"

    assert problems("pairs", raw) == [(3, "wrong_cell_count", "")]


def test_a_line_that_is_no_json_is_told_with_its_column() -> None:
    raw = lines_of(a_pair(0)) + b'{"id": nope}\n'

    assert problems("pairs", raw, "pairs.jsonl") == [(2, "invalid_json", "")]


def test_rows_of_one_pair_must_agree_on_it() -> None:
    raw = csv_of(CHUNKED, [("a", "Why?", "Yes.", "One.", "1"), ("a", "Why?", "No.", "Two.", "2")])

    assert problems("pairs", raw) == [(2, "conflicting_rows", "response")]


def test_a_rank_that_is_no_number_is_told() -> None:
    raw = csv_of(CHUNKED, [("a", "Why?", "Yes.", "One.", "first")])

    assert problems("pairs", raw) == [(2, "value_out_of_range", "chunks[0].chunk_rank")]


def test_missing_columns_ask_for_a_mapping() -> None:
    raw = csv_of(("nr", "query", "reply"), [("p1", "Why?", "Because.")])

    with pytest.raises(Rejected) as refused:
        opened("pairs", raw)

    assert refused.value.code == "mapping_needed"
    assert refused.value.details == {
        "columns": ["nr", "query", "reply"],
        "fields": list(PAIR_COLUMNS),
        "missing": ["id", "response"],
    }
    assert "no column for id, response" in refused.value.message


def test_a_mapping_to_a_column_that_is_not_there_is_told() -> None:
    with pytest.raises(Rejected, match="no column reply, which response was said to be in"):
        opened("pairs", pairs_csv(), mapping={"response": "reply"})


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (pairs_csv().decode().encode("utf-16"), "UTF-16"),
        (pairs_csv(a_pair(0, query="Où est le café déjà payé ?")).decode().encode("latin-1"), ""),
    ],
)
def test_another_encoding_is_refused_by_name(raw: bytes, name: str) -> None:
    with pytest.raises(Rejected, match="must be UTF-8") as refused:
        list(opened("pairs", raw))

    assert f"It looks like {name}" in refused.value.message


@pytest.mark.parametrize("raw", [b"id,query,response\n", b"[]", b"[ ]\n"])
def test_a_file_without_rows_is_refused(raw: bytes) -> None:
    with pytest.raises(Rejected, match="no rows"):
        opened("pairs", raw, "pairs.csv" if raw.startswith(b"id") else "pairs.json")


def test_an_unknown_schema_version_is_a_warning() -> None:
    raw = csv_of(["schema_version", *PAIR_COLUMNS], [{"schema_version": "9", **a_pair(0)}])

    assert opened("pairs", raw).warnings == ["schema_version 9 is not known: read as 1.0."]
