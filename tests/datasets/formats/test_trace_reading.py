"""Traces: the envelope 1.0 with the runtime's sentences, plain logs, and one record a trace."""

from typing import Any

import orjson
import pytest

from apps.artifacts.canonical import canonical, sha256_hex
from apps.datasets.contracts import Rejected
from apps.datasets.formats.trace.opening import open_trace
from tests.datasets.scenario_files import (
    TRACE,
    as_lines,
    event,
    issues,
    kept,
    log,
    messages,
    read,
    warnings,
    without,
)

SENTENCES: list[tuple[Any, str]] = [
    (5, "Telemetry event must be a mapping"),
    (without(event(), "event_type"), "Telemetry event is missing required field: event_type"),
    (without(event(), "trace_id"), "Telemetry event is missing required field: trace_id"),
    (event(event_type=5), "Telemetry event field must be a string: event_type"),
    (event(" "), "Telemetry event field must not be empty: event_type"),
    (event(schema_version=1.0), "Telemetry event field must be a string: schema_version"),
    (event(schema_version=""), "Telemetry event field must not be empty: schema_version"),
    (event(schema_version="2.0"), "Telemetry schema version is not supported: 2.0"),
    (event(payload=[]), "Telemetry event payload must be a mapping"),
    (event(payload={" ": "a"}), "Telemetry event payload key must not be empty"),
    (event(payload={"a": "1", "a ": "2"}), "Telemetry event payload keys must be unique"),
    (event(payload={"n": 5}), "Telemetry event payload value must be a string: n"),
    (event(redacted_fields="a"), "Telemetry event redacted_fields must be a list"),
    (event(redacted_fields=[1]), "Telemetry event redacted_fields entries must be strings"),
    (event(redacted_fields=[" "]), "Telemetry redact field must not be empty"),
]


def notes(*rows: Any) -> list[str]:
    return [note.message for note in warnings(as_lines(*rows), dialect=TRACE)]


@pytest.mark.parametrize(("line", "sentence"), SENTENCES, ids=[each for _, each in SENTENCES])
def test_the_runtimes_own_sentences_tell_of_its_mistakes(line: Any, sentence: str) -> None:
    assert messages(as_lines(line), dialect=TRACE) == [sentence]


def test_a_line_that_is_no_json_is_told_with_its_number() -> None:
    raw = as_lines(event()) + b"\n{oops\n"

    issue = issues(raw, dialect=TRACE)[0]

    assert (issue.line, issue.message) == (3, "Telemetry event line is not valid JSON: 3")


def test_what_an_envelope_may_leave_out_is_left_out() -> None:
    record = kept(as_lines({"event_type": "run_start", "trace_id": "t"}), dialect=TRACE)[0]

    facts, steps = open_trace(record.payload)

    assert [step.kind for step in steps] == ["run_start"]
    assert facts.schema_version == "1.0"


def test_events_that_stand_apart_are_one_trace_in_their_order() -> None:
    lines = [event(), event(trace_id="t-2"), event("span"), event("span", "t-2"), event("span")]

    records = kept(as_lines(*lines), dialect=TRACE)

    assert [record.record_id for record in records] == ["t-1", "t-2"]
    assert [step.kind for step in open_trace(records[0].payload).steps] == [
        "run_start",
        "span",
        "span",
    ]


def test_a_long_trace_is_hashed_as_its_canonical_json() -> None:
    record = kept(as_lines(event(), event("span", payload={"b": "ü", "a": "\n"})), dialect=TRACE)[0]

    payload = orjson.loads(record.payload)

    assert record.sha256 == sha256_hex(canonical(payload))
    assert payload["row"]["events"][1]["payload"] == {"b": "ü", "a": "\n"}


def test_the_facts_of_a_run_come_from_its_events() -> None:
    ended = event("run_complete", payload={"status": "waiting_for_approval"})
    record = kept(as_lines(event(), event("run_failed"), ended), dialect=TRACE)[0]

    facts, steps = open_trace(record.payload)

    assert facts.status == ""
    assert [step.kind for step in steps][1:] == ["run_failed", "run_complete"]
    assert (facts.session_id, facts.status) == ("s-1", "waiting_for_approval")


def test_one_bad_event_rejects_its_trace_and_no_other() -> None:
    raw = as_lines(event(), event("span", payload={"n": 1}), event(trace_id="t-2"), event("span"))

    document, records = read(TRACE, raw)

    assert [record.record_id for record in records] == ["t-1", "t-2"]
    assert [issue.line for issue in issues(raw, dialect=TRACE)] == [2]
    assert list(document.warnings) == []


def test_what_is_not_in_the_catalog_is_kept_and_told() -> None:
    assert notes(event(), event("tea_break"), event("tea_break")) == [
        "The event type tea_break is not in the catalog: it is kept as it is."
    ]


def test_a_redacted_field_that_is_not_there_is_told() -> None:
    assert notes(event(redacted_fields=["input"])) == [
        "Telemetry redact field is not present in events: input"
    ]


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([event("span")], "Trace file does not contain a run_start event"),
        ([event(), event()], "Trace file contains multiple run_start events"),
    ],
)
def test_a_run_that_does_not_start_once_is_told(lines: list[dict[str, Any]], sentence: str) -> None:
    assert notes(*lines) == [sentence]


def test_what_an_event_has_beside_its_envelope_is_kept() -> None:
    record = kept(as_lines(event(event_ts="2026-01-15T10:00:00Z")), dialect=TRACE)[0]

    step = next(open_trace(record.payload).steps)

    assert step.more == '{"event_ts":"2026-01-15T10:00:00Z"}'


# -- logs -----------------------------------------------------------------------------------


def test_a_log_is_one_trace_with_a_step_a_message() -> None:
    row = log(scenario_id="refund", reward=1.0)

    record = kept(as_lines(row), dialect=TRACE)[0]
    facts, steps = open_trace(record.payload)

    assert (record.record_id, record.head, record.group) == ("chat-1", "Hello.", "refund")
    assert [step.kind for step in steps] == ["user", "assistant"]
    assert (facts.scenario_id, facts.status) == ("refund", "success")
    assert orjson.loads(facts.about)["reward"] == 1.0


def test_a_log_without_a_trace_id_is_named_by_scenario_and_trial() -> None:
    row = without(log(scenario_id="refund", trial=2), "trace_id")

    assert kept(as_lines(row), dialect=TRACE)[0].record_id == "refund_trial2"


LOG_MISTAKES: list[tuple[dict[str, Any], list[str]]] = [
    (
        without(log(), "trace_id"),
        ["The log names no run: give it a trace_id, or a scenario_id and a trial."],
    ),
    (log(status=5, trial="1"), ["status must be a text.", "trial must be a whole number."]),
    (log(tool_calls={}), ["tool_calls must be a list."]),
    (log(reward_info=[]), ["reward_info must be an object."]),
    (log(messages={}), ["messages must be a list of at least one message."]),
    (log(messages=[5]), ["messages[0] must be an object."]),
    (
        log(messages=[{"role": 1, "content": 5, "tool_calls": ["a"]}]),
        [
            "messages[0].role must be a text.",
            "messages[0].content must be a text, a list of parts or null.",
            "messages[0].tool_calls must be a list of objects.",
        ],
    ),
]


@pytest.mark.parametrize(("row", "expected"), LOG_MISTAKES)
def test_every_mistake_of_a_log_is_told(row: dict[str, Any], expected: list[str]) -> None:
    assert messages(as_lines(row), dialect=TRACE) == expected


def test_a_trace_may_come_once() -> None:
    assert (
        messages(as_lines(log(), log(), event(trace_id="chat-1")), dialect=TRACE)
        == ["The trace chat-1 is that of line 1 already."] * 2
    )


@pytest.mark.parametrize(
    ("raw", "words"),
    [(b"[{}]", "lines of JSON"), (b"\n\n", "no traces"), ("{}".encode("utf-16"), "UTF-16")],
)
def test_what_holds_no_traces_is_refused(raw: bytes, words: str) -> None:
    with pytest.raises(Rejected, match=words):
        read(TRACE, raw)
