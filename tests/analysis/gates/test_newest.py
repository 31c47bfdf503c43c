"""What a gate said last of a run, and of a policy."""

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.analysis.gates.policies.baselines import approve
from apps.analysis.gates.telling.newest import newest
from tests.analysis.gates.building import AT, a_decision, a_policy, a_run
from tests.runs.building import make_version


@pytest.mark.parametrize("first", [True, False])
def test_an_answer_against_another_baseline_stands_for_nothing(
    workspace: Workspace, alice: User, client: Client, first: bool
) -> None:
    version = make_version(workspace, 100)
    good, bad, run = (a_run(workspace, n, 100 - n, version=version) for n in (95, 40, 60))
    policy = a_policy(workspace, metrics=[{"metric": "pass_rate", "margin": 0.03}])
    approve(policy, good, reason="released", by=alice, now=AT, via="command")

    answers = {a_decision(run, policy, each).answer for each in (None, bad)[:: 1 if first else -1]}

    [said] = newest(run, alice)
    assert answers == {"pass", "fail"}
    assert said.answer == "fail"
    client.force_login(alice)
    page = client.get(reverse("analysis:gates", args=[workspace.slug])).content.decode()
    assert page.count("not against the approved baseline") == 1


def test_without_a_baseline_an_answer_stands(workspace: Workspace, alice: User) -> None:
    run = a_run(workspace, 90, 10)
    a_decision(run, a_policy(workspace, metrics=[{"metric": "pass_rate", "at_least": 0.5}]))

    [said] = newest(run, alice)

    assert said.answer == "pass"


def test_each_policy_stands_once_with_its_newest_answer_the_worst_first(
    workspace: Workspace, alice: User
) -> None:
    run = a_run(workspace, 80, 20)
    asked = {"Lenient": 0.5, "Close": 0.78, "Strict": 0.95}
    policies = {
        name: a_policy(workspace, name, metrics=[{"metric": "pass_rate", "at_least": share}])
        for name, share in asked.items()
    }
    for policy in policies.values():
        a_decision(run, policy)
    again = a_decision(run, policies["Strict"])

    said = newest(run, alice)

    assert [(each.policy, each.answer) for each in said] == [
        ("Strict", "fail"),
        ("Close", "inconclusive"),
        ("Lenient", "pass"),
    ]
    assert said[0].address.endswith(f"/{again.pk}/")


def test_the_page_of_a_run_names_the_policies_and_leads_to_the_rest(
    workspace: Workspace, lead: Client
) -> None:
    run = a_run(workspace, 90, 10)
    for number in range(5):
        a_decision(run, a_policy(workspace, f"Policy {number}"))

    page = lead.get(reverse("runs:detail", args=[workspace.slug, run.pk])).content.decode()

    assert [f"Policy {number}</a>" in page for number in range(5)] == [True] * 3 + [False] * 2
    assert f'{reverse("analysis:gates", args=[workspace.slug])}?run={run.pk}">2 more</a>' in page
