"""A campaign whose records and people are at the fake desk, and what these people then do there."""

from typing import Any

from django.db.models.functions import Now

from apps.accounts.models import User
from apps.labeling.desk.protocol import Card
from apps.labeling.models import Campaign, CampaignStep, DeskAccount, DeskRecord, Queue
from apps.labeling.nudging import ask_for
from apps.labeling.sending.cards import dataset_name, shape_of, task_of
from tests.labeling.building import step_of
from tests.labeling.fake_desk import FakeDesk
from tests.runs.conftest import again, work_on


def opened(campaign: Campaign, desk: FakeDesk) -> Campaign:
    """Its people may enter, its records are there."""
    for assignment in campaign.assignments.select_related("user"):
        an_account(assignment.user, desk)
    accounts = DeskAccount.objects.filter(user__assignments__campaign=campaign)
    desk.let_in(campaign.desk_name, [each.argilla_id for each in accounts])
    for queue in campaign.queues.all():
        _push(queue, desk)
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.OPEN, opened_at=Now())
    return again(campaign)


def an_account(user: User, desk: FakeDesk) -> DeskAccount:
    person = desk.person(user.username, user.label)
    account, _made = DeskAccount.objects.get_or_create(
        user=user, defaults={"username": person.username, "argilla_id": person.id}
    )
    return account


def looked(campaign: Campaign) -> CampaignStep:
    """After one turn of the step that reads answers."""
    ask_for(campaign.pk, CampaignStep.Name.SYNC)
    return work_on(step_of(campaign, CampaignStep.Name.SYNC))


class Labeller:
    """One person at one queue; records are told by their place in it."""

    def __init__(self, desk: FakeDesk, campaign: Campaign, username: str, task: str = "") -> None:
        queues = campaign.queues.filter(**({"task": task} if task else {}))
        self.desk, self.username, self.queue = desk, username, queues.order_by("pk")[0]

    def says(self, place: int, **values: Any) -> None:
        self.desk.submit(self.queue.dataset_id, self.id_of(place), self.username, values)

    def discards(self, place: int, **values: Any) -> None:
        self.desk.discard(self.queue.dataset_id, self.id_of(place), self.username, values)

    def drafts(self, place: int, **values: Any) -> None:
        self.desk.save_draft(self.queue.dataset_id, self.id_of(place), self.username, values)

    def deletes(self, place: int) -> None:
        self.desk.take_back(self.queue.dataset_id, self.id_of(place), self.username)

    def says_all(self, **values: Any) -> None:
        for place in range(self.queue.records.count()):
            self.says(place, **values)

    def id_of(self, place: int) -> str:
        return self.record(place).external_id

    def record(self, place: int) -> DeskRecord:
        return self.queue.records.order_by("item__result__ordinal", "pk")[place]


def _push(queue: Queue, desk: FakeDesk) -> None:
    shape = shape_of(queue, task_of(queue))
    queue.dataset_id = desk.dataset(queue.campaign.desk_name, dataset_name(queue), shape)
    queue.save(update_fields=["dataset_id"])
    texts = {field.name: "…" for field in shape.fields}
    cards = [Card(external_id=each.external_id, fields=texts) for each in queue.records.all()]
    desk.put(queue.dataset_id, cards)
    queue.records.update(pushed_at=Now())
