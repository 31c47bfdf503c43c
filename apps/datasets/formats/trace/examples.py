"""Two traces of a shop's help desk to start from: one of events, one of messages."""

import json
from typing import Any

_TRACE = "helpdesk-drill-7"
_CALL = {"name": "read_profile", "arguments": '{"field": "delivery_day"}'}


def _event(kind: str, **payload: str) -> dict[str, Any]:
    return {
        "schema_version": "1.0",
        "event_type": kind,
        "trace_id": _TRACE,
        "payload": payload,
        "redacted_fields": [],
    }


EXAMPLES: tuple[dict[str, Any], ...] = (
    _event(
        "run_start",
        session_id="helpdesk-41",
        agent_id="helpdesk-agent",
        input_description="The lamp flickers: open a ticket.",
    ),
    _event("tool_policy_decision", capability="open_ticket", action="allow", policy_id="t-3"),
    _event("tool_execution", capability="open_ticket", status="failed", idempotency_key=_TRACE),
    _event("run_failed", failure_reason="tool_timeout"),
    {
        "trace_id": "helpdesk-chat-8",
        "scenario_id": "profile_memory",
        "trial": 0,
        "status": "success",
        "messages": [
            {"role": "user", "content": "Which day do I like my parcels to be delivered?"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "c1", "type": "function", "function": _CALL}],
            },
            {"role": "tool", "tool_call_id": "c1", "name": "read_profile", "content": "Friday"},
            {"role": "assistant", "content": "From your profile: on Fridays."},
        ],
    },
)

TEMPLATE = b"".join(json.dumps(example).encode() + b"\n" for example in EXAMPLES)
