"""What docs/gates.md says is so: the policy, the codes, the message, how it is verified."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from shutil import which
from typing import Any, get_args

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from apps.accounts.models import User, Workspace
from apps.accounts.permissions import ROLES_ALLOWED, Permission, Role
from apps.accounts.services import create_token
from apps.analysis.gates.messages.delivering import PAUSES_S
from apps.analysis.gates.messages.saying import message_of
from apps.analysis.gates.messages.signing import signed_headers
from apps.analysis.gates.policies.spec import PolicySpec, read_policy
from apps.analysis.models import GateDecision
from apps.metrics.gated import Code
from tests.runs.building import queued_run
from tests.targets.asking import free_port
from tests.test_docs import CHECKOUT, JSON

from .building import a_decision, a_policy, a_run

TEXT = (CHECKOUT / "docs/gates.md").read_text()
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```shell\n(.*?)^```", re.MULTILINE | re.DOTALL)
Pipeline = Callable[..., "subprocess.CompletedProcess[str]"]
SECRET = "whsec_YSBzZWNyZXQgb2YgbW9yZSB0aGFuIDI0IGJ5dGVz"


def test_the_policy_that_is_told_can_be_made() -> None:
    told = json.loads(JSON.findall(TEXT)[0])

    spec = read_policy(told["spec"])

    assert spec.needs_baseline
    assert all(f"`{name}`" in TEXT for name in PolicySpec.model_fields)


def test_every_code_is_told() -> None:
    assert [code for code in get_args(Code) if f"`{code}`" not in TEXT] == []


def test_a_message_says_what_is_told(workspace: Workspace) -> None:
    told = json.loads(JSON.findall(TEXT)[1])

    decision = a_decision(a_run(workspace, 20, 20), a_policy(workspace))
    message = message_of(decision, None)

    assert message.keys() == told.keys()
    assert message["data"].keys() == told["data"].keys()
    assert message["data"]["policy"].keys() == told["data"]["policy"].keys()


def test_the_pauses_are_told() -> None:
    assert PAUSES_S == (5, 30, 120, 600, 3_600)
    assert "5 s, 30 s, 2 min, 10 min and 1 h" in TEXT


def token_of(user: User, workspace: Workspace) -> str:
    return create_token(
        user=user,
        workspace=workspace,
        name="ci",
        lifetime=timedelta(days=1),
        now=timezone.now(),
        actor=user,
    ).plaintext


scripted = pytest.mark.skipif(not (which("curl") and which("jq")), reason="no curl or no jq here")


@pytest.fixture
def token(workspace: Workspace, alice: User) -> str:
    return token_of(alice, workspace)


@pytest.fixture
def pipeline(live_server: LiveServer, token: str, tmp_path: Path) -> Pipeline:
    """The script as a step runs it; what is given stands in its environment."""

    def run(**given: str) -> "subprocess.CompletedProcess[str]":
        whole = {"PATH": os.environ["PATH"], "HUB": live_server.url, "TOKEN": token}
        return subprocess.run(
            ["sh", "-c", SHELL.findall(TEXT)[0]],
            env={**whole, "CHANGE": "a41f9c2", **given},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run


@scripted
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("passed", "failed", "status"), [(40, 0, 0), (20, 20, 1), (33, 7, 2)])
def test_the_script_of_a_pipeline_leaves_with_the_answer(
    pipeline: Pipeline, workspace: Workspace, passed: int, failed: int, status: int
) -> None:
    a_policy(workspace)

    ended = pipeline(RUN=a_run(workspace, passed, failed).pk)

    assert ended.returncode == status, ended.stderr
    assert ended.stdout.startswith(("pass: every check holds", "fail: ", "inconclusive: "))


@scripted
@pytest.mark.django_db(transaction=True)
def test_a_change_is_named_as_it_is_whatever_its_name_holds(
    pipeline: Pipeline, workspace: Workspace
) -> None:
    a_policy(workspace)
    change = """it's "new" \\ $(exit 1), "run": 1"""

    ended = pipeline(RUN=a_run(workspace, 40).pk, CHANGE=change)

    assert ended.returncode == 0, ended.stderr
    assert GateDecision.objects.get().change_id == change


@scripted
@pytest.mark.django_db(transaction=True)
def test_the_script_leaves_with_3_where_nothing_was_decided(
    pipeline: Pipeline, workspace: Workspace
) -> None:
    run = a_run(workspace, 40).pk
    queued = queued_run(workspace).pk

    ends = {
        "HTTP 404": pipeline(RUN="run_unknown"),
        "HTTP 401": pipeline(RUN=run, TOKEN="wrong"),
        "no answer from http": pipeline(RUN=run, HUB=f"http://127.0.0.1:{free_port()}"),
        "HTTP 400": pipeline(RUN=run),
        "the run is still queued after 0 s": pipeline(RUN=queued, LIMIT="0"),
        "set HUB, TOKEN and RUN": pipeline(),
    }

    for sentence, ended in ends.items():
        assert f"Nothing was decided: {sentence}" in ended.stderr, ended
        assert (ended.returncode, ended.stdout) == (3, "")


@scripted
@pytest.mark.django_db(transaction=True)
def test_the_token_is_of_a_lead_as_is_told(
    pipeline: Pipeline, workspace: Workspace, bob: User
) -> None:
    a_policy(workspace)
    run = a_run(workspace, 40).pk

    refused = pipeline(RUN=run, TOKEN=token_of(bob, workspace))

    assert "Nothing was decided: HTTP 403" in refused.stderr
    assert f"`{Permission.DECIDE_GATES}`" in TEXT
    assert ROLES_ALLOWED[Permission.DECIDE_GATES] == {Role.LEAD, Role.ADMIN}


@pytest.mark.parametrize(("body", "is_ours"), [(b'{"a": 1}', True), (b'{"a": 2}', False)])
def test_the_verification_by_hand_accepts_ours_and_nothing_else(body: bytes, is_ours: bool) -> None:
    told: dict[str, Any] = {}
    exec(PYTHON.findall(TEXT)[1], told)
    key = b"a secret of more than 24 bytes"
    headers = signed_headers("gdl_1", b'{"a": 1}', key, timezone.now())

    assert told["is_ours"](SECRET, headers, body) is is_ours
