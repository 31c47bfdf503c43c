"""Following, stopping and following up runs over the API; results, calls, files and their proof."""

import hashlib
import json
from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import AuditEvent, User, Workspace
from apps.artifacts import store
from apps.artifacts.models import Artifact
from apps.runs.models import Run
from tests import samples
from tests.datasets.documents import a_version, bad_record, document, record

RUNS = "/api/v1/runs"
ARTIFACTS = {
    "attempt_logs.jsonl",
    "failures.jsonl",
    "input_dataset.json",
    "metrics_by_slice.json",
    "metrics_summary.json",
    "predictions.jsonl",
    "record_validation.jsonl",
    "run_manifest.json",
}


class Api:
    """Calls as Alice, by her token."""

    def __init__(self, client: Client, bearer: dict[str, str]) -> None:
        self.client, self.bearer = client, bearer

    def get(self, address: str, status: int = 200) -> Any:
        answer = self.client.get(f"{RUNS}{address}", headers=self.bearer)
        assert answer.status_code == status, answer.content
        return answer.json()

    def post(self, address: str, status: int) -> Any:
        answer = self.client.post(f"{RUNS}{address}", headers=self.bearer)
        assert answer.status_code == status, answer.content
        return answer.json()


@pytest.fixture
def api(workspace: Workspace, alice: User, client: Client) -> Api:
    return Api(client, samples.bearer_of(alice, workspace))


@pytest.fixture
def mixed(workspace: Workspace, alice: User) -> Run:
    """Ended: of eight records one is invalid, two have no reference, one is answered wrong."""
    bare: dict[str, Any] = {"reference": {}}
    rows = [record(0), record(1), record(2), record(3), record(4, **bare), record(5, **bare)]
    rows += [record(6), bad_record(7)]
    wrong = {record(2)["input"]["prompt"]: "I do not know."}
    target = samples.make_target(workspace, "shaky", canned=wrong)
    run = samples.started_run(
        workspace, alice, version=a_version(workspace, document(*rows)), target=target
    )
    return samples.work_until_ended(run)


def adds_up(counts: dict[str, int]) -> bool:
    total = counts["valid_records"] + counts["invalid_records"]
    valid = sum(counts[f"{name}_records"] for name in ("evaluated", "failed", "skipped", "waiting"))
    judged = sum(counts[f"{name}_records"] for name in ("passed", "failed_contract", "unjudged"))
    return (counts["total_records"], counts["valid_records"], counts["evaluated_records"]) == (
        total,
        valid,
        judged,
    )


# -- following ------------------------------------------------------------------------------


def test_a_run_that_waits_says_so(api: Api, workspace: Workspace, alice: User) -> None:
    run = samples.started_run(workspace, alice, name="Nightly")

    seen = api.get(f"/{run.pk}")

    assert (seen["run_id"], seen["name"], seen["status"]) == (run.pk, "Nightly", "queued")
    assert [change["state"] for change in seen["states"]] == ["queued"]
    assert (seen["started_at"], seen["completed_at"], seen["manifest_sha256"]) == (None, None, None)
    assert seen["counts"]["waiting_records"] == 3
    assert adds_up(seen["counts"])


def test_a_run_that_ended_says_what_came_of_it(api: Api, mixed: Run) -> None:
    seen = api.get(f"/{mixed.pk}")

    counts = seen["counts"]
    assert seen["status"] == "completed_with_failures"
    assert [change["state"] for change in seen["states"]] == [
        "queued",
        "validating",
        "running",
        "finalizing",
        "completed_with_failures",
    ]
    assert adds_up(counts)
    assert (counts["total_records"], counts["invalid_records"]) == (8, 1)
    assert (counts["passed_records"], counts["failed_contract_records"]) == (4, 1)
    assert (counts["unjudged_records"], counts["waiting_records"]) == (2, 0)
    assert seen["metrics"]["pass_rate"]["n"] == 5
    assert seen["metrics"]["pass_rate"]["point"] == pytest.approx(0.8)
    assert seen["metrics"]["pass_rate"]["low"] < 0.8 < seen["metrics"]["pass_rate"]["high"]


def test_runs_are_listed_newest_first_by_status_and_archived_apart(
    api: Api, workspace: Workspace, alice: User
) -> None:
    version = samples.make_version(workspace)
    first, second, archived = (
        samples.started_run(workspace, alice, version=version) for _ in range(3)
    )
    Run.objects.filter(pk=archived.pk).update(archived_at="2026-03-01T12:00:00Z")

    def listed(query: str) -> list[str]:
        return [row["run_id"] for row in api.get(query)["results"]]

    assert listed("") == [second.pk, first.pk]
    assert listed("?status=queued") == [second.pk, first.pk]
    assert listed("?status=completed") == []
    assert listed("?archived=true") == [archived.pk]
    assert "status must be one of: queued" in api.get("?status=x", 400)["error"]["message"]


def test_a_stranger_finds_no_run(mixed: Run, charlie: User, client: Client) -> None:
    bearer = samples.bearer_of(charlie, charlie.memberships.get().workspace)
    below = ("", "/results", "/attempts", "/artifacts", "/artifacts/predictions.jsonl", "/verify")

    answers = [client.get(f"{RUNS}/{mixed.pk}{path}", headers=bearer) for path in below]

    assert {answer.status_code for answer in answers} == {404}
    assert {answer.json()["error"]["code"] for answer in answers} == {"not_found"}


# -- stopping and following up --------------------------------------------------------------


def test_a_cancelled_run_asks_nobody_and_accounts_for_every_record(
    api: Api, workspace: Workspace, alice: User
) -> None:
    run = samples.started_run(workspace, alice)

    answered = api.post(f"/{run.pk}/cancel", 200)
    again = api.post(f"/{run.pk}/cancel", 200)
    samples.work_until_ended(run)

    seen = api.get(f"/{run.pk}")
    assert answered["reason"] == again["reason"] == "Cancelled by Alice."
    assert (seen["status"], seen["counts"]["skipped_records"]) == ("cancelled", 3)
    assert adds_up(seen["counts"])
    assert {row["status"] for row in api.get(f"/{run.pk}/results")["results"]} == {"cancelled"}


def test_who_cancelled_and_resumed_by_which_request_is_in_the_audit_log(
    api: Api, workspace: Workspace, alice: User
) -> None:
    run = samples.started_run(workspace, alice)
    api.bearer["x-request-id"] = "by-alice-7"

    api.post(f"/{run.pk}/cancel", 200)
    samples.work_until_ended(run)
    api.post(f"/{run.pk}/resume", 202)

    noted = AuditEvent.objects.filter(request_id="by-alice-7").order_by("pk")
    assert [(event.verb, event.actor, event.via) for event in noted] == [
        ("run.cancelled", alice, "api"),
        ("run.started.resume", alice, "api"),
    ]


def test_a_run_that_has_ended_cannot_be_cancelled(api: Api, mixed: Run) -> None:
    answer = api.post(f"/{mixed.pk}/cancel", 400)

    assert answer["error"]["message"] == (
        "The run is completed_with_failures: there is nothing left to cancel."
    )


def test_resuming_asks_what_the_cancelled_run_left(
    api: Api, workspace: Workspace, alice: User
) -> None:
    parent = samples.cancelled_run(workspace, alice)

    child = api.post(f"/{parent.pk}/resume", 202)
    samples.work_until_ended(Run.objects.get(pk=child["run_id"]))

    seen = api.get(f"/{child['run_id']}")
    assert (seen["kind"], seen["parent_run_id"]) == ("resume", parent.pk)
    assert (seen["status"], seen["counts"]["passed_records"]) == ("completed", 3)
    assert api.get(f"/{parent.pk}")["status"] == "cancelled"


def test_retrying_asks_again_what_failed_and_carries_the_rest(
    api: Api, workspace: Workspace, alice: User
) -> None:
    target = samples.make_target(
        workspace, "shaky", planned_errors=[{"code": "invalid_response", "share": 0.5}]
    )
    version = samples.make_version(workspace, 12)
    parent = samples.ended_run(workspace, alice, version=version, target=target)
    failed = api.get(f"/{parent.pk}")["counts"]["failed_records"]

    child = api.post(f"/{parent.pk}/retry", 202)
    samples.work_until_ended(Run.objects.get(pk=child["run_id"]))

    results = api.get(f"/{child['run_id']}/results")["results"]
    asked = {row["index"] for row in api.get(f"/{child['run_id']}/attempts")["results"]}
    assert 0 < failed < 12
    assert (child["kind"], child["parent_run_id"]) == ("retry", parent.pk)
    assert sum(row["carried"] for row in results) == 12 - failed
    assert asked == {row["index"] for row in results if not row["carried"]}
    assert adds_up(api.get(f"/{child['run_id']}")["counts"])


@pytest.mark.parametrize("action", ["resume", "retry"])
def test_a_run_that_has_not_ended_has_no_follow_up(
    api: Api, workspace: Workspace, alice: User, action: str
) -> None:
    run = samples.started_run(workspace, alice)

    answer = api.post(f"/{run.pk}/{action}", 400)

    assert answer["error"]["message"] == "The run is queued; wait until it has ended."
    assert Run.objects.count() == 1


# -- results and calls ----------------------------------------------------------------------


def test_results_are_filtered_by_status_cause_and_verdict(api: Api, mixed: Run) -> None:
    results = f"/{mixed.pk}/results"

    def found(query: str) -> list[str]:
        return [row["record_id"] for row in api.get(results + query)["results"]]

    assert found("") == [f"q_{number:04d}" for number in range(7)]
    assert found("?verdict=failed") == ["q_0002"]
    assert found("?verdict=unjudged&status=completed") == ["q_0004", "q_0005"]
    assert found("?cause=timeout") == []
    assert "status must be one of" in api.get(results + "?status=lost", 400)["error"]["message"]


def test_a_score_that_could_not_be_given_says_why(api: Api, mixed: Run) -> None:
    [first, *_] = api.get(f"/{mixed.pk}/results?verdict=unjudged")["results"]

    [score] = first["scores"]
    assert (score["rule"], score["value"]) == ("exact", None)
    assert score["reason"]
    assert first["response"]


def test_results_come_page_by_page_and_none_twice(
    api: Api, workspace: Workspace, alice: User
) -> None:
    run = samples.ended_run(workspace, alice, version=samples.make_version(workspace, 60))

    first = api.get(f"/{run.pk}/results")
    second = api.get(f"/{run.pk}/results?cursor={first['next']}")
    back = api.get(f"/{run.pk}/results?cursor={second['previous']}")

    indexes = [row["index"] for row in first["results"] + second["results"]]
    assert indexes == list(range(60))
    assert second["next"] is None
    assert back["results"] == first["results"]


def test_every_call_has_its_moment_its_latency_and_its_error(
    api: Api, workspace: Workspace, alice: User
) -> None:
    target = samples.make_target(
        workspace, "down", planned_errors=[{"code": "timeout", "share": 1}]
    )
    run = samples.ended_run(workspace, alice, target=target)

    calls = api.get(f"/{run.pk}/attempts")["results"]
    of_one = api.get(f"/{run.pk}/attempts?index=1")["results"]

    assert [call["index"] for call in calls] == [0, 1, 2]
    assert [call["index"] for call in of_one] == [1]
    assert {call["error_code"] for call in calls} == {"timeout"}
    assert all(call["started_at"] and call["latency_ms"] is not None for call in calls)
    assert api.get(f"/{run.pk}/results?status=timeout&cause=timeout")["results"]
    assert "index must be" in api.get(f"/{run.pk}/attempts?index=-1", 400)["error"]["message"]


# -- files and their proof ------------------------------------------------------------------


def test_the_files_are_those_of_the_contract_and_have_the_hashes_listed(
    api: Api, mixed: Run
) -> None:
    listed = {row["name"]: row for row in api.get(f"/{mixed.pk}/artifacts")["results"]}

    assert listed.keys() == ARTIFACTS
    for name, row in listed.items():
        file = api.client.get(f"{RUNS}/{mixed.pk}/artifacts/{name}", headers=api.bearer)
        content = file.getvalue()
        assert hashlib.sha256(content).hexdigest() == row["sha256"]
        assert file["Content-Length"] == str(row["size"]) == str(len(content))
        assert file["Content-Type"] == row["media_type"]
        assert file["Content-Disposition"] == f'attachment; filename="{mixed.pk}-{name}"'


def test_the_files_count_as_the_api_counts(api: Api, mixed: Run) -> None:
    counts = api.get(f"/{mixed.pk}")["counts"]

    def rows(name: str) -> list[dict[str, Any]]:
        file = api.client.get(f"{RUNS}/{mixed.pk}/artifacts/{name}", headers=api.bearer)
        return [json.loads(line) for line in file.getvalue().splitlines()]

    assert len(rows("record_validation.jsonl")) == counts["total_records"]
    assert len(rows("predictions.jsonl")) == counts["valid_records"]


def test_verifying_recomputes_every_hash_and_finds_what_was_changed(api: Api, mixed: Run) -> None:
    before = api.get(f"/{mixed.pk}/verify")
    predictions = Artifact.objects.get(bundle=mixed.bundle, name="predictions.jsonl")
    file = store.path(predictions.sha256)
    file.chmod(0o600)
    file.write_bytes(file.read_bytes() + b" ")

    after = api.get(f"/{mixed.pk}/verify")

    states = {check["name"]: check["state"] for check in after["artifacts"]}
    assert before["ok"]
    assert before["records_checked"] == 7
    assert not after["ok"]
    assert states.pop("predictions.jsonl") == "changed"
    assert set(states.values()) == {"ok"}


@pytest.mark.parametrize("below", ["artifacts", "artifacts/predictions.jsonl", "verify"])
def test_there_are_no_files_before_the_end(
    api: Api, workspace: Workspace, alice: User, below: str
) -> None:
    run = samples.started_run(workspace, alice)

    answer = api.get(f"/{run.pk}/{below}", 404)

    assert answer["error"]["message"] == ("The run has not ended yet: its files are written then.")
    assert api.get(f"/{run.pk}/artifacts/secrets.env", 404)
