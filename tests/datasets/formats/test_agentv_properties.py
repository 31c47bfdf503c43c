"""agentv: whatever the rows, what is written reads as the same records again."""

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.datasets.contracts import AcceptedRecord, Header, Rejected, Unfit
from apps.datasets.formats.agentv import result_scores, sidecar
from apps.datasets.formats.yaml_text import load_yaml
from apps.datasets.uploading.bundles import Bundle
from tests.datasets.agentv import FORMAT, accepted, case, lines, opened
from tests.datasets.contract_v1 import record

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
NAME = st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=8)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(2**62, 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
PARTS = st.lists(
    st.builds(lambda kind, value: {"type": kind, "value": value}, st.sampled_from(["text"]), TEXT)
    | st.just({"type": "file", "value": "notes.txt"})
    | st.just({"type": "file", "value": "x.instructions.md"})
    | st.just({"type": "file", "value": "missing.txt"}),
    max_size=3,
)
MESSAGES = st.lists(
    st.builds(
        lambda role, content: {"role": role, "content": content},
        st.sampled_from(["system", "user", "assistant", "tool"]),
        TEXT | PARTS | st.dictionaries(TEXT, JSON, max_size=2),
    ),
    min_size=1,
    max_size=3,
)
GRADERS = st.lists(
    TEXT
    | st.builds(
        lambda kind, rest: {**rest, "type": kind},
        st.sampled_from(["contains", "llm_judge", "script", "not-equals", "composite", "odd"]),
        st.dictionaries(TEXT, JSON, max_size=3),
    ),
    max_size=3,
)
EXTRA = st.fixed_dictionaries(
    {},
    optional={
        "conversation_id": TEXT,
        "assertions": GRADERS,
        "assert": GRADERS,
        "rubrics": st.lists(TEXT | st.dictionaries(TEXT, JSON, max_size=2), max_size=2),
        "execution": st.dictionaries(NAME, JSON, max_size=2),
        "metadata": st.dictionaries(TEXT, JSON, max_size=2),
        "vars": st.dictionaries(NAME, JSON, max_size=3),
        "expected_output": JSON,
        "note": JSON,
    },
)
IDS = st.sampled_from(["a", "b", "c", "a#2"])
FIRST = st.builds(
    lambda i, goal, said, more: {"id": i, "expected_outcome": goal, "input_messages": said, **more},
    IDS,
    TEXT,
    MESSAGES,
    EXTRA,
)
THIRD = st.builds(
    lambda i, goal, said, more: {"id": i, "criteria": goal, "input": said, **more},
    IDS,
    TEXT,
    MESSAGES | TEXT | st.dictionaries(TEXT, JSON, max_size=2),
    EXTRA,
)
FIFTH = st.builds(
    lambda i, known, graders: {"id": i, "vars": known, "assert": graders},
    IDS,
    st.fixed_dictionaries({"input": TEXT | MESSAGES}, optional={"name": TEXT}),
    GRADERS,
)
ROWS = st.lists(FIRST | THIRD | FIFTH, min_size=1, max_size=5)
SUITES = st.fixed_dictionaries(
    {},
    optional={
        "name": TEXT,
        "dataset": TEXT,
        "description": TEXT,
        "evaluator": TEXT | JSON,
        "execution": st.dictionaries(NAME, JSON, max_size=2),
        "assertions": GRADERS,
        "prompts": st.sampled_from([["{{ input }}"], ["One {{input}}", "Two {{name}}"]]),
        "input": MESSAGES,
        "tags": JSON,
    },
)
RESULTS = st.lists(
    st.builds(
        lambda i, score, more: {"test_id": i, "score": score, **more},
        IDS,
        st.floats(0, 1),
        st.fixed_dictionaries(
            {},
            optional={
                "output": TEXT | MESSAGES | JSON,
                "input": TEXT | MESSAGES | JSON,
                "scores": JSON,
                "assertions": JSON,
                "hits": JSON,
                "misses": JSON,
                "reasoning": JSON,
                "error": JSON,
                "target": JSON,
                "component_results": JSON,
            },
        ),
    ),
    min_size=1,
    max_size=4,
)
KEYS = (
    *("id", "input", "criteria", "vars", "assert", "input_messages", "expected_outcome", "prompt"),
    *("execution", "rubrics", "evaluators", "files", "turns", "expected_messages", "input_files"),
    *("score", "test_id", "expected_output", "conversation_id", "metadata", "assertions"),
)
FILES = {"notes.txt": b"Notes.", "x.instructions.md": b"Say please."}


def spelled(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False).encode()


def same(found: list[AcceptedRecord]) -> list[tuple[str, str, str]]:
    return [(one.record_id, one.sha256, one.input_sha256) for one in found]


def read(raw: bytes, name: str, files: Mapping[str, bytes]) -> tuple[Header, list[AcceptedRecord]]:
    document = opened(raw, name, files)
    return document.header, [one for one in document if isinstance(one, AcceptedRecord)]


def again(header: Header, found: list[AcceptedRecord]) -> list[AcceptedRecord]:
    written = b"".join(FORMAT.write(header, [one.payload for one in found]))
    files = {**FILES, "export.yaml": sidecar(header).encode()}
    return accepted(written, "export.jsonl", files)


@given(ROWS, SUITES)
def test_cases_with_a_sidecar_read_as_the_same_again(
    rows: list[dict[str, Any]], suite: dict[str, Any]
) -> None:
    files = {**FILES, "dataset.yaml": _json_yaml(suite)}
    header, found = read(b"".join(spelled(row) + b"\n" for row in rows), "dataset.jsonl", files)

    if found:
        assert same(again(header, found)) == same(found)


@given(ROWS, SUITES)
def test_cases_of_a_yaml_suite_read_as_the_same_again(
    rows: list[dict[str, Any]], suite: dict[str, Any]
) -> None:
    header, found = read(_json_yaml({**suite, "tests": rows}), "suite.yaml", FILES)

    if found:
        assert same(again(header, found)) == same(found)


@given(st.lists(st.tuples(NAME, TEXT, TEXT), min_size=1, max_size=4))
def test_cases_of_a_table_read_as_the_same_again(rows: list[tuple[str, str, str]]) -> None:
    quoted = (",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)
    raw = "\n".join(["id,vars.input,__expected", *quoted]).encode()

    header, found = read(raw, "cases.csv", FILES)

    if found:
        assert same(again(header, found)) == same(found)


@given(RESULTS)
def test_results_read_as_the_same_again_and_have_scores(rows: list[dict[str, Any]]) -> None:
    header, found = read(b"".join(spelled(row) + b"\n" for row in rows), "index.jsonl", FILES)

    written = b"".join(FORMAT.write(header, [one.payload for one in found]))

    if found:
        assert same(accepted(written, "index.jsonl")) == same(found)
    for one in found:
        assert all(0 <= each.value <= 1 for each in result_scores(json.loads(one.payload)))


@given(st.lists(JSON | st.dictionaries(st.sampled_from(KEYS), JSON), max_size=4))
def test_any_rows_end_in_records_or_a_refusal(rows: list[Any]) -> None:
    with suppress(Rejected):
        list(opened(b"".join(spelled(row) + b"\n" for row in rows), "dataset.jsonl", FILES))
    with suppress(Rejected):
        list(opened(_json_yaml({"tests": rows, "prompts": rows}), "suite.yaml", FILES))
    with suppress(Rejected):
        list(opened(_json_yaml({"evals": rows}), "evals.json", FILES))


@given(st.binary(max_size=200), st.sampled_from(["a.jsonl", "a.yaml", "a.csv", "a.json"]))
def test_any_bytes_end_in_records_or_a_refusal(raw: bytes, name: str) -> None:
    with suppress(Rejected):
        list(opened(raw, name))


@given(SUITES)
def test_a_sidecar_says_what_the_suite_said(suite: dict[str, Any]) -> None:
    header = Header(dataset_id="d", metadata={"suite": suite})

    assert (load_yaml(sidecar(header)) or {"name": "d"}) == (suite or {"name": "d"})


def test_the_template_obeys_the_schema() -> None:
    schema = FORMAT.json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)

    for line in FORMAT.template.splitlines():
        jsonschema.validate(json.loads(line), schema)


def test_a_record_of_another_format_is_written_when_it_has_a_reference() -> None:
    said = record("q1", "Why?", reference={"answer": "Because."})

    written = b"".join(FORMAT.write(Header(dataset_id="d"), [spelled(said)]))

    assert json.loads(written) == {
        "id": "q1",
        "input": [{"role": "user", "content": "Why?"}],
        "expected_output": "Because.",
        "metadata": {"prompt": said},
    }
    assert len(accepted(written)) == 1


def test_a_record_of_another_format_without_one_does_not_fit() -> None:
    with pytest.raises(Unfit, match="q1 names no right answer"):
        list(FORMAT.write(Header(dataset_id="d"), [spelled(record("q1"))]))


def test_numbers_of_any_length_are_kept() -> None:
    raw = lines(case(metadata={"n": 12345678901234567890123, "x": 1.0, "y": 1e22}))
    header, found = read(raw, "dataset.jsonl", FILES)

    written = b"".join(FORMAT.write(header, [one.payload for one in found]))

    assert json.loads(written) == json.loads(raw)
    assert isinstance(Bundle("a", written), Bundle)


def _json_yaml(value: Any) -> bytes:
    """JSON is YAML, but for pairs of surrogates and some line ends, which are spelled out."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(_escaped(char) for char in text).encode()


def _escaped(char: str) -> str:
    return char if char.isascii() and char != "\x7f" else rf"\U{ord(char):08x}"
