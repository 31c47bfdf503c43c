"""Numbers too large for the database, in every address that takes one: no page breaks."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.labeling.models import Campaign, Question
from tests.labeling import labelled

FAR = "9" * 20
FARTHER = "9" * 5_000


@pytest.fixture
def campaign(workspace: Workspace) -> Campaign:
    made = labelled.a_campaign(workspace)
    labelled.say(made.questions.get(), "dora", ["true", "false"])
    labelled.analysed(made)
    return made


@pytest.fixture
def lead(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


@pytest.mark.parametrize(
    "room", ["", "labels/", "reviews/", "agreed/", "agreement/", "exports/", "judges/"]
)
def test_a_far_number_in_a_filter_is_none(lead: Client, campaign: Campaign, room: str) -> None:
    for number in (FAR, "²", "-1"):
        told = dict.fromkeys(("question", "cursor", "scope", "family"), number)
        told["skipped"] = f"{number}-{number}"

        answer = lead.get(f"/w/demo/labeling/{campaign.pk}/{room}", told)

        assert answer.status_code == 200


@pytest.mark.parametrize("number", [FAR, FARTHER], ids=["far", "farther"])
@pytest.mark.parametrize("room", ["reviews/{}-{}/", "judges/{}/", "exports/{}.zip"])
def test_a_far_number_in_an_address_is_nowhere(
    lead: Client, campaign: Campaign, room: str, number: str
) -> None:
    url = f"/w/demo/labeling/{campaign.pk}/{room.replace('{}', number)}"

    assert lead.get(url).status_code == 404


@pytest.mark.parametrize("number", [FAR, FARTHER], ids=["far", "farther"])
def test_a_far_number_in_a_form_is_refused(lead: Client, campaign: Campaign, number: str) -> None:
    here = f"/w/demo/labeling/{campaign.pk}/"

    vouched = lead.post(f"{here}reviews/", {"expected": number}, follow=True)
    agreed = lead.post(f"{here}agreed/", {"unit": f"{number}:{number}"})
    entered = lead.post("/w/demo/labeling/enter/", {"queue": number})

    assert (vouched.status_code, agreed.status_code) == (200, 404)
    assert entered.status_code in (302, 404)


@pytest.mark.parametrize("path", ["", "?archived=true&", "/{}/exports", "/{}/agreement"])
def test_the_api_reads_far_numbers_as_any_other_text(
    lead: Client, campaign: Campaign, path: str
) -> None:
    address = f"/api/v1/campaigns{path.replace('{}', campaign.pk)}"

    assert lead.get(f"{address}{'&' if '?' in address else '?'}cursor={FAR}").status_code == 200


@pytest.mark.parametrize(
    "changes",
    [
        {"min_submitted": 10**30},
        {"sample": {"how": "random", "size": 10**30}},
        {"sample": {"seed": 10**30}},
        {"sample": {"gold": 10**30}},
        {"calibration_share": 10**300},
    ],
    ids=str,
)
def test_the_api_refuses_plans_with_far_numbers(
    lead: Client, campaign: Campaign, bob: User, changes: dict[str, Any]
) -> None:
    body = {"name": "Far", "tasks": ["grounding"], "people": ["bob"], "run": campaign.run_id}

    answer = lead.post("/api/v1/campaigns", {**body, **changes}, content_type="application/json")

    assert answer.status_code == 400
    assert Question.objects.filter(campaign__name="Far").count() == 0


def test_a_form_that_an_address_fills_in_is_shown(lead: Client, campaign: Campaign) -> None:
    for number in (FAR, FARTHER):
        url = f"/w/demo/labeling/new/?source={campaign.run_id}&how=random&size={number}"

        assert lead.get(url).status_code == 200
