"""Real agent runs, imported and linked, where they are at hand."""

from pathlib import Path

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.datasets.models import Record
from apps.traces import queries
from apps.traces.evidence import verify
from apps.traces.models import Trace, TraceEvent
from tests.commands import evalhub
from tests.datasets.documents import accepted
from tests.datasets.formats.test_contract_v1_real import SHARED

AGENT = SHARED / "data" / "agent"
RUNTIME = SHARED / "conformance" / "agent_runtime_ref"
RUNS = AGENT / "tau_airline_traces.jsonl"

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        not RUNS.is_file(),
        reason=f"{RUNS.name} is not here: set EVALHUB_SHARED to the shared folder",
    ),
]


def imported(file: Path) -> None:
    assert evalhub("trace", "import", str(file)).status == 0


def test_a_hundred_real_runs_are_imported_and_know_their_scenarios(
    workspace: Workspace, alice: User
) -> None:
    accepted(workspace, (AGENT / "tau_airline_scenarios.jsonl").read_bytes(), alice)

    imported(RUNS)

    assert Record.objects.count() == 25
    assert Trace.objects.filter(workspace=workspace).count() == 100
    assert Trace.objects.filter(status="success").count() == 31
    assert TraceEvent.objects.count() == 2_962
    trace = Trace.objects.get(trace_id="tau_airline_07_trial2")
    assert [each.record.record_id for each in queries.records_of(trace)] == ["tau_airline_07"]
    assert len(queries.beside(trace)) == 3


def test_the_real_events_are_one_trace(workspace: Workspace, client: Client, bob: User) -> None:
    imported(RUNTIME / "trace-demo.jsonl")

    trace = Trace.objects.get()
    client.force_login(bob)
    shown = client.get(f"/w/demo/traces/{trace.pk}/").content.decode()
    assert trace.event_count == 10
    assert "sandbox_profile_reviewed" in shown
    assert "waiting for human approval" in shown


def test_the_real_evidence_is_true() -> None:
    checked = verify(RUNTIME / "evidence-manifest.yaml")

    assert checked.diagnostics == []
    assert checked.signals == {"offline_eval_pass": True, "duplicate_ticket_eval_passed": False}
