"""Making a campaign: what is refused, what is frozen, what follows."""

import pytest
from django.core.exceptions import ValidationError

from apps.accounts.models import AuditEvent, User, Workspace
from apps.jobs.models import JobState
from apps.labeling.models import Campaign, CampaignStep
from tests.labeling.building import a_campaign, a_run, step_of


def test_a_new_campaign_prepares_itself(workspace: Workspace, alice: User, bob: User) -> None:
    campaign = a_campaign(workspace, alice, bob, prepared=False, settlers=[bob])

    assert campaign.state == Campaign.State.PREPARING
    assert campaign.desk_name.startswith("spring-labels-")
    assert campaign.planned.tasks == ("grounding", "relevance")
    assert step_of(campaign, CampaignStep.Name.PREPARE).state in (JobState.SENT, JobState.PENDING)
    assert [each.settles for each in campaign.assignments.all()] == [True]
    assert AuditEvent.objects.get(verb="campaign.created").object_id == campaign.pk


def test_everything_that_is_wrong_is_said_at_once(
    workspace: Workspace, alice: User, charlie: User
) -> None:
    run = a_run(workspace, alice)

    with pytest.raises(ValidationError) as caught:
        a_campaign(workspace, alice, charlie, run=run, name=" ", guidelines="x" * 9_501)

    assert set(caught.value.message_dict) == {"name", "people", "guidelines"}
    assert "Charlie" in caught.value.message_dict["people"][0]


@pytest.mark.parametrize(
    ("kind", "options", "says"),
    [
        ("rating", ["low", "high"], "at least two whole numbers from 0 to 10"),
        ("rating", [], "at least two whole numbers from 0 to 10"),
        ("rating", ["9", "10", "11"], "at least two whole numbers from 0 to 10"),
        ("several", ["a", "b", "a; b"], "has an option with “; ” in it"),
    ],
)
def test_a_question_that_nobody_could_be_asked_is_refused(
    workspace: Workspace, alice: User, kind: str, options: list[str], says: str
) -> None:
    given = [{"value": value, "title": value} for value in options]
    own = [{"name": "depth", "title": "How deep?", "kind": kind, "options": given}]

    with pytest.raises(ValidationError, match=says):
        a_campaign(workspace, alice, tasks=["own"], own=own)

    assert not Campaign.objects.exists()


def test_a_name_is_used_once_in_a_workspace(workspace: Workspace, alice: User) -> None:
    run = a_run(workspace, alice)
    a_campaign(workspace, alice, run=run, prepared=False)

    with pytest.raises(ValidationError, match="of that name already"):
        a_campaign(workspace, alice, run=run, prepared=False)


def test_nobody_is_promised_more_answers_than_there_are_people(
    workspace: Workspace, alice: User, bob: User
) -> None:
    with pytest.raises(ValidationError, match="only 2 label"):
        a_campaign(workspace, alice, alice, bob, min_submitted=3)


def test_a_campaign_without_items_is_refused_with_the_reason_of_each_task(
    workspace: Workspace, alice: User
) -> None:
    run = a_run(workspace, alice)

    with pytest.raises(ValidationError) as caught:
        a_campaign(workspace, alice, run=run, tasks=["rubric", "reference"])

    (said,) = caught.value.message_dict["tasks"]
    assert "the answers have no criteria." in said
    assert "the answers have no reference answer." in said
    assert not Campaign.objects.exists()


def test_a_campaign_that_nothing_is_chosen_for_is_refused(
    workspace: Workspace, alice: User
) -> None:
    with pytest.raises(ValidationError, match="choose another sample"):
        a_campaign(workspace, alice, sample={"how": "disagreement", "size": 2})


def test_who_settles_labels_too(workspace: Workspace, alice: User, bob: User) -> None:
    with pytest.raises(ValidationError, match="add Alice"):
        a_campaign(workspace, alice, bob, settlers=[alice])
