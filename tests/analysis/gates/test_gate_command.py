"""`evalhub gate`: the exit status is the answer, in this process and in one of its own."""

import json
import re
import subprocess
import sys
from errno import ENOSPC
from io import StringIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from django.conf import LazySettings
from django.core.management import call_command

from apps.accounts.models import User, Workspace
from apps.analysis.management.commands.gate import NO_ADDRESS
from apps.analysis.models import GateDecision, GatePolicy
from tests import samples
from tests.commands import evalhub, evalhub_in
from tests.processes import CHECKOUT, bare_environment
from tests.runs.building import PASSED, make_version, running_run

from .building import a_policy, a_run, approved

MARGIN = [{"metric": "pass_rate", "margin": 0.05}]


@pytest.fixture
def policy(workspace: Workspace) -> GatePolicy:
    return a_policy(workspace)


@pytest.mark.parametrize(
    ("passed", "failed", "status", "word"),
    [(180, 20, 0, "PASS"), (100, 100, 1, "FAIL"), (165, 35, 2, "INCONCLUSIVE")],
)
def test_the_exit_status_is_the_answer(
    policy: GatePolicy, workspace: Workspace, passed: int, failed: int, status: int, word: str
) -> None:
    run = a_run(workspace, passed, failed)

    told = evalhub("gate", run.pk)

    assert (told.status, told.err) == (status, "")
    assert told.out.startswith(f"{word} releases@1: ")


def test_the_newest_run_a_policy_a_baseline_and_a_change_are_named(
    workspace: Workspace, alice: User
) -> None:
    version = make_version(workspace, 200)
    a_policy(workspace, "other")
    a_policy(workspace, "releases", metrics=MARGIN)
    before = a_run(workspace, 180, 20, version=version, name="in production")
    after = a_run(workspace, 181, 19, version=version)

    told = evalhub(
        "gate",
        "latest",
        *("--policy", "releases"),
        *("--baseline", "in production"),
        *("--change-id", "v2.1"),
        *("--user", "alice"),
        "--json",
    )

    decision = GateDecision.objects.get()
    assert told.status == 0
    assert told.facts["decision_id"] == decision.pk
    assert (told.facts["change_id"], told.facts["verdict"]) == ("v2.1", "pass")
    assert (decision.run, decision.baseline, decision.decided_by) == (after, before, alice)
    assert decision.via == "command"


def test_junit_and_markdown_are_written(policy: GatePolicy, workspace: Workspace) -> None:
    a_run(workspace, 100, 100)

    junit = evalhub("gate", "latest", "--junit")
    markdown = evalhub("gate", "latest", "--markdown")

    assert Xml.fromstring(junit.out).get("failures") == "1"
    assert markdown.out.startswith("## ❌ releases: fail")
    assert (junit.status, markdown.status) == (1, 1)


@pytest.mark.parametrize("form", ["--json", "--junit", "--markdown"])
def test_what_has_links_says_where_their_server_is_or_how_to_say_it(
    policy: GatePolicy, workspace: Workspace, settings: LazySettings, form: str
) -> None:
    a_run(workspace, 180, 20)

    without = evalhub("gate", "latest", form)
    settings.BASE_URL = "https://evalhub.example.org"
    within = evalhub("gate", "latest", form)

    assert (without.err, within.err) == (f"{NO_ADDRESS}\n", "")
    assert "set EVALHUB_BASE_URL" in NO_ADDRESS
    assert "https://evalhub.example.org/w/demo/gates/decisions/" not in without.out
    assert "https://evalhub.example.org/w/demo/gates/decisions/" in within.out


def test_whatever_keeps_the_gate_from_deciding_is_exit_3(
    workspace: Workspace, charlie: User, alice: User
) -> None:
    version = make_version(workspace, 5)
    no_policy = evalhub("gate", a_run(workspace, 5, version=version).pk, "--workspace", "demo")
    policy = a_policy(workspace, metrics=MARGIN)
    asking = running_run(workspace, [PASSED], version=version)
    ended = a_run(workspace, 5, version=version)
    approved(policy, ended)

    demo = ("--workspace", "demo")
    refused = {
        "There is no run 'nothing'": evalhub("gate", "nothing", *demo),
        "is running": evalhub("gate", asking.pk, *demo),
        "is the baseline itself": evalhub("gate", ended.pk, *demo),
        "There is no gate policy 'strict'": evalhub("gate", ended.pk, "--policy", "strict", *demo),
        "There is no run 'b'": evalhub("gate", ended.pk, "--baseline", "b", *demo),
        "Several workspaces": evalhub("gate", ended.pk),
        "no active user": evalhub("gate", ended.pk, "--user", "nobody"),
        "no null character": evalhub("gate", "a\0b", *demo),
        "A change id has": evalhub("gate", ended.pk, "--change-id", "x" * 999, *demo),
        "There is no gate policy here yet": no_policy,
    }

    for sentence, told in refused.items():
        assert sentence in told.err, told
        assert (told.status, told.out) == (3, "")
    assert not GateDecision.objects.exists()


class Full(StringIO):
    """Where nothing can be written any more."""

    def write(self, text: str) -> int:
        raise OSError(ENOSPC, "No space left on device")


def test_a_decision_that_cannot_be_written_is_named_all_the_same(
    policy: GatePolicy, workspace: Workspace
) -> None:
    run, err = a_run(workspace, 180, 20), StringIO()

    with pytest.raises(SystemExit) as end:
        call_command("gate", run.pk, stdout=Full(), stderr=err)
    with pytest.raises(SystemExit) as mute:
        call_command("gate", run.pk, stdout=Full(), stderr=Full())

    decision = GateDecision.objects.earliest("pk")
    assert (end.value.code, mute.value.code) == (3, 3)
    assert f"decided pass as {decision.pk}, but it could not be written" in err.getvalue()
    assert "Nothing was decided" not in err.getvalue()


def test_it_waits_where_it_is_asked_to(workspace: Workspace) -> None:
    a_policy(workspace, minimum_n=1, metrics=[{"metric": "pass_rate", "at_least": 0.1}])
    run = samples.started_run(workspace)

    misspelled = evalhub("gate", run.pk, "--policy", "relases", "--wait")
    run.refresh_from_db()
    assert (misspelled.status, run.is_open) == (3, True)  # it does not wait to say so
    at_once = evalhub("gate", run.pk)
    waited = evalhub("gate", run.pk, "--wait", "--json")

    assert (at_once.status, at_once.out) == (3, "")
    assert "is queued" in at_once.err
    assert waited.status == 0
    assert waited.facts["run"]["state"] == "completed"


def test_what_ends_it_before_it_has_looked_is_exit_3_too(tmp_path: Path) -> None:
    lost = {"EVALHUB_DATABASE_URL": "postgres://a:b@127.0.0.1:1/lost"}
    spoiled = {"EVALHUB_DATABASE_URL": "nonsense"}

    statuses = [
        _evalhub(tmp_path / "data", variables, command).returncode
        for command in ("gate", "runs")
        for variables in (lost, spoiled)
    ]

    assert statuses == [3, 3, 1, 2]


def _evalhub(
    data: Path, variables: dict[str, str], *words: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "evalhub", *words],
        cwd=CHECKOUT,
        env=bare_environment(data, **variables),
        capture_output=True,
        text=True,
        timeout=120,
    )


_PREPARE = """
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from apps.accounts.models import Workspace
from tests.analysis.gates.building import a_policy, a_run, approved, AT
from tests.runs.building import make_version, running_run, PASSED
workspace = Workspace.objects.create(slug="demo", name="Demo")
version = make_version(workspace, 200)
a_policy(workspace)
print(a_run(workspace, 180, 20, version=version, name="good"))
print(a_run(workspace, 100, 100, version=version, name="bad"))
print(a_run(workspace, 165, 35, version=version, name="open"))
"""


@pytest.mark.kill
def test_a_process_of_its_own_leaves_with_the_answer(tmp_path: Path) -> None:
    data = tmp_path / "data"
    _prepared(data)

    statuses = {
        words: evalhub_in(data, "gate", *words.split()).status
        for words in (
            "good",
            "bad",
            "open",
            "nothing",
            "",
            "good --unknown",
            "good --json --junit",
            "good --policy",
        )
    }
    told = evalhub_in(data, "gate", "bad", "--json")
    wrong = evalhub_in(data, "gate", "good", "--unknown")

    assert statuses == {
        "good": 0,
        "bad": 1,
        "open": 2,
        "nothing": 3,
        "": 3,
        "good --unknown": 3,
        "good --json --junit": 3,
        "good --policy": 3,
    }
    assert (told.status, told.err) == (1, f"{NO_ADDRESS}\n")
    assert json.loads(told.out)["verdict"] == "fail"
    assert "unrecognized arguments: --unknown" in wrong.err
    assert "Traceback" not in wrong.err


@pytest.mark.kill
def test_a_process_of_its_own_writes_utf8_and_says_what_it_could_not_write(tmp_path: Path) -> None:
    data = tmp_path / "data"
    _prepared(data)
    latin = {**bare_environment(data), "PYTHONIOENCODING": "latin-1", "LC_ALL": "C"}

    def gate(*words: str, **more: Any) -> "subprocess.CompletedProcess[bytes]":
        command = [sys.executable, "-m", "evalhub", "gate", *words]
        given = {"stdout": subprocess.PIPE, **more}
        return subprocess.run(
            command, cwd=CHECKOUT, env=latin, stderr=subprocess.PIPE, timeout=120, **given
        )

    markdown = gate("bad", "--markdown")
    with Path("/dev/full").open("wb") as full:
        lost = [gate("good", *form, stdout=full) for form in ([], ["--junit"], ["--json"])]

    assert (markdown.returncode, markdown.stderr.decode()) == (1, f"{NO_ADDRESS}\n")
    assert markdown.stdout.decode("utf-8").startswith("## ❌ releases: fail")
    for ended in lost:
        assert ended.returncode == 3, ended
        assert re.match(rb"decided pass as gd_\w+, but it could not be written", ended.stderr), (
            ended
        )
        assert b"Nothing was decided" not in ended.stderr


def _prepared(data: Path) -> None:
    """A database of its own, filled by another process as well."""
    environment = {**bare_environment(data), "DJANGO_SETTINGS_MODULE": "evalhub.settings"}
    data.mkdir()
    ended = subprocess.run(
        [sys.executable, "-c", _PREPARE],
        cwd=CHECKOUT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
