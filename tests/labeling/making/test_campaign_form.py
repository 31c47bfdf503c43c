"""A campaign made from the form, its errors and its estimate."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.labeling.models import Annotation, Campaign
from evalhub.desk import Argilla
from tests.labeling.building import a_campaign, an_ended_run, labelled
from tests.labeling.making.campaign_doors import address, lead

__all__ = ["lead"]


@pytest.fixture
def hosted(settings: LazySettings) -> None:
    settings.ARGILLA = Argilla(mode="hosted")


def filled_in(source: str, *people: User, **changes: Any) -> dict[str, Any]:
    return {
        "name": "Spring labels",
        "source": source,
        "tasks": ["grounding"],
        "how": "all",
        "people": [str(user.pk) for user in people],
        "min_submitted": "1",
        "calibration": "10",
        "audit": "0",
        "consensus": "majority",
        "language": "en",
        "action": "make",
        **changes,
    }


@pytest.mark.parametrize("name", ["campaigns", "new"])
def test_where_people_label_nowhere_that_is_said_before_a_campaign_is_made(
    name: str, lead: Client, workspace: Workspace, settings: LazySettings
) -> None:
    off = lead.get(address(name, workspace)).content.decode()
    settings.ARGILLA = Argilla(mode="hosted")
    hosted = lead.get(address(name, workspace)).content.decode()

    assert "People label nowhere here" in off
    assert "People label nowhere here" not in hosted


@pytest.mark.usefixtures("hosted")
def test_a_campaign_is_made_from_the_form(
    lead: Client, workspace: Workspace, alice: User, bob: User
) -> None:
    run = an_ended_run(workspace, alice)

    answer = lead.post(
        address("new", workspace), filled_in(run.pk, alice, bob, settlers=[str(bob.pk)])
    )

    campaign = Campaign.objects.get(name="Spring labels")
    assert answer["Location"] == address("campaign", workspace, campaign)
    assert campaign.created_by == alice
    assert campaign.assignments.get(user=bob).settles


def test_where_people_label_nowhere_no_campaign_is_made(
    lead: Client, workspace: Workspace, alice: User
) -> None:
    run = an_ended_run(workspace, alice)

    answer = lead.post(address("new", workspace), filled_in(run.pk, alice))

    assert "no campaign can be made" in str(answer.context["form"].non_field_errors())
    assert not Campaign.objects.exists()


@pytest.mark.usefixtures("hosted")
@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"tasks": []}, "tasks", "required"),
        ({"tasks": ["rubric"]}, "tasks", "the answers have no criteria"),
        ({"people": []}, "people", "required"),
        ({"how": "random", "size": ""}, "size", "how many answers"),
        ({"how": "stratified", "size": "2"}, "family", "which slices"),
        ({"tasks": ["own"]}, "own", "Own questions"),
        ({"tasks": ["grounding", "grounding_full"]}, "tasks", "ask about the same: choose one"),
        ({"own": "nonsense"}, "own", "Line 1"),
        ({"min_submitted": "3"}, "people", "only 1 labels."),
        ({"name": ""}, "name", "required"),
    ],
)
def test_every_error_stands_at_its_field(
    lead: Client,
    workspace: Workspace,
    alice: User,
    changes: dict[str, Any],
    field: str,
    said: str,
) -> None:
    run = an_ended_run(workspace, alice)

    answer = lead.post(address("new", workspace), filled_in(run.pk, alice, **changes))

    assert answer.status_code == 200
    assert said in str(answer.context["form"].errors[field])
    assert not Campaign.objects.exists()


def test_answers_to_choose_are_told_apart_by_their_dataset(
    lead: Client, workspace: Workspace, alice: User
) -> None:
    run = a_campaign(workspace, alice).run

    page = lead.get(address("new", workspace)).content.decode()

    assert f"Answers in the data ({run.dataset_version})," in page


def test_the_estimate_counts_before_anything_is_made(
    lead: Client, workspace: Workspace, alice: User, bob: User
) -> None:
    run = an_ended_run(workspace, alice, pairs=10)
    wanted = filled_in(
        run.pk, alice, bob, tasks=["grounding", "rubric"], action="estimate", calibration="100"
    )

    answer = lead.post(
        address("new", workspace),
        wanted,
        headers={"HX-Request": "true", "HX-Target": "estimate"},
    )

    estimate = answer.context["estimate"]
    assert [(task.items, task.calibration) for task in estimate.tasks] == [(10, 10), (0, 0)]
    assert (estimate.each, estimate.answers, estimate.seconds) == (10, 20, None)
    assert "no criteria" in answer.content.decode()
    assert not Campaign.objects.exists()


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"source": "", "tasks": []}, ["Choose answers.", "Choose a task."]),
        ({"how": "random"}, ["Say how many."]),
        (
            {"how": "random", "size": "99999999999"},
            ["How many: It may be 50000 at most, not 99999999999."],
        ),
        ({"how": "random", "size": "some"}, ["How many: Enter a whole number."]),
        ({"how": "stratified", "size": "2"}, ["Say by which slices."]),
        ({"tasks": ["own"]}, ["Write a question."]),
        ({"tasks": ["grounding", "grounding_full"]}, ["ask about the same: choose one"]),
    ],
)
def test_what_is_missing_for_an_estimate_is_said(
    lead: Client, workspace: Workspace, alice: User, changes: dict[str, Any], missing: list[str]
) -> None:
    run = an_ended_run(workspace, alice)
    body = {**filled_in(run.pk, alice, action="estimate"), **changes}

    answer = lead.post(address("new", workspace), body)

    told = answer.context["missing"]
    assert len(told) == len(missing)
    assert all(words in each for words, each in zip(missing, told, strict=True))
    assert told[0] in answer.content.decode()


def test_an_estimate_promises_only_what_can_be(
    lead: Client, workspace: Workspace, alice: User, bob: User
) -> None:
    run = an_ended_run(workspace, alice, pairs=1)
    body = filled_in(run.pk, alice, bob, action="estimate", calibration="0")

    shared = lead.post(address("new", workspace), body).content.decode()
    refused = lead.post(address("new", workspace), {**body, "min_submitted": "3"}).content.decode()

    assert "up to 1 answer" in shared
    assert "Time" not in shared
    assert "Each item is to get 3 answers, but only 2 label." in refused
    assert "Each person gives" not in refused


def test_time_is_told_for_a_person_and_for_an_answer(
    lead: Client, workspace: Workspace, alice: User
) -> None:
    campaign = a_campaign(workspace, alice, tasks=["grounding"], pairs=5)
    given = labelled(campaign, {"alice": ["true"] * 5})
    for number, annotation in enumerate(given):
        at = annotation.annotated_at + timedelta(seconds=30 * number)
        Annotation.objects.filter(pk=annotation.pk).update(annotated_at=at)
    body = filled_in(campaign.run_id, alice, action="estimate")

    page = " ".join(lead.post(address("new", workspace), body).content.decode().split())

    assert "for each person about 2 min 30 s <em>at 30 s an answer, as measured" in page
