"""Pages of gates over HTTP: what there is, baselines, asking; for whom and what not."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.analysis.gates.overriding import override
from apps.analysis.gates.policies import baselines
from apps.analysis.models import GateDecision, GatePolicy
from apps.runs.models import Run
from tests.runs.building import SKIPPED, UNJUDGED, make_version, queued_run

from .asking import page_of, sent, text_of
from .building import AT, a_decision, a_policy, a_run, approved

# -- the gates ------------------------------------------------------------------------------


def test_an_empty_workspace_is_told_what_a_gate_is_and_where_to_begin(lead: Client) -> None:
    page = text_of(lead)

    assert "No policy yet" in page
    assert "Make the first policy" in page
    assert "/w/demo/gates/policies/new/" in page


def test_policies_stand_with_their_baseline_and_their_last_answer(
    lead: Client, workspace: Workspace
) -> None:
    policy, run = a_policy(workspace), a_run(workspace, 30, 10, name="v1.4")
    approved(policy, run)
    a_decision(a_run(workspace, 20, 20, name="v1.5"), policy, change_id="change-17")

    page = text_of(lead)

    assert "releases" in page
    assert "v1.4" in page
    assert page.count("change-17") == 2


def test_decisions_are_found_by_run_policy_and_the_answer_that_counts(
    lead: Client, workspace: Workspace, alice: User
) -> None:
    policy = a_policy(workspace)
    first = a_decision(a_run(workspace, 20, 20), policy, change_id="change-a")
    other = a_decision(a_run(workspace, 20, 20), policy, change_id="change-b")
    override(first, answer="pass", reason="Known.", by=alice, now=AT)

    by_answer = text_of(lead, answer="pass")
    by_run = text_of(lead, run=other.run_id)

    assert "change-a" in by_answer.partition("Filter decisions")[2]
    assert "change-b" not in by_answer.partition("Filter decisions")[2]
    assert "change-a" not in by_run.partition("Filter decisions")[2]
    assert "by Alice; the gate said fail" in by_answer
    assert "No decision like that" in text_of(lead, answer="inconclusive")


def test_a_change_that_nobody_named_goes_by_the_title_of_its_run(
    lead: Client, workspace: Workspace
) -> None:
    decision = a_decision(a_run(workspace, 20, 20, name="v1.5"), a_policy(workspace))
    link = f'<a href="/w/demo/gates/decisions/{decision.pk}/">v1.5</a>'

    page, own = text_of(lead), text_of(lead, f"decisions/{decision.pk}/")

    assert page.count(link) == 2
    assert "<title>Fail: v1.5" in own


def test_a_page_asked_for_something_odd_is_a_page(lead: Client, workspace: Workspace) -> None:
    a_policy(workspace)

    answers = [
        page_of(lead, answer="maybe", policy="gp_\0", cursor="x"),
        page_of(lead, run="run_of_nobody"),
        page_of(lead, "policies/gp_of_nobody/"),
        page_of(lead, "decisions/gd_of_nobody/"),
        page_of(lead, "policies/new/", dataset="\0", name="x" * 500),
    ]

    assert [answer.status_code for answer in answers] == [200, 404, 404, 404, 200]


# -- baselines ------------------------------------------------------------------------------


def test_a_baseline_is_approved_with_a_reason_and_taken_back(
    lead: Client, workspace: Workspace
) -> None:
    policy, run = a_policy(workspace), a_run(workspace, 30, 10, name="v1.4")

    refused = sent(lead, f"policies/{policy.pk}/baseline/", run=run.pk, reason=" ")
    approved_one = sent(lead, f"policies/{policy.pk}/baseline/", run=run.pk, reason="In use.")
    standing = baselines.current_run(policy)
    silent = sent(lead, f"policies/{policy.pk}/baseline/withdraw/", reason="")
    still = baselines.current_run(policy)
    sent(lead, f"policies/{policy.pk}/baseline/withdraw/", reason="It was wrong.")

    assert (refused.status_code, approved_one.status_code, silent.status_code) == (422, 302, 302)
    assert (standing, still, baselines.current_run(policy)) == (run, run, None)
    page = text_of(lead, f"policies/{policy.pk}/")
    assert "It was wrong." in page
    assert "In use." in page


def test_only_runs_that_ended_of_the_dataset_are_offered(
    lead: Client, workspace: Workspace
) -> None:
    policy, run = a_policy(workspace), a_run(workspace, 30)
    elsewhere = a_run(workspace, 5, version=make_version(workspace, 5, name="others"))
    still_open = queued_run(workspace, version=run.dataset_version)
    unjudged = a_run(workspace, 0, 0, *[UNJUDGED] * 30, version=run.dataset_version)
    GatePolicy.objects.update(dataset=run.dataset_version.dataset)

    page = text_of(lead, f"policies/{policy.pk}/baseline/")
    forced = sent(lead, f"policies/{policy.pk}/baseline/", run=still_open.pk, reason="Now.")

    assert run.pk in page
    assert elsewhere.pk not in page
    assert unjudged.pk not in page
    assert still_open.pk not in page
    assert forced.status_code == 422


def test_runs_that_did_not_ask_every_record_are_offered_as_no_baseline(
    lead: Client, workspace: Workspace
) -> None:
    policy = a_policy(workspace)
    cancelled = a_run(workspace, 20, 0, SKIPPED, name="stopped half way")
    failed = a_run(workspace, 20, name="broken")
    Run.objects.filter(pk=failed.pk).update(state="failed")

    approving = page_of(lead, f"policies/{policy.pk}/baseline/")
    asking = page_of(lead, f"policies/{policy.pk}/ask/")

    assert cancelled.state == "cancelled"
    form: Any = asking.context["form"]
    assert {key for key, _ in form.fields["run"].choices} == {"", cancelled.pk, failed.pk}
    assert [key for key, _ in form.fields["baseline"].choices] == [""]
    assert "No run to approve" in approving.content.decode()


# -- asking ---------------------------------------------------------------------------------


def test_asking_leads_to_the_decision(lead: Client, workspace: Workspace, alice: User) -> None:
    policy, run = a_policy(workspace), a_run(workspace, 20, 20)

    answer = sent(lead, f"policies/{policy.pk}/ask/", run=run.pk, change_id="change-17")

    decision = GateDecision.objects.get()
    assert answer["Location"] == f"/w/demo/gates/decisions/{decision.pk}/"
    assert (decision.run, decision.change_id, decision.decided_by) == (run, "change-17", alice)


@pytest.mark.parametrize("fields", [{}, {"run": "run_of_nobody"}, {"change_id": "x" * 300}])
def test_what_cannot_be_asked_is_said_on_the_form(
    lead: Client, workspace: Workspace, fields: dict[str, str]
) -> None:
    policy, run = a_policy(workspace), a_run(workspace, 20, 20)
    given = {"run": "", **({"run": run.pk} if "change_id" in fields else {}), **fields}

    answer = sent(lead, f"policies/{policy.pk}/ask/", **given)

    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert not GateDecision.objects.exists()


def test_a_run_is_not_compared_with_itself(lead: Client, workspace: Workspace) -> None:
    asked = {"metrics": [{"metric": "pass_rate", "margin": 0.03}]}
    policy, run = a_policy(workspace, **asked), a_run(workspace, 20, 20)

    answer = sent(lead, f"policies/{policy.pk}/ask/", run=run.pk, baseline=run.pk)

    assert answer.status_code == 422
    assert not GateDecision.objects.exists()
