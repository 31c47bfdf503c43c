"""What becomes of an imported trace: once, whole, and never replaced by another."""

import pytest

from apps.accounts.models import AuditEvent, User, Workspace
from apps.datasets.models import DatasetVersion
from apps.traces.models import Trace, TraceEvent
from tests.datasets.scenario_files import event, log
from tests.traces.building import CHAT, EVENTS, a_trace, imported, payload_of

pytestmark = pytest.mark.django_db


def test_events_become_a_trace_with_its_facts(workspace: Workspace, alice: User) -> None:
    upload = imported(workspace, *EVENTS, by=alice)

    trace = Trace.objects.get()
    assert upload.outcome is not None
    assert upload.outcome["told"] == "1 trace with 3 events."
    assert upload.outcome["address"].endswith(f"/traces/{trace.pk}/")
    assert (trace.trace_id, trace.source, trace.schema_version) == ("run-1", "events", "1.0")
    assert (trace.session_id, trace.status, trace.event_count) == ("session-1", "failed", 3)
    assert [each.type for each in trace.events.order_by("seq")] == [
        "run_start",
        "tool_execution",
        "run_failed",
    ]
    assert payload_of(trace, 2) == {"failure_reason": "tool_timeout"}
    assert DatasetVersion.objects.count() == 0


def test_a_log_becomes_a_trace_with_a_step_a_message(workspace: Workspace) -> None:
    trace = a_trace(workspace)

    assert (trace.source, trace.scenario_id, trace.status) == ("messages", "refund-1", "success")
    assert [each.type for each in trace.events.order_by("seq")] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert payload_of(trace, 2)["name"] == "find_order"
    assert '"reward":1.0' in trace.about


def test_the_same_trace_again_is_the_same_trace(workspace: Workspace) -> None:
    before = a_trace(workspace)

    upload = imported(workspace, CHAT, log("chat-2"))

    assert upload.outcome is not None
    assert upload.outcome["told"] == "1 trace with 2 events; 1 was here already."
    assert Trace.objects.get(trace_id="chat-1").pk == before.pk
    assert TraceEvent.objects.count() == 6


def test_other_content_under_the_same_id_is_refused_and_named(workspace: Workspace) -> None:
    before = a_trace(workspace)

    upload = imported(workspace, log("chat-2"), CHAT | {"status": "failed"})

    assert upload.outcome is not None
    assert upload.outcome["status"] == 409
    assert upload.outcome["message"].startswith("chat-1 is here already with other content")
    assert upload.outcome["details"]["trace_ids"] == ["chat-1"]
    assert upload.outcome["details"]["existing_sha256"] == before.sha256
    assert Trace.objects.count() == 1


def test_a_trace_with_a_mistake_keeps_all_of_the_file_out(workspace: Workspace) -> None:
    upload = imported(workspace, log("chat-2"), event(payload={"n": 1}))

    assert upload.outcome is not None
    assert upload.outcome["status"] == 400
    assert Trace.objects.count() == 0
    assert upload.issues.get().message == "Telemetry event payload value must be a string: n"


def test_the_same_id_in_another_workspace_is_another_trace(
    workspace: Workspace, charlie: User
) -> None:
    elsewhere = Workspace.objects.get(slug="elsewhere")
    a_trace(workspace)

    imported(elsewhere, CHAT | {"status": "failed"})

    assert Trace.objects.filter(trace_id="chat-1").count() == 2


def test_an_import_is_in_the_audit_log(workspace: Workspace, alice: User) -> None:
    imported(workspace, CHAT, by=alice)

    noted = AuditEvent.objects.get(verb="imported traces")
    assert (noted.actor, noted.workspace) == (alice, workspace)


def test_a_long_trace_is_kept_whole(workspace: Workspace) -> None:
    lines = [event("span", "long", payload={"n": str(number)}) for number in range(1_234)]

    trace = a_trace(workspace, *lines)

    assert trace.event_count == trace.events.count() == 1_234
    assert payload_of(trace, 1_233) == {"n": "1233"}


def test_null_characters_and_odd_names_are_kept_as_text(workspace: Workspace) -> None:
    trace = a_trace(workspace, event("a\x00b", "odd", payload={"k\x00": "v\x00"}))

    assert trace.events.get().type == "a b"
    assert payload_of(trace, 0) == {"k\x00": "v\x00"}
