"""Query-response pairs: every shape they come in, and what each row becomes."""

import json

import pytest

from apps.datasets.contracts import Unfit
from apps.datasets.formats import FORMATS, detect
from apps.datasets.formats.pairs import writing
from apps.datasets.formats.pairs.pair import content_id
from tests.datasets.contract_v1 import accepted as contract_records
from tests.datasets.documents import document
from tests.datasets.pairs import (
    PAIR_COLUMNS,
    a_pair,
    accepted,
    csv_of,
    lines_of,
    opened,
    pairs_csv,
    rows,
    written,
)

CHUNKS = [
    {"chunk_id": "c2", "doc_id": "d1", "chunk_rank": 2, "text": "Second."},
    {"chunk_id": "c1", "doc_id": "d1", "chunk_rank": 1, "text": "First."},
]
CHUNK_COLUMNS = ("record_id", "query", "answer", "chunk_text", "chunk_id", "doc_id", "chunk_rank")


def test_a_row_of_csv_is_a_pair_with_its_passages() -> None:
    [row] = rows("pairs", pairs_csv(a_pair(0)))

    assert row == a_pair(0)


def test_further_columns_are_kept_as_metadata() -> None:
    raw = csv_of([*PAIR_COLUMNS, "team", "empty"], [{**a_pair(0), "team": "west"}])

    [record] = accepted("pairs", raw)

    assert json.loads(record.payload)["row"]["metadata"] == {"team": "west"}
    assert ("metadata.team", "west") in record.facets


def test_lines_and_an_array_say_the_same_as_csv() -> None:
    pair = a_pair(0)

    assert rows("pairs", lines_of(pair), "pairs.jsonl") == [pair]
    assert rows("pairs", json.dumps([pair], indent=2).encode(), "pairs.json") == [pair]


def test_lines_in_an_array_are_counted() -> None:
    raw = json.dumps([a_pair(0), a_pair(1, id="")], indent=1).encode()

    [_good, bad] = list(opened("pairs", raw, "pairs.json"))

    assert bad.issues[0].line == 11  # type: ignore[union-attr]


def test_rows_of_one_chunk_are_folded_into_their_pair() -> None:
    raw = csv_of(
        CHUNK_COLUMNS,
        [
            ("a", "Why?", "Because.", "Second.", "c2", "d1", "2"),
            ("b", "When?", "Now.", "Other.", "c9", "d2", "1"),
            ("a", "Why?", "Because.", "First.", "c1", "d1", "1"),
        ],
    )

    first, second = rows("pairs", raw)

    assert (first["id"], first["response"], first["context"]) == (
        "a",
        "Because.",
        ["First.", "Second."],
    )
    assert [chunk["chunk_id"] for chunk in first["chunks"]] == ["c1", "c2"]
    assert second["id"] == "b"
    assert [record.index for record in accepted("pairs", raw)] == [0, 1]


def test_chunks_without_any_id_of_their_pair_belong_by_content() -> None:
    raw = csv_of(
        ("query", "answer", "chunk_text", "chunk_id"),
        [("Why?", "Because.", "One.", "c1"), ("Why?", "Because.", "Two.", "c2")],
    )

    [row] = rows("pairs", raw)

    assert row["id"] == content_id("Why?", "Because.", "", ["c1", "c2"])
    assert row["context"] == ["One.", "Two."]


def test_the_annotation_tools_json_is_read_with_the_id_that_it_computes_itself() -> None:
    given = {
        "query": "Why?",
        "answer": "Because.",
        "chunks": CHUNKS,
        "context_set": "First. Second.",
    }

    [row] = rows("pairs", json.dumps([{**given, "language": "en"}]).encode(), "pairs.json")

    assert row["id"] == content_id("Why?", "Because.", "First. Second.", ["c1", "c2"])
    assert row["chunks"] == [CHUNKS[1], CHUNKS[0]]
    assert row["metadata"] == {"context_set": "First. Second.", "language": "en"}


def test_columns_of_other_names_are_read_by_the_mapping() -> None:
    raw = csv_of(("nr", "question", "reply"), [("p1", "Why?", "Because.")])
    mapping = {"id": "nr", "query": "question", "response": "reply"}

    [row] = rows("pairs", raw, mapping=mapping)

    assert (row["id"], row["query"], row["response"]) == ("p1", "Why?", "Because.")
    assert "metadata" not in row


def test_an_answer_to_the_same_query_is_of_the_same_group() -> None:
    first, second, other = accepted(
        "pairs", pairs_csv(a_pair(0), a_pair(1, query=a_pair(0)["query"]), a_pair(2))
    )

    assert first.group == second.group != other.group
    assert first.input_sha256 == second.input_sha256


@pytest.mark.parametrize(
    ("name", "head", "format_id"),
    [
        ("a.csv", pairs_csv(), "pairs"),
        ("a.csv", csv_of(CHUNK_COLUMNS, []), "pairs"),
        ("a.jsonl", lines_of(a_pair(0)), "pairs"),
        ("a.json", json.dumps([a_pair(0)], indent=1).encode(), "pairs"),
        ("a.csv", b"id,task_type,label,annotator_id,annotated_at\n", "annotations"),
        ("a.csv", b"item_id,annotator_id,criterion,label\n", "annotations"),
        ("a.csv", b"record_uuid,annotator_id,task,response_status\n", "annotations"),
        ("a.csv", b"id,metric_family,score,method\n", "scores"),
        ("a.jsonl", b'{"id": "p", "metric_family": "x", "score": 1, "method": "y"}\n', "scores"),
    ],
)
def test_the_head_of_a_file_says_what_it_is(name: str, head: bytes, format_id: str) -> None:
    found = detect(name, head)

    assert found is not None
    assert found.id == format_id


def test_an_export_is_marked_and_read_as_the_same_pairs() -> None:
    raw = csv_of([*PAIR_COLUMNS, "team"], [{**a_pair(0), "team": "west"}, a_pair(1)])

    export = written("pairs", raw)

    assert export.startswith(b"schema_version,id,query,response,context,source,chunks,metadata")
    assert [one.sha256 for one in accepted("pairs", export)] == [
        one.sha256 for one in accepted("pairs", raw)
    ]


def test_lines_are_written_for_programs() -> None:
    document_ = opened("pairs", pairs_csv(a_pair(0)))
    payloads = [one.payload for one in accepted("pairs", pairs_csv(a_pair(0)))]

    lines = b"".join(writing.write_lines(document_.header, payloads))

    assert rows("pairs", lines, "pairs.jsonl") == [a_pair(0)]


def test_no_cell_of_an_export_is_a_formula() -> None:
    evil = a_pair(0, id="-p0", query="=1+1", response='@SUM("x")', source="+cmd|' /C calc'!A0")

    export = written("pairs", pairs_csv(evil)).decode()

    assert "'-p0,'=1+1," in export
    assert "'+cmd" in export
    assert rows("pairs", export.encode()) == [evil]


def test_on_the_way_in_nothing_is_taken_off_what_others_wrote() -> None:
    quoted = a_pair(0, query="'=1+1", response="'@x")

    assert rows("pairs", pairs_csv(quoted)) == [quoted]


def test_records_of_other_kinds_need_an_answer_to_become_pairs() -> None:
    prompts = [record.payload for record in contract_records(document())]
    header = opened("pairs", pairs_csv()).header

    with pytest.raises(Unfit, match="q_0000 came without an answer"):
        list(FORMATS["pairs"].write(header, prompts))
