"""Pairs, annotations and scores: what is written is read again; no bytes break a reader."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.datasets.contracts import AcceptedRecord, Header, Rejected
from apps.datasets.formats import FORMATS
from apps.datasets.formats.pairs import writing
from apps.datasets.uploading.bundles import Bundle
from tests.datasets.pairs import SHARED, lines_of

HEADER = Header(dataset_id="again")
CELL = st.text(max_size=30) | st.sampled_from(["=1+1", "'=x", "-", "\r\n", '"', "\t'@", "a\0b"])
SAYS = CELL.map(lambda text: text + "x")
NAMES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | CELL,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
PAIRS = st.fixed_dictionaries(
    {"id": NAMES, "query": SAYS, "response": SAYS, "context": st.lists(CELL, max_size=3)},
    optional={
        "source": CELL,
        "team": CELL,
        "metadata": st.dictionaries(NAMES, JSON, max_size=3),
        "chunks": st.lists(
            st.fixed_dictionaries(
                {"text": SAYS},
                optional={"chunk_id": NAMES, "doc_id": CELL, "chunk_rank": st.integers(1, 99)},
            ),
            max_size=3,
        ),
    },
)
LABELS = st.fixed_dictionaries(
    {"id": NAMES, "annotator_id": NAMES},
    optional={
        "annotated_at": st.sampled_from(["", "2026-01-15T10:05:12Z", "2026-01-15T10:05:12+02:00"]),
        "notes": CELL,
        "chunk_id": NAMES,
        "metadata": st.dictionaries(NAMES, JSON, max_size=2),
    },
).flatmap(
    lambda fields: st.one_of(
        st.builds(
            lambda task, label: {**fields, "task_type": task, "label": label},
            st.sampled_from(["retrieval", "grounding", "relevance"]),
            st.booleans() | st.sampled_from(["yes", "no", "1", "0", "TRUE"]),
        ),
        st.builds(
            lambda name, label: {**fields, "criterion": name, "label": label},
            NAMES,
            NAMES | st.integers(-5, 5) | st.booleans(),
        ),
    )
)
SCORES = st.fixed_dictionaries(
    {
        "id": NAMES,
        "metric_family": NAMES | st.sampled_from(["grounding"]),
        "score": st.floats(0, 1) | st.sampled_from([0, 1, "0.5"]),
        "method": NAMES,
    },
    optional={"verifier": NAMES, "reason": CELL, "metadata": st.dictionaries(NAMES, JSON)},
)
ROWS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "pairs": PAIRS,
    "annotations": LABELS,
    "scores": SCORES,
}


def read(format_id: str, raw: bytes, name: str) -> list[AcceptedRecord]:
    found = FORMATS[format_id].read(Bundle(name, raw))
    return [record for record in found if isinstance(record, AcceptedRecord)]


def outcome(format_id: str, raw: bytes, name: str) -> object:
    try:
        return list(FORMATS[format_id].read(Bundle(name, raw)))
    except Rejected as refused:
        return refused.message


@pytest.mark.parametrize("format_id", list(ROWS))
@given(data=st.data())
@settings(max_examples=80)
def test_what_is_written_is_read_as_the_same_records(format_id: str, data: st.DataObject) -> None:
    given_rows = data.draw(st.lists(ROWS[format_id], min_size=1, max_size=4))
    try:
        kept = read(format_id, lines_of(*given_rows), "first.jsonl")
    except Rejected:
        return

    written = b"".join(FORMATS[format_id].write(HEADER, [one.payload for one in kept]))

    again = read(format_id, written, "again.csv") if kept else []
    assert [(one.record_id, one.sha256) for one in again] == [
        (one.record_id, one.sha256) for one in kept
    ]


@given(given_rows=st.lists(PAIRS, min_size=1, max_size=4))
@settings(max_examples=80)
def test_pairs_written_as_lines_are_the_same_pairs(given_rows: list[dict[str, Any]]) -> None:
    try:
        kept = read("pairs", lines_of(*given_rows), "first.jsonl")
    except Rejected:
        return

    written = b"".join(writing.write_lines(HEADER, [one.payload for one in kept]))

    again = read("pairs", written, "again.jsonl") if kept else []
    assert [one.sha256 for one in again] == [one.sha256 for one in kept]


@pytest.mark.parametrize("format_id", list(ROWS))
@given(raw=st.binary(max_size=200), ending=st.sampled_from([".csv", ".jsonl", ".json"]))
def test_any_bytes_get_an_answer(format_id: str, raw: bytes, ending: str) -> None:
    assert outcome(format_id, raw, f"any{ending}") is not None


@pytest.mark.parametrize(
    ("format_id", "path"),
    [
        ("pairs", "rag/mtrag_pairs.csv"),
        ("pairs", "rag/expertqa_pairs.csv"),
        ("annotations", "rag/mtrag_labels.csv"),
        ("annotations", "annotators/ambient_linguists.csv"),
        ("scores", "rag/mtrag_judge_scores.csv"),
    ],
)
@pytest.mark.parametrize("seed", range(12))
def test_damaged_real_files_get_an_answer(format_id: str, path: str, seed: int) -> None:
    file = SHARED / "data" / path
    if not file.is_file():
        pytest.skip(f"{file.name} is not here: set EVALHUB_SHARED to the shared folder")
    chance = random.Random(seed)
    raw = bytearray(file.read_bytes()[:60_000])

    for _ in range(20):
        at = chance.randrange(len(raw))
        raw[at : at + chance.randrange(1, 9)] = chance.choice(
            [b'"', b"\n", b",", b"\r", b"\0", b"[", b"'=", b"", b"\xff", b"\xc3\xa9"]
        )

    assert outcome(format_id, bytes(raw), file.name) is not None
