"""The commands of runs: what they print, what they refuse, and their exit status."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from apps.accounts.models import AuditEvent, User, Workspace
from apps.jobs import services as jobs
from apps.jobs.models import Heartbeat
from apps.runs.commands import NOBODY_WORKS
from apps.runs.models import Run
from tests import samples
from tests.commands import evalhub


@pytest.fixture(autouse=True)
def parties(workspace: Workspace) -> None:
    samples.make_target(workspace)
    samples.make_contract(workspace)


RUN = ("run", "qa", "--target", "model", "--contract", "exact")


# -- run ------------------------------------------------------------------------------------


def test_a_run_is_executed_here_where_no_worker_is_up(workspace: Workspace) -> None:
    samples.make_version(workspace)

    told = evalhub(*RUN, "--wait", "--json")

    assert told.status == 0
    assert (told.facts["status"], told.facts["counts"]["passed_records"]) == ("completed", 3)
    assert [change["state"] for change in told.facts["states"]] == [
        "queued",
        "validating",
        "running",
        "finalizing",
        "completed",
    ]
    assert told.facts["metrics"]["pass_rate"]["point"] == 1.0
    assert told.facts["completed_at"]


def test_a_worker_that_is_gone_is_not_waited_for(workspace: Workspace) -> None:
    samples.make_version(workspace)
    jobs.beat("worker")
    Heartbeat.objects.update(seen_at=timezone.now() - timedelta(seconds=20))

    assert evalhub(*RUN, "--wait").status == 0


def test_invalid_records_are_completed_with_failures_and_exit_1(workspace: Workspace) -> None:
    samples.make_version(workspace, 3, rejected=1)

    told = evalhub(*RUN, "--wait")

    assert told.status == 1
    assert "  completed_with_failures" in told.out
    assert "4 records = 3 valid + 1 invalid" in told.out
    assert "3 valid = 3 evaluated + 0 failed + 0 skipped + 0 waiting" in told.out
    assert "3 evaluated = 3 passed + 0 failed the contract + 0 unjudged" in told.out
    assert "pass_rate: 1 [" in told.out


def test_a_run_that_cannot_begin_has_failed_and_exits_2(workspace: Workspace) -> None:
    samples.make_version(workspace)
    spec = {"base_url": "http://localhost:9", "model": "m", "api_key_env": "TEST_NO_SUCH_KEY"}
    samples.make_target(workspace, "sealed", kind="openai_chat", **spec)

    told = evalhub("run", "qa", "--target", "sealed", "--wait", "--json")

    assert told.status == 2
    assert told.facts["status"] == "failed"
    assert "TEST_NO_SUCH_KEY" in told.facts["reason"]
    assert told.facts["counts"]["skipped_records"] == 3


def test_without_waiting_the_run_is_queued_and_nobody_is_missed_in_silence(
    workspace: Workspace, alice: User
) -> None:
    samples.make_version(workspace)

    told = evalhub(*RUN, "--user", "alice", "--name", "Nightly", "--note", "why")

    run = Run.objects.get()
    assert told.status == 0
    assert NOBODY_WORKS in told.err
    assert (run.name, run.note, run.state, run.created_by) == ("Nightly", "why", "queued", alice)
    assert AuditEvent.objects.get(object_id=run.pk).via == "command"


def test_a_pilot_asks_ten_records_under_a_cost_cap(workspace: Workspace) -> None:
    samples.make_version(workspace, 12)

    told = evalhub(*RUN, "--pilot", "--cost-cap", "0.5", "--wait", "--json")

    assert told.status == 0
    assert told.facts["cost_cap"] == 0.5
    assert told.facts["counts"]["valid_records"] == 10
    assert Run.objects.get().plan["settings"]["pilot"] == 10


def test_answers_come_from_a_file(workspace: Workspace, tmp_path: Path) -> None:
    samples.make_version(workspace)
    samples.make_target(workspace, "file", kind="recorded", source="answers")
    lines = [{"record_id": f"q_{n:04d}", "response": "Overfitting is when…"} for n in range(2)]
    answers = tmp_path / "answers.jsonl"
    answers.write_text("\n".join(map(json.dumps, lines)))

    told = evalhub(
        *("run", "qa", "--target", "file", "--contract", "exact"),
        *("--answers", str(answers), "--wait", "--json"),
    )

    assert told.status == 1
    assert told.facts["counts"]["passed_records"] == 2
    assert told.facts["counts"]["failed_records"] == 1


def test_the_same_key_is_the_same_run_and_another_order_is_refused(workspace: Workspace) -> None:
    samples.make_version(workspace)
    first = evalhub(*RUN, "--idempotency-key", "k1", "--json").facts["run_id"]

    again = evalhub(*RUN, "--idempotency-key", "k1", "--json").facts["run_id"]
    other = evalhub(*RUN, "--idempotency-key", "k1", "--pilot")

    assert again == first
    assert (other.status, other.out) == (2, "")
    assert first in other.err


# -- what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("run", "x", "--target", "model"), "There is no dataset 'x' here. There is: qa."),
        (("run", "qa", "--target", "x"), "There is no target 'x' here. There is: model."),
        ((*RUN[:4], "--contract", "x"), "There is no grading contract 'x' here. There is: exact."),
        ((*RUN, "--judge", "x"), "There is no target 'x' here. There is: model."),
        ((*RUN, "--cost-cap", "-1"), "cost_cap should be greater than 0."),
        ((*RUN, "--answers", "/nowhere"), "/nowhere: No such file or directory."),
        ((*RUN, "--workspace", "x"), "There is no workspace “x” (there is: demo)."),
        ((*RUN, "--user", "x"), "There is no active user “x”: see `evalhub user list`."),
        (("cancel", "x"), "There is no run 'x': see `evalhub runs`."),
        (("resume", "latest"), "The run is queued; wait until it has ended."),
        (("retry", "latest"), "The run is queued; wait until it has ended."),
        (("verify", "latest"), "is queued: its artifacts are written at the end."),
        (("artifacts", "latest", "--to", "x"), "is queued: its artifacts are written at the end."),
    ],
    ids=lambda value: " ".join(value)[-40:] if isinstance(value, tuple) else "",
)
def test_what_cannot_be_done_is_one_sentence_and_exit_2(
    workspace: Workspace, words: tuple[str, ...], sentence: str
) -> None:
    run = samples.started_run(workspace)

    told = evalhub(*words)

    assert (told.status, told.out) == (2, "")
    assert sentence in told.err
    assert "\n" not in told.err
    assert list(Run.objects.all()) == [run]


def test_of_several_workspaces_one_is_named(workspace: Workspace, charlie: User) -> None:
    run = samples.started_run(workspace)

    unnamed = evalhub("runs")
    named = evalhub("runs", "--workspace", "demo", "--json")
    of_charlie = evalhub("runs", "--user", "charlie", "--json")

    assert unnamed.err == "Several workspaces: name one with --workspace (demo, elsewhere)."
    assert [facts["run_id"] for facts in named.facts] == [run.pk]
    assert of_charlie.facts == []


# -- runs, cancel, resume, retry --------------------------------------------------------------


def test_runs_are_listed_newest_first_and_archived_apart(workspace: Workspace) -> None:
    old, new = samples.started_run(workspace), samples.started_run(workspace)
    archived = samples.started_run(workspace)
    Run.objects.filter(pk=archived.pk).update(archived_at=timezone.now())

    listed = evalhub("runs")

    assert [line.split()[0] for line in listed.out.splitlines()] == [new.pk, old.pk]
    assert [facts["run_id"] for facts in evalhub("runs", "--limit", "1", "--json").facts] == [
        new.pk
    ]
    assert archived.pk in evalhub("runs", "--archived").out


def test_where_nothing_ran_the_list_says_how_to_begin(workspace: Workspace) -> None:
    assert "evalhub run DATASET --target T" in evalhub("runs").out
    assert evalhub("runs", "--json").facts == []


def test_cancelling_and_resuming_by_name(workspace: Workspace) -> None:
    samples.started_run(workspace, name="Nightly")

    cancelled = evalhub("cancel", "Nightly", "--wait", "--json")
    resumed = evalhub("resume", "Nightly", "--wait", "--json")

    assert (cancelled.status, cancelled.facts["status"]) == (0, "cancelled")
    assert cancelled.facts["counts"]["skipped_records"] == 3
    assert (resumed.status, resumed.facts["kind"]) == (0, "resume")
    assert resumed.facts["parent_run_id"] == cancelled.facts["run_id"]
    assert resumed.facts["counts"]["passed_records"] == 3


def test_retrying_asks_again_what_failed(workspace: Workspace) -> None:
    target = samples.make_target(
        workspace, "down", planned_errors=[{"code": "invalid_response", "share": 1}]
    )
    parent = samples.ended_run(workspace, target=target)

    told = evalhub("retry", "latest", "--wait", "--json")

    assert (told.status, told.facts["status"]) == (1, "completed_with_failures")
    assert (told.facts["kind"], told.facts["parent_run_id"]) == ("retry", parent.pk)


# -- artifacts and verify -------------------------------------------------------------------


def test_artifacts_are_written_once_and_verified_where_they_lie(
    workspace: Workspace, tmp_path: Path
) -> None:
    run = samples.ended_run(workspace)
    folder = tmp_path / "out"

    written = evalhub("artifacts", "latest", "--to", str(folder), "--json")

    assert written.facts["run_id"] == run.pk
    assert {file.name for file in folder.iterdir()} == set(written.facts["files"])
    assert "predictions.jsonl" in written.facts["files"]
    assert evalhub("artifacts", run.pk, "--to", str(folder)).status == 0
    assert evalhub("verify", str(folder)).status == evalhub("verify", run.pk).status == 0
    assert evalhub("verify", str(folder), "--json").facts["ok"] is True


def test_a_file_that_was_changed_is_named_and_exits_1(workspace: Workspace, tmp_path: Path) -> None:
    samples.ended_run(workspace)
    evalhub("artifacts", "latest", "--to", str(tmp_path / "out"))
    file = tmp_path / "out" / "predictions.jsonl"
    file.chmod(0o600)
    file.write_text(file.read_text().replace("Overfitting", "Underfitting"))

    told = evalhub("verify", str(tmp_path / "out"))
    forced = evalhub("verify", str(tmp_path / "out"), "--manifest-sha256", "0" * 64)

    assert told.status == forced.status == 1
    assert "changed  predictions.jsonl" in told.out
    assert "changed  run_manifest.json" in forced.out
    assert "Something was changed or is missing." in told.out
