"""What one sync holds on to: the campaign, its people and queues, and the right to write."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from apps.artifacts.redaction import Redactor
from apps.jobs.leases import Lease
from apps.labeling.models import Campaign, DeskAccount, Item, Question, Queue
from apps.labeling.plans import Plan
from apps.labeling.task_types.base import Task
from apps.runs.working.loading import redactor_of

from .answers import Answer

Pair = tuple[int, str]
"""The key of an item, and an annotator."""


class Member(NamedTuple):
    annotator: str
    user_id: int | None


class Said(NamedTuple):
    """What somebody said about an item; no answer is one that is not given, or not any more."""

    item: Item
    member: Member
    answer: Answer | None
    begun_at: datetime
    given_at: datetime

    @property
    def pair(self) -> Pair:
        return self.item.pk, self.member.annotator


class Place(NamedTuple):
    """A queue, its task, and the keys of the questions that its answers are kept as."""

    queue: Queue
    task: Task
    questions: Mapping[str, int]


class Sitting(NamedTuple):
    campaign: Campaign
    plan: Plan
    members: Mapping[str, Member]
    """By their ids in Argilla."""
    redactor: Redactor
    lease: Lease | None

    def hold(self) -> None:
        """Lock the campaign until the transaction ends; raises LeaseLost where we may not write."""
        Campaign.objects.select_for_update(no_key=True).only("pk").get(pk=self.campaign.pk)
        if self.lease:
            self.lease.require()


def sit(campaign: Campaign, lease: Lease | None) -> Sitting:
    accounts = DeskAccount.objects.values_list("argilla_id", "username", "user_id")
    return Sitting(
        campaign=campaign,
        plan=campaign.planned,
        members={key: Member(username, user_id) for key, username, user_id in accounts},
        redactor=redactor_of(campaign.run, []),
        lease=lease,
    )


def places_of(campaign: Campaign) -> list[Place]:
    """Every queue that is in Argilla."""
    keys: dict[str, dict[str, int]] = {}
    for asked in Question.objects.filter(campaign=campaign):
        keys.setdefault(asked.task_type, {})[asked.name] = asked.pk
    queues = campaign.queues.exclude(dataset_id="").order_by("pk")
    return [_place(queue, keys) for queue in queues]


def _place(queue: Queue, keys: Mapping[str, Mapping[str, int]]) -> Place:
    asked = queue.asked
    known = keys.get(asked.task_type, {})
    names = (each.name for each in asked.rows)
    return Place(queue, asked, {name: known[name] for name in names if name in known})
