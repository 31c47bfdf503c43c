"""What leads do to a campaign: once, by conditional updates, audited."""

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from apps.accounts.models import AuditEvent, User, Workspace
from apps.labeling.making import control
from apps.labeling.models import Annotation, Campaign, CampaignStep, Report
from apps.labeling.progress import queues_of
from tests.labeling.at_the_desk import Labeller, looked, opened
from tests.labeling.building import a_campaign, labelled, step_of
from tests.labeling.fake_desk import FakeDesk, fake_desk
from tests.labeling.sending.test_pushing import pushed
from tests.runs.conftest import work_on

__all__ = ["fake_desk"]


def test_closing_twice_changes_nothing(
    workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice)
    pushed(campaign)

    for _ in range(2):
        control.close(campaign, by=alice, now=timezone.now())

    campaign.refresh_from_db()
    assert campaign.state == Campaign.State.CLOSED
    assert AuditEvent.objects.filter(verb="campaign.closed").count() == 1


def test_closing_has_the_numbers_computed_without_those_who_did_not_answer(
    workspace: Workspace, alice: User, bob: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice, alice, bob, tasks=["grounding"], min_submitted=2)
    pushed(campaign)
    labelled(campaign, {"bob": ["true"]})

    control.close(campaign, by=alice, now=timezone.now())
    work_on(step_of(campaign, CampaignStep.Name.ANALYSE))

    [outcome] = Report.objects.get(campaign=campaign, kind="consensus").body["questions"]
    assert (outcome["units"], outcome["agreed"], outcome["unsettled"]) == (1, 1, [])


def test_a_campaign_that_was_never_pushed_is_prepared_when_it_is_reopened(
    workspace: Workspace, alice: User
) -> None:
    campaign = a_campaign(workspace, alice, prepared=False)
    control.close(campaign, by=alice, now=timezone.now())

    control.reopen(campaign, by=alice)

    campaign.refresh_from_db()
    assert campaign.state == Campaign.State.PREPARING
    assert step_of(campaign, CampaignStep.Name.PREPARE).is_open


def test_argilla_is_looked_at_again_when_a_campaign_is_reopened(
    workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(workspace, alice)
    pushed(campaign)
    control.close(campaign, by=alice, now=timezone.now())
    pushed(campaign)
    work_on(step_of(campaign, CampaignStep.Name.SYNC))
    assert not step_of(campaign, CampaignStep.Name.SYNC).is_open

    control.reopen(campaign, by=alice)

    assert step_of(campaign, CampaignStep.Name.SYNC).is_open


def test_an_archived_campaign_is_restored_before_it_is_reopened(
    workspace: Workspace, alice: User
) -> None:
    campaign = a_campaign(workspace, alice)
    control.close(campaign, by=alice, now=timezone.now())
    control.archive(campaign, by=alice, now=timezone.now())

    with pytest.raises(ValidationError, match="Restore"):
        control.reopen(campaign, by=alice)


def test_who_labels_may_change_and_argilla_follows(
    workspace: Workspace, alice: User, bob: User, ada: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(
        workspace, alice, alice, bob, pairs=20, calibration_share=0.5, tasks=["grounding"]
    )
    pushed(campaign)

    control.change_people(campaign, [alice, bob, ada], [ada], by=alice)
    pushed(campaign)

    share = campaign.queues.get(calibration=True)
    assert share.min_submitted == 3
    assert fake_desk.datasets[share.dataset_id].shape.min_submitted == 3
    assert len(fake_desk.workspaces[campaign.desk_name]) == 3
    assert AuditEvent.objects.get(verb="campaign.people_changed").changes == {
        "people": [["alice", "bob"], ["ada (settles)", "alice", "bob"]]
    }


def test_who_comes_for_somebody_sees_what_that_person_has_answered(
    workspace: Workspace, alice: User, bob: User, ada: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(
        workspace, alice, alice, bob, pairs=20, calibration_share=0.5, tasks=["grounding"]
    )
    pushed(campaign)
    share = campaign.queues.get(calibration=True)
    bobs = Annotation(
        item=share.records.all()[0].item,
        question=campaign.questions.get(),
        annotator="bob",
        user=bob,
        label="true",
    )
    bobs.save()

    control.change_people(campaign, [alice, ada], by=alice)
    pushed(campaign)

    assert campaign.queues.get(calibration=True).min_submitted == 2
    assert fake_desk.datasets[share.dataset_id].shape.min_submitted == 3


def test_an_item_for_everybody_is_not_done_by_who_has_left(
    workspace: Workspace, alice: User, bob: User, ada: User, fake_desk: FakeDesk
) -> None:
    campaign = a_campaign(
        workspace, alice, alice, bob, pairs=1, calibration_share=1, tasks=["grounding"]
    )
    opened(campaign, fake_desk)
    for person in ("alice", "bob"):
        Labeller(fake_desk, campaign, person).says(0, label="true")
    looked(campaign)
    [before] = queues_of(campaign)

    control.change_people(campaign, [alice, ada], by=alice)
    [after] = queues_of(campaign)
    opened(campaign, fake_desk)
    Labeller(fake_desk, campaign, "ada").says(0, label="true")
    looked(campaign)
    [at_last] = queues_of(campaign)

    assert [each.enough for each in (before, after, at_last)] == [1, 0, 1]
    assert [each.submitted for each in (before, after, at_last)] == [2, 1, 2]
    assert Annotation.objects.filter(user=bob, label="true").exists()


def test_the_truth_is_told_anew_when_others_are_waited_for(
    workspace: Workspace, alice: User, bob: User
) -> None:
    campaign = a_campaign(workspace, alice, alice)
    campaign.steps.filter(name="analyse").delete()

    control.change_people(campaign, [alice, bob], by=alice)

    assert campaign.steps.get(name="analyse").is_open


def test_nobody_is_left_out_below_the_overlap(workspace: Workspace, alice: User, bob: User) -> None:
    campaign = a_campaign(workspace, alice, alice, bob, min_submitted=2)

    with pytest.raises(ValidationError, match="only 1 label"):
        control.change_people(campaign, [alice], by=alice)

    assert campaign.assignments.count() == 2


def test_an_imported_campaign_is_neither_closed_nor_reopened(
    workspace: Workspace, alice: User
) -> None:
    campaign = a_campaign(workspace, alice)
    Campaign.objects.filter(pk=campaign.pk).update(kind="import", state="closed")

    control.reopen(campaign, by=alice)

    campaign.refresh_from_db()
    assert campaign.state == Campaign.State.CLOSED
