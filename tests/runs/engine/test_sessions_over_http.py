"""Sessions with servers on loopback: a session id for each try, faults between the turns."""

import json
from typing import Any

from apps.accounts.models import Workspace
from apps.datasets.contracts import Options
from apps.datasets.models import DatasetVersion
from apps.runs.models import RunState
from tests.datasets.documents import accepted
from tests.datasets.scenario_files import scenario
from tests.model_server import ModelServer
from tests.runs.conftest import MakeTarget, Start, drain, statuses

TEMPLATE = {
    "prompt": "{{prompt}}",
    "session": "{{session_id}}",
    "turn": "{{turn}}",
    "before": "{{conversation}}",
}


def talks(workspace: Workspace, *inputs: str, n: int = 1) -> DatasetVersion:
    rows = [
        scenario(
            number, user_inputs=[f"{text} ({number})" for text in inputs], expected_outcomes={}
        )
        for number in range(n)
    ]
    raw = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    upload = accepted(workspace, raw, options=Options(format="scenarios"))
    assert upload.version is not None, upload.outcome
    return upload.version


def test_an_endpoint_is_told_the_session_and_what_was_said_before(
    workspace: Workspace, start: Start, make_target: MakeTarget, model_server: ModelServer
) -> None:
    model_server.plan(wrong_rate=0)
    target = make_target(
        kind="http_json", url=f"{model_server.root}/answer", request_template=TEMPLATE
    )

    run = drain(start(version=talks(workspace, "1 plus 1?", "2 plus 2?"), target=target))

    asked: dict[str, Any] = model_server.last_request()["body"]
    assert asked == {
        "prompt": "2 plus 2? (0)",
        "session": f"{run.pk}-0.0",
        "turn": 2,
        "before": [
            {"role": "user", "content": "1 plus 1? (0)"},
            {"role": "assistant", "content": "2"},
        ],
    }
    assert run.results.get().response == "2\n\n4"


def test_every_try_has_a_session_of_its_own(
    workspace: Workspace, start: Start, make_target: MakeTarget, model_server: ModelServer
) -> None:
    template = {"prompt": "{{prompt}} {{session_id}}"}
    target = make_target(
        kind="http_json", url=f"{model_server.root}/answer", request_template=template
    )

    run = drain(start(version=talks(workspace, "Hello", "Bye"), target=target, trials=3))

    assert run.results.count() == 3
    assert model_server.stats()["distinct_prompts"] == model_server.stats()["requests"] == 6


def test_a_turn_that_fails_for_now_is_asked_again_and_the_others_are_not(
    workspace: Workspace,
    start: Start,
    make_target: MakeTarget,
    model_server: ModelServer,
) -> None:
    model_server.plan(faults=[{"mode": "503", "times": 1, "share": 0.4}])
    target = make_target(kind="openai_chat", base_url=model_server.base_url)
    version = talks(workspace, "Hello", "And?", "Bye", n=8)

    run = drain(start(version=version, target=target))

    assert run.state == RunState.COMPLETED
    assert statuses(run) == {"completed": 8}
    stats = model_server.stats()
    assert (stats["distinct_answered"], stats["repeats"]) == (24, 0)
    assert stats["requests"] == run.attempts.count() > 24


def test_a_cap_that_is_reached_amid_sessions_asks_no_further_turn(
    workspace: Workspace, start: Start, make_target: MakeTarget, model_server: ModelServer
) -> None:
    model_server.plan(latency_ms=100)
    target = make_target(
        kind="openai_chat",
        base_url=model_server.base_url,
        price_input=1_000.0,
        price_output=1_000.0,
        concurrency=2,
    )
    version = talks(workspace, *[f"Input {turn}" for turn in range(20)], n=6)

    run = drain(start(version=version, target=target, cost_cap=0.001))

    assert run.state == RunState.CANCELLED
    assert "cost cap" in run.reason
    assert model_server.stats()["requests"] < 60
