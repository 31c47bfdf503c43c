"""Runs too large to be compared in a request: workers do it, and who asked asks again."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import Workspace
from apps.analysis.comparing import IN_REQUEST, asking
from apps.analysis.models import Comparison, GateDecision, GatePolicy
from apps.datasets.models import DatasetVersion
from apps.jobs import services as jobs
from apps.jobs.models import JobState
from apps.runs.models import Run

from .asking import sent
from .building import MARGIN, a_decision, a_policy, a_run, approved

GATES = "/api/v1/gates"


@pytest.fixture
def policy(workspace: Workspace, before: Run) -> GatePolicy:
    policy = a_policy(workspace, **MARGIN)
    approved(policy, before)
    return policy


@pytest.fixture
def run(workspace: Workspace, version: DatasetVersion, policy: GatePolicy) -> Run:
    """It and the baseline are large, to go by what was planned."""
    found = a_run(workspace, 180, 20, version=version, name="candidate")
    Run.objects.update(planned=IN_REQUEST)
    found.refresh_from_db()
    return found


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "WAIT_SECONDS", 0)


def _ask(client: Client, run: Run) -> Any:
    return client.post(GATES, {"run": run.pk}, content_type="application/json")


@pytest.mark.usefixtures("impatient")
def test_the_api_asks_a_worker_and_says_when_to_ask_again(
    lead: Client, run: Run, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        answer = _ask(lead, run)

    assert (answer.status_code, answer["retry-after"]) == (409, "10")
    assert "ask again" in answer.json()["error"]["message"]
    waiting = Comparison.objects.get()
    assert (waiting.state, waiting.body) == (JobState.SENT, None)
    assert not GateDecision.objects.exists()


@pytest.mark.usefixtures("impatient")
def test_once_a_worker_has_compared_them_the_gate_decides(lead: Client, run: Run) -> None:
    refused = _ask(lead, run)
    jobs.work_here(lambda: Comparison.objects.filter(state=JobState.DONE).exists())

    answer = _ask(lead, run)

    assert (refused.status_code, answer.status_code) == (409, 201)
    assert GateDecision.objects.get().comparison == Comparison.objects.get()


@pytest.mark.usefixtures("impatient")
def test_the_page_keeps_what_was_chosen_and_says_to_ask_again(
    lead: Client, run: Run, policy: GatePolicy
) -> None:
    answer = sent(lead, f"policies/{policy.pk}/ask/", run=run.pk, change_id="change-17")

    assert answer.status_code == 422
    assert "not computed yet: ask again in a moment" in answer.content.decode()
    assert b'value="change-17"' in answer.content
    assert not GateDecision.objects.exists()


def test_a_command_compares_them_itself(run: Run, policy: GatePolicy) -> None:
    decision = a_decision(run, policy, via="command")

    assert decision.comparison is not None
    assert decision.comparison.state == JobState.DONE
