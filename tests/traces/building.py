"""Traces as an import makes them."""

import json
from typing import Any

from apps.accounts.models import User, Workspace
from apps.datasets.contracts import Options
from apps.datasets.models import Upload
from apps.traces.models import Trace
from tests.datasets.documents import accepted
from tests.datasets.scenario_files import as_lines, event, log

CHAT = log(
    "chat-1",
    scenario_id="refund-1",
    reward=1.0,
    messages=[
        {"role": "user", "content": "Refund my lamp. <script>alert(1)</script>"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "1", "function": {"name": "find_order", "arguments": '{"order": "A-7"}'}}
            ],
        },
        {"role": "tool", "name": "find_order", "tool_call_id": "1", "content": "paid, 40 €"},
        {"role": "assistant", "content": "Done: 40 € are on their way."},
    ],
)
EVENTS = (
    event(trace_id="run-1", payload={"session_id": "session-1", "input": "[REDACTED]"}),
    event("tool_execution", "run-1", payload={"capability": "open_ticket", "status": "failed"}),
    event("run_failed", "run-1", payload={"failure_reason": "tool_timeout"}),
)


def imported(workspace: Workspace, *rows: dict[str, Any], by: User | None = None) -> Upload:
    return accepted(workspace, as_lines(*rows), by, options=Options(format="trace"))


def a_trace(workspace: Workspace, *rows: dict[str, Any]) -> Trace:
    held = rows or (CHAT,)
    imported(workspace, *held)
    return Trace.objects.get(workspace=workspace, trace_id=held[0]["trace_id"])


def scenarios(workspace: Workspace, *rows: dict[str, Any]) -> Upload:
    return accepted(workspace, as_lines(*rows), options=Options(format="scenarios"))


def payload_of(trace: Trace, seq: int) -> Any:
    return json.loads(trace.events.get(seq=seq).payload)
