"""Process and outcome apart, in the artifacts and on the page; the run of what came along."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.runs.beginning.regrading import Regrade, regrade
from apps.runs.labels import Said, label_failure
from apps.runs.models import Run
from apps.runs.recorded.recording import recorded_run
from tests import samples
from tests.datasets.scenario_files import event, log, scenario
from tests.runs.building import make_version
from tests.runs.conftest import artifact, drain
from tests.runs.pages import Opener, words_of
from tests.traces.building import imported, scenarios

pytestmark = pytest.mark.django_db

VERIFIER = {
    "verifier_id": "desk-review",
    "process_score": 0.9,
    "failure_attribution": "external_system",
    "verifier_evidence_refs": ["screenshot:step_7", "mail:dora@example.org"],
}


@pytest.fixture
def graded(workspace: Workspace) -> Run:
    """A scenario with one trace, graded by the rules of the data."""
    rules = [
        {"type": "max_tool_calls", "expected": 2, "blocking": True},
        {"type": "status_equals", "expected": "success", "blocking": True},
    ]
    row = scenario(1, grading_rules=rules, expected_outcomes={}, verifier_outputs=VERIFIER)
    version = scenarios(workspace, row).version
    assert version is not None
    imported(workspace, log("try-1", scenario_id="refund-1", status="failed"))
    recorded = drain(recorded_run(version, by=None, now=timezone.now()))
    return drain(regrade(Regrade(recorded, contract=None), now=timezone.now()))


def test_predictions_tell_process_and_outcome_apart_with_their_evidence(graded: Run) -> None:
    (row,) = artifact(graded, "predictions.jsonl")

    assert row["verdict"] == "failed"
    assert (row["process_score"], row["outcome_score"]) == (1.0, 0.0)
    assert (row["verifier_id"], row["verifier_contract_version"]) == ("evalhub", None)
    assert row["failure_attribution"] == "external_system"
    assert row["verifier_evidence_refs"][:2] == ["trace:try-1", "screenshot:step_7"]


def test_personal_data_of_a_reference_stays_out_of_the_artifact(graded: Run) -> None:
    (row,) = artifact(graded, "predictions.jsonl")

    assert "dora@example.org" not in str(row["verifier_evidence_refs"])


def test_where_nothing_was_graded_there_is_no_verifier(graded: Run) -> None:
    (row,) = artifact(Run.objects.get(pk=graded.parent_id), "predictions.jsonl")

    assert row["verifier_id"] is None
    assert row["process_score"] is None


def test_the_page_shows_it_and_a_person_has_the_last_word(graded: Run, opened: Opener) -> None:
    before = words_of(opened("record", graded.pk, 0))
    said = Said(primary="other", attribution="tool_adapter")
    label_failure(graded.results.get(), said, by=None, now=timezone.now())

    after = words_of(opened("record", graded.pk, 0))
    assert "Verifier output" in before
    assert "external system" in before
    assert "Rests on trace:try-1 , screenshot:step_7" in before
    assert "tool adapter Verifier evalhub rules of the data" in after


def test_a_lead_makes_the_run_of_what_came_along_from_the_page(
    workspace: Workspace, as_alice: Client
) -> None:
    version = scenarios(workspace, scenario(1)).version
    assert version is not None
    address = f"/w/demo/runs/of/{version.pk}/"
    refused = as_alice.post(address, follow=True)
    imported(workspace, event(payload={"scenario_id": "refund-1"}))

    made = as_alice.post(address)

    assert "no trace is of one of them" in words_of(refused.content.decode())
    run = Run.objects.get()
    assert made["Location"] == f"/w/demo/runs/{run.pk}/"
    assert as_alice.post(address)["Location"] == made["Location"]


def test_it_is_made_over_the_api_once(workspace: Workspace, alice: User, client: Client) -> None:
    version = scenarios(workspace, scenario(1)).version
    assert version is not None
    imported(workspace, log("try-1", scenario_id="refund-1"))
    bearer = samples.bearer_of(alice, workspace)

    def ask(pk: str) -> Any:
        return client.post(f"/api/v1/dataset-versions/{pk}/recorded-run", headers=bearer)

    first, again = ask(version.pk).json(), ask(version.pk).json()

    assert (first["kind"], first["name"]) == ("recorded", "Imported traces")
    assert again["run_id"] == first["run_id"]
    refused = ask(make_version(workspace).pk)
    assert refused.status_code == 400
    assert "Start a run first" in refused.json()["error"]["message"]
