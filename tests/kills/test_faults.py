"""Some prompts fail: every record is answered or failed with its reason, nobody waits for ever."""

from typing import Any

import pytest

from tests.model_server import ModelServer

from .conftest import LONG_LEASE, Install, Work
from .proof import assert_paid_once, assert_whole

pytestmark = pytest.mark.kill

RECORDS = 400
FAULTS: list[dict[str, Any]] = [
    {"mode": "429", "times": 1, "share": 0.02, "after_ms": 200},
    {"mode": "429", "times": 3, "share": 0.01, "after_ms": 200},
    {"mode": "503", "share": 0.01},
    {"mode": "malformed", "share": 0.01},
    {"mode": "reset", "times": 1, "share": 0.02},
]


def test_failing_prompts_are_tried_again_or_failed_with_their_reason(
    install: Install, work: Work, model_server: ModelServer
) -> None:
    model_server.plan(faults=FAULTS, latency_ms=5)
    installation, run = install(RECORDS, concurrency=32, lease=LONG_LEASE)
    work(installation)

    assert installation.wait_for_end(run) == "completed_with_failures"
    assert_whole(installation, run, RECORDS)
    assert_paid_once(model_server)
    outcomes = set(installation.ask("SELECT status, cause, attempts FROM runs_result"))
    assert outcomes <= {
        ("completed", "", 1),
        ("completed", "", 2),
        ("evaluation_error", "rate_limited", 3),
        ("evaluation_error", "service_unavailable", 3),
        ("evaluation_error", "invalid_response", 1),
    }
    assert ("completed", "", 2) in outcomes
    attempts = installation.one("SELECT COUNT(*) FROM runs_attempt")
    assert attempts == model_server.stats()["requests"]
