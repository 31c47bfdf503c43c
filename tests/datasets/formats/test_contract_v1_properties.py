"""Dataset Contract v1: whatever the bytes, an answer; whatever the records, none is lost."""

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.datasets.contracts import AcceptedRecord, Rejected
from tests.datasets.contract_v1 import FORMAT, HEADER, accepted, opened, read, record

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(2**62, 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
)
WILD_TEXT = st.text(st.characters(exclude_categories=[]))
"""With unpaired surrogates."""


def values(text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    return st.recursive(
        SCALARS | text,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
        max_leaves=12,
    )


JSON = values(st.text())
FINE = st.builds(
    record,
    record_id=st.text(min_size=1, max_size=6),
    prompt=st.text(min_size=1),
    tags=st.lists(st.text(min_size=1, max_size=20), max_size=3),
    reference=st.dictionaries(st.text(), JSON, max_size=3),
    metadata=st.dictionaries(st.text(), JSON, max_size=3),
)
FIELD = st.sampled_from(["record_id", "input", "reference", "tags", "expected", "metadata", "x"])
BENT = st.builds(lambda value, key, new: {**value, key: new}, FINE, FIELD, JSON)
RECORDS = st.lists(FINE | BENT | JSON, min_size=1, max_size=8)
WILD = st.builds(lambda value, new: {**value, "input": new}, FINE, values(WILD_TEXT))
WILD_RECORDS = st.lists(FINE | WILD | values(WILD_TEXT), min_size=1, max_size=8)
DUMPED = st.fixed_dictionaries(
    {
        "ensure_ascii": st.booleans(),
        "indent": st.sampled_from([None, 0, 3]),
        "separators": st.sampled_from([(",", ":"), (" , ", " : ")]),
        "sort_keys": st.booleans(),
    }
)


def spelled(records: list[Any], how: dict[str, Any]) -> bytes:
    text = json.dumps({**HEADER, "records": records}, **how)
    return text.encode("utf-8", "surrogatepass")


def outcome(raw: bytes) -> Any:
    try:
        return read(raw)
    except Rejected as refused:
        return refused.message


@given(st.binary(max_size=200))
@settings(deadline=None)
def test_any_bytes_get_an_answer(raw: bytes) -> None:
    assert isinstance(outcome(raw), str)


@given(WILD_RECORDS, DUMPED, st.data())
@settings(deadline=None)
def test_any_damage_to_a_document_gets_an_answer(
    records: list[Any], how: dict[str, Any], data: st.DataObject
) -> None:
    raw = spelled(records, how)
    at = data.draw(st.integers(0, len(raw)))
    gap = data.draw(st.integers(0, 5))

    damaged = raw[:at] + data.draw(st.binary(max_size=5)) + raw[at + gap :]

    assert outcome(damaged) == outcome(damaged)


@given(WILD_RECORDS, DUMPED)
@settings(deadline=None)
def test_no_record_is_lost_and_reading_twice_gives_the_same(
    records: list[Any], how: dict[str, Any]
) -> None:
    raw = spelled(records, how)

    found = outcome(raw)

    assert found == outcome(raw)
    if not isinstance(found, str):
        assert [one.index for one in found] == list(range(len(records)))
        assert all(isinstance(one, AcceptedRecord) or one.issues for one in found)


@given(RECORDS, DUMPED, DUMPED)
@settings(deadline=None)
def test_how_a_document_is_spelled_decides_nothing(
    records: list[Any], one_way: dict[str, Any], other_way: dict[str, Any]
) -> None:
    first = outcome(spelled(records, one_way))
    second = outcome(spelled(records, other_way))

    assert _decided(first) == _decided(second)


@given(RECORDS, DUMPED)
@settings(deadline=None)
def test_an_accepted_payload_is_the_value_and_its_own_canonical_form(
    records: list[Any], how: dict[str, Any]
) -> None:
    found = outcome(spelled(records, how))

    for one in [] if isinstance(found, str) else found:
        if isinstance(one, AcceptedRecord):
            again = json.loads(one.payload)
            assert again["record_id"] == one.record_id
            assert outcome(spelled([again], {}))[0].sha256 == one.sha256


@given(st.lists(FINE, min_size=1, max_size=8), DUMPED)
@settings(deadline=None)
def test_what_is_written_is_read_back_with_the_same_hashes(
    records: list[Any], how: dict[str, Any]
) -> None:
    raw = spelled(records, how)
    found = outcome(raw)
    kept = [] if isinstance(found, str) else accepted(raw)
    if not kept:
        return

    written = b"".join(FORMAT.write(opened(raw).header, [one.payload for one in kept]))

    assert [one.sha256 for one in accepted(written)] == [one.sha256 for one in kept]


def _decided(found: Any) -> Any:
    if isinstance(found, str):
        return found.partition(", in the value")[0].partition(" in the value")[0]
    return [
        (one.index, one.sha256, one.input_sha256, one.facets)
        if isinstance(one, AcceptedRecord)
        else (one.index, one.record_id, one.issue_count, {issue.path for issue in one.issues})
        for one in found
    ]
