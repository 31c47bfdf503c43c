"""Who labels blind opens no run over the dataset whose answers they label."""

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Membership, User, Workspace
from apps.accounts.permissions import Role, allows
from apps.datasets.models import Dataset
from apps.labeling.members import blinding
from apps.labeling.models import Campaign
from apps.runs.models import Run, Score, Summary
from tests.labeling.building import labels_blind
from tests.labeling.members.blind import SECRET, body_of, run
from tests.runs import building
from tests.test_permissions import _bearer, call, open_page, url_of
from tests.url_table import Address, addresses

__all__ = ["run"]

OF_A_RUN = [address for address in addresses() if "run_id" in address.arguments]
OTHERS = [
    address
    for address in addresses()
    if address.guard in ("page", "api") and address not in OF_A_RUN and "GET" in address.permissions
]
OPEN, PREPARING = Campaign.State.OPEN, Campaign.State.PREPARING
FAILED = Campaign.State.FAILED


def _doors(found: list[Address], *methods: str) -> pytest.MarkDecorator:
    doors = [
        pytest.param(address, method, id=f"{method} {address}")
        for address in found
        for method in sorted(address.permissions)
        if allows(Role.REVIEWER, address.permissions[method]) and method in (methods or (method,))
    ]
    return pytest.mark.parametrize(("address", "method"), doors)


def blinded(workspace: Workspace, user: User) -> None:
    """Every dataset of the workspace is labelled blind; whatever its runs say, says SECRET."""
    for dataset in Dataset.objects.filter(workspace=workspace):
        run = Run.objects.filter(dataset_version__dataset=dataset).first()
        made = run or building.queued_run(workspace, version=dataset.versions.all()[0])
        labels_blind(made, user)
    Score.objects.update(reason=SECRET)
    Summary.objects.update(reason=SECRET)
    Run.objects.update(name=SECRET)


def ask(
    client: Client, address: Address, method: str, workspace: Workspace, bob: User, url: str
) -> HttpResponse:
    if address.guard == "api":
        return call(client, address, method, url, authorization=_bearer(workspace, bob))
    client.force_login(bob)
    return open_page(client, address, method, url)


@_doors(OF_A_RUN)
def test_no_address_of_a_run_opens_while_its_answers_are_labelled_blind(
    address: Address, method: str, workspace: Workspace, alice: User, bob: User, client: Client
) -> None:
    url = url_of(address, workspace, alice)
    blinded(workspace, bob)

    answer = ask(client, address, method, workspace, bob, url)

    assert answer.status_code in (403, 404)
    assert SECRET not in body_of(answer)


@_doors(OF_A_RUN)
def test_every_address_of_a_run_opens_again_when_the_campaign_is_closed(
    address: Address, method: str, workspace: Workspace, alice: User, bob: User, client: Client
) -> None:
    url = url_of(address, workspace, alice)
    blinded(workspace, bob)
    Campaign.objects.update(state=Campaign.State.CLOSED)

    answer = ask(client, address, method, workspace, bob, url)

    assert answer.status_code not in (401, 403, 404)


@_doors(OTHERS, "GET")
def test_no_other_page_tells_of_a_concealed_run(
    address: Address, method: str, workspace: Workspace, alice: User, bob: User, client: Client
) -> None:
    building.ended_run(workspace, contract=building.make_contract(workspace, "own"))
    url = url_of(address, workspace, bob)
    blinded(workspace, bob)

    answer = ask(client, address, method, workspace, bob, url)

    assert SECRET not in body_of(answer)


def sees(user: User, run: Run) -> bool:
    return Run.objects.visible_to(user).filter(pk=run.pk).exists()


@pytest.mark.parametrize("state", [PREPARING, OPEN, FAILED])
def test_a_reviewer_who_labels_blind_does_not_see_the_run(run: Run, bob: User, state: str) -> None:
    labels_blind(run, bob, state=state)

    assert not sees(bob, run)


def test_other_versions_and_follow_ups_are_concealed_too(
    workspace: Workspace, run: Run, bob: User
) -> None:
    """The same answers may be scored there."""
    other = building.ended_run(workspace, version=building.make_version(workspace))
    elsewhere = building.ended_run(workspace, version=building.make_version(workspace, name="b"))
    labels_blind(run, bob)

    assert not sees(bob, other)
    assert sees(bob, elsewhere)


@pytest.mark.parametrize(
    "facts",
    [
        {"blind": False},
        {"state": Campaign.State.CLOSED},
        {"state": FAILED, "archived_at": timezone.now()},
    ],
    ids=["sighted", "closed", "failed and archived"],
)
def test_nothing_is_concealed_where_nobody_labels_blind(
    run: Run, bob: User, facts: dict[str, Any]
) -> None:
    labels_blind(run, bob, **facts)

    assert sees(bob, run)


def test_whoever_is_taken_out_of_the_campaign_sees_the_run_again(run: Run, bob: User) -> None:
    campaign = labels_blind(run, bob)
    campaign.assignments.filter(user=bob).delete()

    assert sees(bob, run)


def test_leads_and_admins_are_not_blinded(run: Run, alice: User, ada: User) -> None:
    labels_blind(run, alice, ada)

    assert sees(alice, run)
    assert sees(ada, run)


def test_who_would_not_label_blind_is_told_before(
    workspace: Workspace, alice: User, bob: User, ada: User, charlie: User
) -> None:
    assert blinding.sighted([alice, bob, ada, charlie], workspace) == [ada, alice]


def test_a_reviewer_here_who_leads_elsewhere_is_blinded_here(
    workspace: Workspace, run: Run, bob: User, charlie: User
) -> None:
    Membership.objects.create(
        workspace=charlie.memberships.get().workspace, user=bob, role=Role.LEAD
    )
    labels_blind(run, bob)

    assert not sees(bob, run)


def test_the_list_says_how_many_runs_are_hidden_and_why(
    workspace: Workspace, run: Run, bob: User, client: Client
) -> None:
    building.ended_run(workspace, version=run.dataset_version)
    labels_blind(run, bob)
    client.force_login(bob)

    page = client.get(reverse("runs:list", args=["demo"])).content.decode()

    assert "2 runs are hidden while you label blind" in page


def test_the_list_says_nothing_to_who_sees_all(run: Run, bob: User, client: Client) -> None:
    client.force_login(bob)

    page = client.get(reverse("runs:list", args=["demo"])).content.decode()

    assert "while you label blind" not in page
