"""What is read, written and read again stays the same; broken files only ever end in an answer."""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.datasets.contracts import AcceptedRecord, Header, Rejected
from tests.datasets.formats.test_contract_v1_real import SHARED
from tests.datasets.scenario_files import (
    SCENARIOS,
    TRACE,
    as_export,
    as_lines,
    event,
    export,
    kept,
    log,
    read,
    run,
    scenario,
    session,
)

words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(str.strip)
names = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn", "Z"]),
    min_size=1,
    max_size=20,
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=6,
)
rules = st.fixed_dictionaries(
    {"type": words, "expected": values, "blocking": st.booleans()}
).filter(lambda rule: rule["type"] not in KNOWN)
KNOWN = ("status_equals", "max_tool_calls")


@st.composite
def scenarios(draw: st.DrawFn) -> dict[str, Any]:
    row = scenario(
        scenario_id=draw(names),
        labels=draw(st.lists(words, max_size=3)),
        user_inputs=draw(st.lists(words, min_size=1, max_size=3)),
        risk_class=draw(words),
        grading_rules=draw(st.lists(rules, max_size=2)),
    )
    further = draw(st.dictionaries(words.map(lambda word: f"x-{word}"), values, max_size=3))
    return {**further, **row}


@settings(max_examples=60)
@given(st.lists(scenarios(), min_size=1, max_size=4, unique_by=lambda row: row["scenario_id"]))
def test_scenarios_read_written_and_read_again_are_the_same(rows: list[dict[str, Any]]) -> None:
    records = kept(as_lines(*rows))

    again = kept(
        b"".join(SCENARIOS.write(Header(dataset_id="x"), [record.payload for record in records]))
    )

    assert [(one.record_id, one.sha256) for one in again] == [
        (one.record_id, one.sha256) for one in records
    ]
    assert [list(orjson.loads(one.payload)["row"]) for one in again] == [list(row) for row in rows]


@settings(max_examples=40)
@given(st.lists(words, min_size=1, max_size=4), st.dictionaries(names, values, max_size=3))
def test_an_export_is_written_back_byte_for_byte(said: list[str], around: dict[str, Any]) -> None:
    runs = [run(number, output_text=text) for number, text in enumerate(said)]
    raw = as_export({**export(session(*runs)), **{f"x-{key}": around[key] for key in around}})
    if b"\\u0000" in raw:
        return
    document, records = read(SCENARIOS, raw, "export.json")
    payloads = [record.payload for record in records if isinstance(record, AcceptedRecord)]

    written = b"".join(SCENARIOS.write(document.header, payloads))

    assert json.loads(written) == json.loads(raw)
    if orjson.loads(raw) == json.loads(raw):  # numbers that no float changes
        assert written == raw


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "c"]), words, st.dictionaries(names, words, max_size=3)
        ),
        min_size=1,
        max_size=8,
    ),
    st.lists(words, min_size=1, max_size=3),
)
def test_traces_read_written_and_read_again_are_the_same(
    events: list[tuple[str, str, dict[str, str]]], said: list[str]
) -> None:
    lines = [event(kind, trace_id, payload=payload) for trace_id, kind, payload in events]
    chat = log(messages=[{"role": "user", "content": text} for text in said])
    records = kept(as_lines(*lines, chat), dialect=TRACE)

    written = b"".join(TRACE.write(Header(dataset_id="x"), [one.payload for one in records]))

    again = kept(written, dialect=TRACE)
    assert {(one.record_id, one.sha256) for one in again} == {
        (one.record_id, one.sha256) for one in records
    }


FILES = {
    "scenarios": as_lines(scenario(1), scenario(2)),
    "export": as_export(export(session(run(1), run(2)))),
    "trace": as_lines(event(), event("span"), log()),
}
REAL = [
    ("data/agent/tau_airline_scenarios.jsonl", SCENARIOS),
    ("data/agent/tau_airline_traces.jsonl", TRACE),
    ("conformance/agent_runtime_ref/eval-dataset.json", SCENARIOS),
    ("conformance/agent_runtime_ref/trace-demo.jsonl", TRACE),
]
MUTATIONS = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.sampled_from(
            [b"", b"\x00", b"\xff", b"{", b"]", b'"', b"\\", b"\n", b"NaN", b"[[", b"5"]
        ),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=4,
)


def mutated(raw: bytes, changes: list[tuple[float, bytes, int]]) -> bytes:
    for place, text, dropped in changes:
        at = int(place * len(raw))
        raw = raw[:at] + text + raw[at + dropped :]
    return raw


def ends_in_an_answer(dialect: Any, raw: bytes, name: str) -> None:
    try:
        read(dialect, raw, name)
    except Rejected:
        return


@settings(max_examples=150)
@given(st.sampled_from(sorted(FILES)), MUTATIONS)
def test_a_broken_file_is_never_a_surprise(
    kind: str, changes: list[tuple[float, bytes, int]]
) -> None:
    raw = mutated(FILES[kind], changes)

    for dialect in (SCENARIOS, TRACE):
        for name in ("file.json", "file.jsonl", "file.yaml"):
            ends_in_an_answer(dialect, raw, name)


@settings(max_examples=200)
@given(values)
def test_any_json_at_all_is_never_a_surprise(value: Any) -> None:
    raw = json.dumps(value).encode()

    for dialect in (SCENARIOS, TRACE):
        for name in ("file.json", "file.jsonl", "file.yaml"):
            ends_in_an_answer(dialect, raw, name)


FURTHER = (
    "scenarios sessions messages eval_specs grading_rules verifier_outputs role content tool_calls"
)
FIELDS = st.sampled_from([*scenario(), *run(), *session(), *event(), *FURTHER.split()])
SHAPES = st.recursive(
    values,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS, inner, max_size=5),
    max_leaves=12,
)


@settings(max_examples=300)
@given(st.dictionaries(FIELDS, SHAPES, max_size=6))
def test_any_value_in_any_field_is_never_a_surprise(row: dict[str, Any]) -> None:
    files = [
        as_lines(scenario(**row)),
        json.dumps({"sessions": [session() | row], **row}).encode(),
        json.dumps(
            {"session_count": 1, "sessions": [session() | {"runs": [run() | row]}]}
        ).encode(),
        json.dumps({"session_count": 1, "sessions": [session() | {"eval": row}]}).encode(),
    ]

    for raw in files:
        ends_in_an_answer(SCENARIOS, raw, "file.json")
    for line in (event(**row), log(**row), row):
        ends_in_an_answer(TRACE, as_lines(line), "file.jsonl")


@pytest.mark.parametrize(("path", "dialect"), REAL, ids=[path for path, _ in REAL])
@settings(max_examples=15)
@given(changes=MUTATIONS)
def test_a_real_file_with_mistakes_is_never_a_surprise(
    path: str, dialect: Any, changes: list[tuple[float, bytes, int]]
) -> None:
    file = SHARED / path
    if not file.is_file():
        pytest.skip(f"{Path(path).name} is not here: set EVALHUB_SHARED to the shared folder")
    raw = mutated(file.read_bytes()[:200_000], changes)

    ends_in_an_answer(dialect, raw, Path(path).name)
