"""legal_eval_v1: whatever the bytes, an answer; whatever the rows, none is lost."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.datasets import prompting
from apps.datasets.contracts import AcceptedRecord, Unfit
from tests.datasets.contract_v1 import record as prompt_record
from tests.datasets.legal import (
    FORMAT,
    HEADER,
    MCQ,
    REFERENCE,
    RUBRIC,
    lines,
    outcome,
    read,
    row,
    written,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False)
JSON = st.recursive(
    SCALARS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
TURNS = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "system"]), "content": TEXT}
    ),
    max_size=4,
)
OPTIONAL = {
    "context": st.text(max_size=8),
    "messages": st.none() | TURNS,
    "attachments": st.lists(st.fixed_dictionaries({"path": TEXT}), max_size=2),
    "metadata": st.dictionaries(st.text(max_size=8), JSON, max_size=3),
    "another": JSON,
}
FIELDS = st.fixed_dictionaries({"id": TEXT, "prompt": TEXT}, optional=OPTIONAL)
FINE = st.builds(
    lambda kind, fields: row(kind, **fields), st.sampled_from([MCQ, REFERENCE, RUBRIC]), FIELDS
)
BENT = st.builds(
    lambda value, key, new: {**value, key: new},
    FINE,
    st.sampled_from(["id", "task_type", *OPTIONAL, "rubric", "choices", "correct_choice_ids"]),
    JSON,
)
WILD = st.text(st.characters(exclude_categories=[]))
FILES = {"a.txt": b"told", "b/c.txt": b"\xff"}


def _accepted(raw: bytes) -> list[AcceptedRecord]:
    return [one for one in read(raw, FILES) if isinstance(one, AcceptedRecord)]


@given(st.lists(FINE | BENT, max_size=6))
@settings(deadline=None, max_examples=150)
def test_what_is_written_reads_again_as_the_same_records(rows: list[Any]) -> None:
    found = _accepted(lines(*rows))

    again = _accepted(written(found))

    assert [one.record_id for one in again] == [one.record_id for one in found]
    assert [one.sha256 for one in again] == [one.sha256 for one in found]


@given(st.lists(FINE, min_size=1, max_size=4))
@settings(deadline=None, max_examples=100)
def test_every_accepted_row_can_be_asked_and_judged(rows: list[Any]) -> None:
    for one in _accepted(lines(*rows)):
        payload = json.loads(one.payload)

        assert prompting.messages(payload)
        assert any(message.role == "user" for message in prompting.messages(payload))
        assert prompting.legal.judging_of(payload).mode in ("rubric", "reference", "mcq")
        prompting.reference_of(payload)
        prompting.answer_of(payload)


@given(st.binary(max_size=300) | WILD.map(lambda text: text.encode("utf-8", "surrogatepass")))
@settings(deadline=None, max_examples=200)
def test_any_bytes_are_answered(raw: bytes) -> None:
    assert outcome(raw) != ""


@given(st.lists(st.dictionaries(WILD, WILD | JSON, max_size=4) | FINE, max_size=4))
@settings(deadline=None, max_examples=100)
def test_texts_that_cannot_be_stored_are_rejected_with_their_row(rows: list[Any]) -> None:
    for one in read(lines(*rows)):
        texts = [] if isinstance(one, AcceptedRecord) else [issue.message for issue in one.issues]
        assert all(text.encode() for text in texts)


def test_a_record_of_another_format_is_not_written() -> None:
    stored = json.dumps(prompt_record()).encode()

    with pytest.raises(Unfit, match="Record q1 is none of legal_eval_v1"):
        list(FORMAT.write(HEADER, [stored]))
