"""When a campaign is looked at, and what follows from what is found."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.utils import timezone

from apps.jobs.models import JobState
from apps.labeling.desk import desks
from apps.labeling.desk.protocol import Response
from apps.labeling.desk.webhooks import Told, nudge
from apps.labeling.models import Annotation, Campaign, CampaignStep, Queue, Report
from apps.labeling.nudging import ask_for
from apps.labeling.syncing import Synced, ask_for_all, heard, sync_now
from tests.labeling.at_the_desk import Labeller, looked
from tests.labeling.building import step_of
from tests.labeling.fake_desk import FakeDesk, fake_desk
from tests.labeling.syncing.asked import ANALYSE, SYNC, Overheard, ask_bob, campaign
from tests.runs.conftest import again, work_on

__all__ = ["ask_bob", "campaign", "fake_desk"]


def analysis_asked_for(campaign: Campaign) -> datetime | None:
    step = CampaignStep.objects.filter(campaign=campaign, name=ANALYSE).first()
    return step.asked_at if step else None


def test_a_campaign_that_asks_is_looked_at_again_soon(campaign: Campaign) -> None:
    step = looked(campaign)

    assert step.state == JobState.PENDING
    assert timedelta(seconds=10) < step.not_before - timezone.now() <= timedelta(seconds=15)
    assert again(campaign).synced_at is not None


def test_the_longer_nothing_comes_the_longer_it_waits(campaign: Campaign) -> None:
    looked(campaign)
    _remembered(campaign, changed_at=timezone.now() - timedelta(days=1))

    step = looked(campaign)

    assert timedelta(seconds=50) < step.not_before - timezone.now() <= timedelta(seconds=60)


def test_a_nudge_has_it_looked_at_at_once(campaign: Campaign, ask_bob: Labeller) -> None:
    looked(campaign)
    ask_bob.says(0, label="true")

    ask_for(campaign.pk, SYNC)

    step = step_of(campaign, SYNC)
    assert step.not_before <= timezone.now()
    work_on(step)
    assert Annotation.objects.count() == 1


def test_after_a_long_reading_argilla_is_left_alone_for_a_while(
    campaign: Campaign, ask_bob: Labeller
) -> None:
    looked(campaign)
    _remembered(campaign, rests_until=timezone.now() + timedelta(seconds=30))
    ask_bob.says(0, label="true")

    step = looked(campaign)

    assert step.state == JobState.PENDING
    assert timedelta(seconds=20) < step.not_before - timezone.now() <= timedelta(seconds=30)
    assert not Annotation.objects.exists()


def test_who_asks_for_everything_does_not_wait_for_that(
    campaign: Campaign, ask_bob: Labeller
) -> None:
    looked(campaign)
    _remembered(campaign, rests_until=timezone.now() + timedelta(seconds=30))
    ask_bob.says(0, label="true")

    ask_for_all(campaign)
    work_on(step_of(campaign, SYNC))

    assert Annotation.objects.count() == 1


def test_a_closed_campaign_is_read_whole_once_more_and_then_left(
    campaign: Campaign, ask_bob: Labeller
) -> None:
    ask_bob.says(0, label="true")
    looked(campaign)
    ask_bob.deletes(0)
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.CLOSED)

    step = looked(campaign)

    assert step.state == JobState.DONE
    assert not Annotation.objects.standing().exists()


def test_everything_is_read_now_and_then(campaign: Campaign, ask_bob: Labeller) -> None:
    ask_bob.says(0, label="true")
    looked(campaign)
    ask_bob.deletes(0)
    looked(campaign)
    assert Annotation.objects.standing().exists()
    _remembered(campaign, whole_at=timezone.now() - timedelta(minutes=6))

    looked(campaign)

    assert not Annotation.objects.standing().exists()


def test_a_lead_may_ask_for_everything(campaign: Campaign, ask_bob: Labeller) -> None:
    ask_bob.says(0, label="true")
    looked(campaign)
    ask_bob.deletes(0)

    ask_for_all(campaign)
    work_on(step_of(campaign, SYNC))

    assert not Annotation.objects.standing().exists()
    assert heard(campaign).whole_at is not None


def test_who_asks_for_everything_while_it_is_read_is_served_by_the_next_reading(
    campaign: Campaign, fake_desk: FakeDesk
) -> None:
    looked(campaign)
    desk = Overheard(fake_desk, lambda: ask_for_all(campaign))

    sync_now(campaign, desk)

    assert heard(campaign).whole_at is None


def test_so_is_who_asks_for_it_once_more_while_it_is_read_because_somebody_asked(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    ask_bob.says(0, label="true")
    looked(campaign)
    ask_for_all(campaign)

    def told_of_a_deletion() -> None:
        ask_bob.deletes(0)
        ask_for_all(campaign)

    sync_now(campaign, Overheard(fake_desk, told_of_a_deletion))
    stood = Annotation.objects.standing().exists()
    work_on(step_of(campaign, SYNC))

    assert stood
    assert not Annotation.objects.standing().exists()
    assert heard(campaign).whole_at is not None


def test_what_is_asked_for_during_the_last_look_is_looked_at_after_it(
    campaign: Campaign, fake_desk: FakeDesk
) -> None:
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.CLOSED)

    with desks.use(Overheard(fake_desk, lambda: ask_for(campaign.pk, SYNC))):
        step = looked(campaign)

    assert step.state == JobState.PENDING
    assert step.not_before <= timezone.now()


def test_only_what_may_be_new_is_asked_for(campaign: Campaign, fake_desk: FakeDesk) -> None:
    ask_bob = Labeller(fake_desk, campaign, "bob", "grounding")
    ask_bob.says(0, label="true")
    looked(campaign)
    first = Annotation.objects.get()
    for _ in range(200):
        ask_bob.drafts(1, label="true")  # a second passes with each
    ask_bob.says(1, label="true")

    synced = sync_now(campaign, whole=False)
    later = sync_now(campaign, whole=False)

    assert synced == Synced(new=1, same=1)
    assert later == Synced(same=1)
    queue = Queue.objects.get(pk=ask_bob.queue.pk)
    assert queue.seen_through == Annotation.objects.exclude(pk=first.pk).get().annotated_at


def test_a_deletion_that_argilla_tells_of_is_noticed_at_once(
    campaign: Campaign, ask_bob: Labeller
) -> None:
    ask_bob.says(0, label="true")
    looked(campaign)
    ask_bob.deletes(0)
    about = {"record": {"dataset": {"id": ask_bob.queue.dataset_id}}}

    nudge(Told.model_validate({"type": "response.deleted", "data": about}), timezone.now())
    work_on(step_of(campaign, SYNC))

    assert not Annotation.objects.standing().exists()


def test_where_it_is_calm_only_what_is_newer_is_asked_for(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    ask_bob.says(0, label="true")
    looked(campaign)
    asked: list[datetime | None] = []
    desk = _Asked(fake_desk, asked)
    newest = Annotation.objects.get().annotated_at
    assert newest is not None

    sync_now(campaign, desk, whole=False)
    _remembered(campaign, changed_at=timezone.now() - timedelta(minutes=4))
    sync_now(campaign, desk, whole=False)

    at_first, when_calm = asked[0], asked[2]  # of the queue of grounding
    assert at_first == newest - timedelta(minutes=2)
    assert when_calm == newest + timedelta(minutes=1)


def test_a_draft_says_that_somebody_is_at_work(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    looked(campaign)
    _remembered(campaign, changed_at=timezone.now() - timedelta(days=1))

    ask_bob.drafts(0, label="true")
    sync_now(campaign, whole=False)

    assert not heard(campaign).is_calm


def test_news_have_the_numbers_computed_anew(campaign: Campaign, ask_bob: Labeller) -> None:
    looked(campaign)
    assert analysis_asked_for(campaign) is None

    ask_bob.says(0, label="true")
    looked(campaign)
    first = analysis_asked_for(campaign)
    looked(campaign)

    assert first is not None
    assert analysis_asked_for(campaign) == first


class _Asked(FakeDesk):
    """Notes since when it is asked for answers."""

    def __init__(self, desk: FakeDesk, asked: list[datetime | None]) -> None:
        self.__dict__.update(desk.__dict__)
        self._asked = asked

    def responses(
        self, workspace: str, dataset_id: str, since: datetime | None = None
    ) -> Iterator[Response]:
        self._asked.append(since)
        return super().responses(workspace, dataset_id, since)


def _remembered(campaign: Campaign, **moments: datetime) -> None:
    """As if its last syncs had been then."""
    known = heard(campaign).model_copy(update=moments)
    rows = Report.objects.filter(campaign=campaign, kind="sync")
    rows.update(body=known.model_dump(mode="json"))
