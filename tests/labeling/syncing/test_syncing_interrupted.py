"""Argilla away, workers killed, readings overtaken: nothing is lost or doubled."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.jobs import services as jobs
from apps.jobs.leases import Lease, LeaseLost
from apps.jobs.models import JobState
from apps.labeling.desk.protocol import DeskDown
from apps.labeling.models import Annotation, AnnotationChange, Campaign, CampaignStep, DeskRecord
from apps.labeling.nudging import ask_for
from apps.labeling.syncing import Synced, sync_now
from tests.labeling.at_the_desk import Labeller, looked
from tests.labeling.building import step_of
from tests.labeling.fake_desk import FakeDesk, fake_desk
from tests.labeling.syncing.asked import SYNC, Overheard, ask_bob, campaign
from tests.runs.conftest import expire, lease_of, work_on

__all__ = ["ask_bob", "campaign", "fake_desk"]


def test_while_argilla_is_down_the_step_waits_and_says_so(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    fake_desk.down = True

    step = looked(campaign)

    assert step.state == JobState.PENDING
    assert step.error == "The labelling desk does not answer."
    assert step.not_before > timezone.now()


def test_the_longer_argilla_is_down_the_longer_are_the_pauses(
    campaign: Campaign, fake_desk: FakeDesk
) -> None:
    fake_desk.down = True
    soon = looked(campaign).not_before - timezone.now()
    Campaign.objects.filter(pk=campaign.pk).update(synced_at=timezone.now() - timedelta(minutes=1))
    later = looked(campaign).not_before - timezone.now()
    Campaign.objects.filter(pk=campaign.pk).update(synced_at=timezone.now() - timedelta(days=1))
    latest = looked(campaign).not_before - timezone.now()

    assert soon <= timedelta(seconds=5) < later
    assert timedelta(seconds=100) < latest <= timedelta(seconds=120)


def test_what_was_answered_meanwhile_is_caught_up_with(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    fake_desk.down = True
    looked(campaign)
    ask_bob.says(0, label="true")
    fake_desk.down = False

    step = looked(campaign)

    assert step.error == ""
    assert Annotation.objects.count() == 1


def test_what_argilla_refuses_is_told_and_tried_again_while_the_campaign_asks(
    campaign: Campaign, fake_desk: FakeDesk
) -> None:
    fake_desk.datasets.clear()

    step = looked(campaign)

    assert step.state == JobState.PENDING
    assert step.error.startswith("There is no dataset")


def test_what_argilla_refuses_of_a_closed_campaign_ends_the_step(
    campaign: Campaign, fake_desk: FakeDesk
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.CLOSED)
    fake_desk.datasets.clear()

    assert looked(campaign).state == JobState.FAILED


def test_argilla_dying_between_two_queues_loses_and_doubles_nothing(
    campaign: Campaign, fake_desk: FakeDesk
) -> None:
    for task in ("grounding", "relevance"):
        Labeller(fake_desk, campaign, "bob", task).says(0, label="true")
    fake_desk.down_after = 1
    assert looked(campaign).error
    assert Annotation.objects.count() == 1

    fake_desk.down, fake_desk.down_after = False, None
    looked(campaign)

    assert Annotation.objects.count() == 2
    assert not AnnotationChange.objects.exists()


def test_an_answer_missing_because_argilla_died_is_not_withdrawn(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    ask_bob.says(0, label="true")
    looked(campaign)
    ask_bob.deletes(0)

    with pytest.raises(DeskDown):
        sync_now(campaign, Overheard(fake_desk, _dies))

    assert Annotation.objects.standing().count() == 1


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_a_worker_killed_between_batches_leaves_the_rest_to_the_next(
    campaign: Campaign, fake_desk: FakeDesk, writes: int
) -> None:
    for task in ("grounding", "relevance"):
        Labeller(fake_desk, campaign, "bob", task).says(0, label="true")
    ask_for(campaign.pk, SYNC)
    lease = lease_of(step_of(campaign, SYNC))
    with pytest.raises(LeaseLost):
        sync_now(campaign, lease=_Dying(lease, writes))
    assert Annotation.objects.count() == writes

    expire(lease.job)
    jobs.recover(CampaignStep)
    work_on(step_of(campaign, SYNC))

    assert Annotation.objects.count() == 2
    assert list(DeskRecord.objects.filter(submitted=1).values_list("queue__task", flat=True)) == [
        "grounding",
        "relevance",
    ]
    assert not AnnotationChange.objects.exists()


def test_a_reading_that_was_overtaken_changes_nothing(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    ask_bob.says(0, label="true")

    def meanwhile() -> None:
        ask_bob.says(0, label="false")
        ask_bob.says(1, label="false")
        sync_now(campaign, fake_desk)

    sync_now(campaign, Overheard(fake_desk, meanwhile))

    standing = Annotation.objects.standing().order_by("item__result__ordinal")
    assert [each.label for each in standing] == ["false", "false"]
    assert not AnnotationChange.objects.exists()


def test_what_was_answered_since_everything_was_read_is_not_taken_for_deleted(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    ask_bob.says(0, label="true")
    sync_now(campaign)
    ask_bob.deletes(0)

    def meanwhile() -> None:
        ask_bob.says(0, label="false")
        sync_now(campaign, fake_desk)

    sync_now(campaign, Overheard(fake_desk, meanwhile))

    assert [each.label for each in Annotation.objects.standing()] == ["false"]


def test_what_was_taken_back_meanwhile_does_not_come_back(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    ask_bob.says(0, label="true")
    sync_now(campaign)

    def meanwhile() -> None:
        ask_bob.deletes(0)
        sync_now(campaign, fake_desk)

    overtaken = sync_now(campaign, Overheard(fake_desk, meanwhile))

    assert overtaken == Synced()
    assert not Annotation.objects.standing().exists()
    assert AnnotationChange.objects.count() == 1


def test_what_is_there_again_after_all_stands_again(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    ask_bob.says(0, label="true")
    sync_now(campaign)
    answers = fake_desk.datasets[ask_bob.queue.dataset_id].responses
    before = dict(answers)
    ask_bob.deletes(0)
    assert sync_now(campaign) == Synced(withdrawn=1)

    answers.update(before)
    sync_now(campaign)

    assert [each.label for each in Annotation.objects.standing()] == ["true"]


def test_a_reading_that_was_overtaken_forgets_no_older_database(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    ask_bob.says_all(label="true")
    sync_now(campaign)

    def meanwhile() -> None:
        fake_desk.restore(ask_bob.queue.dataset_id, campaign.created_at.replace(year=2000))
        sync_now(campaign, fake_desk)

    sync_now(campaign, Overheard(fake_desk, meanwhile))
    Labeller(fake_desk, campaign, "alice", "grounding").says(0, label="true")
    after = sync_now(campaign)

    assert after == Synced(new=1)
    assert Annotation.objects.standing().count() == 4


class _Dying(Lease):
    """Its worker dies at the write after so many."""

    def __init__(self, lease: Lease, writes: int) -> None:
        super().__init__(lease.job, lease.token)
        self._left = writes

    def require(self) -> None:
        if not self._left:
            raise LeaseLost
        self._left -= 1
        super().require()


def _dies() -> None:
    raise DeskDown("The labelling desk does not answer.")
