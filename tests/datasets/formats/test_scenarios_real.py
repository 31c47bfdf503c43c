"""Real agent runs and a real export, where they are at hand."""

import orjson
import pytest

from apps.datasets.contracts import AcceptedRecord
from apps.datasets.formats import detect
from apps.datasets.formats.trace.opening import open_trace
from apps.datasets.readiness import answers
from tests.datasets.formats.test_contract_v1_real import SHARED
from tests.datasets.scenario_files import SCENARIOS, TRACE, kept, read, warnings

AGENT = SHARED / "data" / "agent"
RUNTIME = SHARED / "conformance" / "agent_runtime_ref"
EXPORT = RUNTIME / "eval-dataset.json"

pytestmark = pytest.mark.skipif(
    not EXPORT.is_file(),
    reason=f"{EXPORT.name} is not here: set EVALHUB_SHARED to the shared folder",
)


def test_every_real_scenario_is_accepted_without_a_word() -> None:
    file = AGENT / "tau_airline_scenarios.jsonl"
    raw = file.read_bytes()

    records = kept(raw, file.name)

    assert detect(file.name, raw[:65_536]).id == "scenarios"  # type: ignore[union-attr]
    assert len(records) == 25
    assert warnings(raw, file.name) == []
    assert read(SCENARIOS, raw, file.name)[0].header.dataset_version == "tau-bench-59a200c"


def test_every_real_run_is_a_trace() -> None:
    file = AGENT / "tau_airline_traces.jsonl"
    raw = file.read_bytes()

    records = kept(raw, file.name, TRACE)
    opened = [open_trace(record.payload) for record in records]

    assert detect(file.name, raw[:65_536]).id == "trace"  # type: ignore[union-attr]
    assert len(records) == 100
    assert sum(len(list(each.steps)) for each in opened) == 2_962
    assert {each.facts.status for each in opened} == {"success", "failed"}
    assert warnings(raw, file.name, TRACE) == []


def test_the_real_export_is_written_back_byte_for_byte() -> None:
    raw = EXPORT.read_bytes()
    document, records = read(SCENARIOS, raw, EXPORT.name)
    payloads = [record.payload for record in records if isinstance(record, AcceptedRecord)]

    written = b"".join(SCENARIOS.write(document.header, payloads))

    assert written == raw
    assert [record.record_id for record in records] == document.header.metadata["session_ids"]


def test_the_real_export_adds_up() -> None:
    raw = EXPORT.read_bytes()

    document, records = read(SCENARIOS, raw, EXPORT.name)

    assert len(records) == 4
    assert document.warnings == []
    assert warnings(raw, EXPORT.name) == []


def test_the_real_trace_is_one_run_of_ten_events() -> None:
    file = RUNTIME / "trace-demo.jsonl"
    raw = file.read_bytes()

    record = kept(raw, file.name, TRACE)[0]
    facts, steps = open_trace(record.payload)

    assert [step.kind for step in steps][-1] == "run_complete"
    assert (record.record_id, facts.session_id) == ("trace-demo-001", "session-demo-001")
    assert facts.status == "waiting_for_approval"
    assert record.warnings == ()


def test_the_readiness_of_the_real_export_is_as_its_authors_left_it() -> None:
    payloads = [orjson.loads(record.payload) for record in kept(EXPORT.read_bytes(), EXPORT.name)]

    verdicts = [answer.verdict for answer in answers(payloads)]

    assert verdicts == ["yes", "yes", "partly", "yes", "no", "no", "yes", "yes", "no"]
