"""The export of an agent runtime: read, counted again, and written back byte for byte."""

from typing import Any

import orjson
import pytest

from apps.datasets import prompting
from apps.datasets.contracts import AcceptedRecord, Header, Rejected, Unfit
from tests.datasets.scenario_files import (
    SCENARIOS,
    as_export,
    as_lines,
    export,
    issues,
    kept,
    messages,
    read,
    run,
    scenario,
    session,
    warnings,
    without,
)

NAME = "eval-dataset.json"
FAILED = run(
    2,
    status="failed",
    failure_reason="tool_timeout",
    approval_id="",
    capability_session_status="failed",
    output_text="Stopped: tool_timeout.",
)
GUARDED = {"scenario": "drill", "labels": ["duplicate_ticket_eval_passed"], "expected_outcomes": {}}


def whole() -> dict[str, Any]:
    return export(session(run(1), FAILED), session(run(3), name="session-2", eval=GUARDED))


def written(raw: bytes) -> bytes:
    document, records = read(SCENARIOS, raw, NAME)
    payloads = [record.payload for record in records if isinstance(record, AcceptedRecord)]
    return b"".join(SCENARIOS.write(document.header, payloads))


def test_an_export_that_adds_up_is_written_back_byte_for_byte() -> None:
    raw = as_export(whole())

    document, records = read(SCENARIOS, raw, NAME)

    assert document.warnings == []
    assert [record.record_id for record in records] == ["session-1", "session-2"]
    assert written(raw) == raw


@pytest.mark.parametrize(
    "changes",
    [
        {"further": {"b": 1, "a": [1.5, None, "é\U0001f600"]}},
        {"approval_status_counts": {"pending": 1, "approved": 1}},
        {"dataset_name": "\u2028 name"},
    ],
)
def test_whatever_else_stands_there_comes_back_where_it_stood(changes: dict[str, Any]) -> None:
    document = {**changes, **whole(), **changes, "after": True}
    raw = as_export(document)

    assert written(raw) == raw


def test_the_head_survives_a_database_that_sorts_its_keys() -> None:
    raw = as_export({"zeta": 1, **whole(), "alpha": {"b": 1, "a": 2}})
    document, _ = read(SCENARIOS, raw, NAME)
    shuffled = orjson.loads(orjson.dumps(document.header.metadata, option=orjson.OPT_SORT_KEYS))
    payloads = [record.payload for record in kept(raw, NAME)]

    again = SCENARIOS.write(Header(dataset_id="x", metadata=shuffled), payloads)

    assert b"".join(again) == raw


def test_runs_of_every_shape_are_taken() -> None:
    older = run(1)
    stored = run(2, subagent_count="", token_budget="")
    newest = run(3, user_input="[REDACTED]", input_sha256="ab", task_success=None)

    raw = as_export(export(session(older, stored, newest)))

    assert warnings(raw, NAME) == []
    assert written(raw) == raw


def test_a_session_knows_its_group_its_slices_and_what_was_said() -> None:
    record = kept(as_export(whole()), NAME)[0]
    payload = orjson.loads(record.payload)

    assert record.kind == "session"
    assert record.group == "shop/session-1"
    assert ("label", "ticketing") in record.facets
    assert [message.content for message in prompting.messages(payload)] == ["Open a ticket."] * 2
    assert prompting.answer_of(payload) == (
        "The ticket is waiting for human approval.\n\nStopped: tool_timeout."
    )


def test_a_session_without_runs_still_asks_something() -> None:
    raw = as_export(
        {"dataset_name": "d", "sessions": [without(session(), "summary") | {"runs": []}]}
    )

    payload = orjson.loads(kept(raw, NAME)[0].payload)

    assert prompting.messages(payload)[0].content == "Scenario tickets"
    assert prompting.answer_of(payload) is None


def test_every_number_of_a_session_that_its_runs_do_not_give_is_told() -> None:
    wrong = session(run(1), FAILED)
    wrong["summary"] = {**wrong["summary"], "failed_runs": 0, "trace_ids": ["run-1"]}
    wrong["latest_failure_reason"] = "policy"

    found = warnings(as_export(export(wrong)), NAME)

    assert [(note.code, note.path) for note in found] == [
        ("aggregate_mismatch", "summary.failed_runs"),
        ("aggregate_mismatch", "summary.trace_ids"),
        ("aggregate_mismatch", "latest_failure_reason"),
    ]
    assert found[0].message == "summary.failed_runs says 0, the runs give 1."
    assert found[1].message == 'summary.trace_ids says ["run-1"], the runs give ["run-1", "run-2"].'


def test_every_number_of_the_head_that_the_sessions_do_not_give_is_told() -> None:
    document, _ = read(SCENARIOS, as_export(whole() | {"run_count": 7, "approval_ids": []}), NAME)

    assert document.warnings == [
        "run_count says 7, the runs give 3.",
        'approval_ids says [], the runs give ["apr-1", "apr-3"].',
    ]


def test_the_derivations_are_those_of_the_runtime() -> None:
    head = whole()

    assert head["approval_status_counts"] == {"pending": 2}
    assert head["pending_approval_ids"] == ["apr-1", "apr-3"]
    assert head["latest_failure_reason"] == "tool_timeout"
    assert head["duplicate_ticket_scenarios"] == ["drill"]
    assert head["traceable_failed_runs"] == 1
    assert head["sessions"][0]["summary"]["approval_wait_runs"] == 1


def _spec(**changes: Any) -> bytes:
    return as_export(export() | {"sessions": [session() | changes]})


def _run(**changes: Any) -> bytes:
    return as_export(export() | {"sessions": [session() | {"runs": [run() | changes]}]})


def _about(**changes: Any) -> bytes:
    about = session()["session"] | changes
    return as_export(export() | {"sessions": [session() | {"session": about}]})


SENTENCES = [
    (_spec(eval=[]), "Session eval spec must be a mapping"),
    (_spec(eval={" ": 1}), "Session eval spec key must not be empty"),
    (_spec(eval={"a": 1, " a": 2}), "Session eval spec keys must be unique"),
    (_spec(runs={}), "Session runs must be a sequence"),
    (_spec(runs=["a"]), "Session runs entries must be RunRecord"),
    (_run(trace_id=5), "Session field must be a string: trace_id"),
    (_run(output_text=" "), "Session field is required: output_text"),
    (_run(capability_name=None), "Session field must be a string: capability_name"),
    (_run(status="odd"), "Session status is not supported: odd"),
    (_run(authorization_mode="odd"), "Authorization mode is not supported: odd"),
    (_run(status="failed"), "Session field is required: failure_reason"),
    (
        _run(authorization_mode="user_delegated", delegated_scope="tickets"),
        "Session field is required: delegated_principal_id",
    ),
    (_about(tenant_id=""), "Session field is required: tenant_id"),
    (_about(traces="run-1"), "Session field entries must be a sequence: trace_id"),
    (_about(traces=["a", "a"]), "Session field entries must be unique: trace_id"),
    (
        as_export(export() | {"sessions": [session(), session(run(2))]}),
        "Session field entries must be unique: session_id",
    ),
    (
        as_export(
            export()
            | {
                "sessions": [
                    session(),
                    session(run(2)) | {"session": session()["session"] | {"tenant_id": "b"}},
                ]
            }
        ),
        "Session tenant_id does not match existing session: session-1",
    ),
    (
        as_export(export() | {"sessions": [session(), session(name="session-2")]}),
        "Session trace_id already exists: run-1",
    ),
]


@pytest.mark.parametrize(("raw", "sentence"), SENTENCES, ids=[each for _, each in SENTENCES])
def test_the_runtimes_own_sentences_tell_of_its_mistakes(raw: bytes, sentence: str) -> None:
    assert messages(raw, NAME) == [sentence]


@pytest.mark.parametrize(
    ("specs", "sentence"),
    [
        ([], "Session eval specs must be a mapping"),
        ({"session-1": []}, "Session eval spec must be a mapping"),
        ({"session-1": {"": 1}}, "Session eval spec key must not be empty"),
    ],
)
def test_specs_beside_the_sessions_are_checked_too(specs: Any, sentence: str) -> None:
    with pytest.raises(Rejected, match=sentence):
        read(SCENARIOS, as_export(export(eval_specs=specs)), NAME)


def test_a_spec_of_a_session_that_is_not_there_is_told() -> None:
    document, _ = read(SCENARIOS, as_export(export(eval_specs={"other": {}})), NAME)

    assert document.warnings == ["Session not found: other"]


def test_a_denied_run_needs_no_tenant() -> None:
    denied = session(run(status="denied"))
    about = denied["session"] | {"tenant_id": "", "principal_id": ""}

    assert messages(as_export(export(denied | {"session": about})), NAME) == []


def test_a_mistake_names_where_it_stands() -> None:
    issue = issues(_run(status="odd"), NAME)[0]

    assert (issue.path, issue.record_id, issue.value) == ("runs[0].status", "session-1", '"odd"')
    assert issue.line is not None


def test_scenarios_are_written_as_lines_that_read_the_same() -> None:
    raw = as_lines(scenario(1, extra={"z": 1, "a": 2}), scenario(2, weight=2**70))
    records = kept(raw)

    again = b"".join(SCENARIOS.write(Header(dataset_id="x"), [one.payload for one in records]))

    assert [one.sha256 for one in kept(again)] == [one.sha256 for one in records]
    assert (
        again.splitlines()[0]
        == as_lines(scenario(1, extra={"z": 1, "a": 2}))
        .replace(b": ", b":")
        .replace(b", ", b",")
        .rstrip()
    )


def test_a_record_of_another_kind_is_no_scenario() -> None:
    prompt = orjson.dumps({"record_id": "q", "kind": "pair", "row": {"query": "Why?"}})

    with pytest.raises(Unfit, match="q is a pair"):
        list(SCENARIOS.write(Header(dataset_id="x"), [prompt]))
