"""Campaigns over the API."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import AuditEvent, User, Workspace
from apps.labeling.making.creating import NOWHERE
from apps.labeling.models import Campaign, CampaignStep
from tests.datasets.pairs import pairs_version
from tests.labeling.building import a_campaign, a_run, step_of
from tests.labeling.fake_desk import FakeDesk, fake_desk
from tests.labeling.sending.test_pushing import pushed

__all__ = ["fake_desk"]

ALL = "/api/v1/campaigns"


@pytest.fixture
def lead(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


def made(client: Client, **changes: Any) -> Any:
    body = {"name": "Spring", "tasks": ["grounding"], "people": ["bob"], **changes}
    return client.post(ALL, body, content_type="application/json")


@pytest.mark.usefixtures("fake_desk")
def test_a_campaign_is_made_over_a_dataset(lead: Client, workspace: Workspace, bob: User) -> None:
    version = pairs_version(workspace)

    answer = made(
        lead, dataset=version.pk, sample={"how": "random", "size": 2, "seed": 7}, settlers=["bob"]
    )

    campaign = Campaign.objects.get()
    assert answer.status_code == 202
    assert answer.json()["campaign_id"] == campaign.pk
    assert answer.json()["state"] == "preparing"
    assert campaign.planned.sample.size == 2
    assert campaign.run.dataset_version == version
    assert AuditEvent.objects.get(verb="campaign.created").via == "api"


def test_where_people_label_nowhere_no_campaign_is_made(
    lead: Client, workspace: Workspace, alice: User, bob: User
) -> None:
    answer = made(lead, run=a_run(workspace, alice).pk)

    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == NOWHERE
    assert not Campaign.objects.exists()


@pytest.mark.usefixtures("fake_desk")
@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"people": ["nobody"]}, "people"),
        ({"sample": {"how": "random"}}, "size"),
        ({"tasks": ["own"]}, "own"),
        ({"tasks": ["retrieval", "retrieval_full"]}, "tasks"),
        ({"tasks": ["guessing"]}, "tasks"),
        ({"run": "", "dataset": ""}, "run"),
        ({"min_submitted": 2}, "people"),
    ],
)
def test_what_is_wrong_is_said_of_its_field(
    lead: Client,
    workspace: Workspace,
    alice: User,
    bob: User,
    changes: dict[str, Any],
    field: str,
) -> None:
    run = a_run(workspace, alice)

    answer = made(lead, **{"run": run.pk, **changes})

    assert answer.status_code == 400
    assert field in answer.json()["error"]["details"]["fields"]
    assert not Campaign.objects.exists()


def test_a_campaign_says_how_far_it_is(
    lead: Client, workspace: Workspace, alice: User, bob: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice, bob, tasks=["grounding"])
    pushed(campaign)
    campaign.queues.get().records.update(submitted=1)

    found = lead.get(f"{ALL}/{campaign.pk}").json()
    listed = lead.get(ALL, {"state": "open"}).json()["results"]

    assert (found["items"], found["items_done"]) == (3, 3)
    assert found["queues"][0]["pushed"] == 3
    assert found["sample"]["drawn"] == 3
    assert [each["name"] for each in found["people"]] == ["Bob"]
    assert [each["campaign_id"] for each in listed] == [campaign.pk]


def test_a_campaign_is_closed_and_read_once_more(
    lead: Client, workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice)
    pushed(campaign)

    asked = lead.post(f"{ALL}/{campaign.pk}/sync")
    closed = lead.post(f"{ALL}/{campaign.pk}/close")

    assert (asked.status_code, closed.status_code) == (202, 200)
    assert closed.json()["state"] == "closed"
    assert step_of(campaign, CampaignStep.Name.PUSH).is_open


def test_nothing_is_read_of_a_campaign_that_is_not_in_argilla(
    lead: Client, workspace: Workspace, alice: User
) -> None:
    campaign = a_campaign(workspace, alice)

    answer = lead.post(f"{ALL}/{campaign.pk}/sync")

    assert answer.status_code == 400
    assert "Nothing of the campaign is in Argilla" in answer.json()["error"]["message"]
