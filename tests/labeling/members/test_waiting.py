"""What waits for one person, and how fast they are."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User, Workspace
from apps.labeling.members.waiting import Part, waiting_for
from apps.labeling.models import Annotation, Campaign, DeskRecord
from apps.labeling.progress import people_of, queues_of
from apps.labeling.syncing import sync_now
from tests.labeling.at_the_desk import Labeller, opened
from tests.labeling.building import a_campaign, labelled
from tests.labeling.fake_desk import FakeDesk
from tests.labeling.members.own_pages import campaign, desk, page

__all__ = ["campaign", "desk"]


def part_of(user: User, workspace: Workspace) -> Part:
    (part,) = waiting_for(user, workspace).parts
    return part


def test_every_item_waits_before_anybody_has_answered(
    campaign: Campaign, workspace: Workspace, bob: User
) -> None:
    (share,) = part_of(bob, workspace).shares

    assert (share.total, share.done, share.waiting) == (4, 0, 4)


def test_what_one_has_answered_or_discarded_is_done(
    campaign: Campaign, workspace: Workspace, bob: User
) -> None:
    labelled(campaign, {"bob": ["true", "false"]})
    Annotation.objects.filter(label="false").update(label="", discard_reason="unclear")

    (share,) = part_of(bob, workspace).shares

    assert (share.done, share.waiting, share.goal) == (2, 2, 4)


def test_an_answer_that_contradicts_itself_is_done_neither_for_them_nor_for_the_item(
    client: Client, workspace: Workspace, alice: User, bob: User, desk: FakeDesk
) -> None:
    campaign = opened(a_campaign(workspace, alice, alice, bob, tasks=("retrieval_full",)), desk)
    wrong = {"topically_relevant": "false", "evidence_sufficient": "true", "misleading": "false"}
    Labeller(desk, campaign, "bob").says(0, **wrong)
    sync_now(campaign)

    (share,), (of_alice,) = part_of(bob, workspace).shares, part_of(alice, workspace).shares

    assert (share.done, share.waiting, share.to_mend, share.goal) == (0, 2, 1, 3)
    assert (of_alice.waiting, of_alice.to_mend) == (2, 0)
    assert [each.enough for each in queues_of(campaign)] == [0]
    assert {each.name: each.answers for each in people_of(campaign)} == {"Alice": 0, "Bob": 0}
    shown = page(client, bob)
    assert shown.index("topically_relevant=False") < shown.index("Queues of Spring labels")
    assert "1 to mend" in shown


def test_a_task_in_two_parts_is_told_as_one_with_a_way_to_each(
    client: Client, workspace: Workspace, alice: User, bob: User, desk: FakeDesk
) -> None:
    asked = {"tasks": ("grounding",), "pairs": 8, "calibration_share": 0.25}
    campaign = opened(a_campaign(workspace, alice, alice, bob, **asked), desk)
    everybodys, shared_out = campaign.queues.order_by("-calibration")
    (before,) = part_of(bob, workspace).shares
    at_first = page(client, bob)
    labelled(campaign, {"bob": ["true"] * 8})
    Annotation.objects.exclude(item__in=everybodys.records.values("item")).delete()

    (after,) = part_of(bob, workspace).shares

    n, others = everybodys.records.count(), shared_out.records.count()
    assert (before.total, before.waiting, after.done) == (8, 8, n)
    assert [(each.queue, each.nth) for each in before.pieces] == [(everybodys, 1), (shared_out, 2)]
    assert f"2 parts: {n} and {others} items" in at_first
    assert ("Label part 1" in at_first, "Label part 2" in at_first) == (True, True)
    afterwards = page(client, bob)
    assert ("Look again at part 1" in afterwards, "Label part 2" in afterwards) == (True, True)


def test_an_answer_that_was_taken_back_waits_again(
    campaign: Campaign, workspace: Workspace, bob: User
) -> None:
    labelled(campaign, {"bob": ["true"]})
    Annotation.objects.update(label="")

    (share,) = part_of(bob, workspace).shares

    assert (share.done, share.waiting) == (0, 4)


def test_what_others_have_finished_waits_for_nobody(
    campaign: Campaign, workspace: Workspace, bob: User
) -> None:
    record = DeskRecord.objects.order_by("pk")[0]
    DeskRecord.objects.filter(pk=record.pk).update(submitted=1)

    (share,) = part_of(bob, workspace).shares

    assert (share.total, share.waiting, share.by_others) == (4, 3, 1)


def test_in_the_calibration_share_everything_waits_for_everybody(
    campaign: Campaign, workspace: Workspace, bob: User
) -> None:
    campaign.queues.update(calibration=True)
    DeskRecord.objects.update(submitted=1)

    (share,) = part_of(bob, workspace).shares

    assert share.waiting == 4


def test_labels_of_another_task_are_not_answers_to_this_one(
    workspace: Workspace, alice: User, bob: User, desk: FakeDesk
) -> None:
    campaign = opened(a_campaign(workspace, alice, bob), desk)
    labelled(campaign, {"bob": ["true", "true"]}, task_type="relevance")

    shares = part_of(bob, workspace).shares

    assert [share.done for share in shares] == [0, 2]


def test_what_is_not_at_the_desk_yet_does_not_wait(
    campaign: Campaign, workspace: Workspace, bob: User
) -> None:
    DeskRecord.objects.filter(pk__in=DeskRecord.objects.values("pk")[:3]).update(pushed_at=None)

    (share,) = part_of(bob, workspace).shares

    assert share.total == 1


def test_the_pace_is_that_of_the_last_stretch_of_work(
    campaign: Campaign, workspace: Workspace, bob: User
) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    made = labelled(campaign, {"bob": ["true"] * 4, "alice": ["true"] * 4})
    for number, each in enumerate(made):
        each.annotated_at = start + timedelta(minutes=number)
        each.save()
    too_few = part_of(bob, workspace).per_hour
    others = [each for each in made if each.annotator == "alice"]
    Annotation.objects.filter(pk=others[0].pk).update(user=bob)

    assert too_few is None
    assert part_of(bob, workspace).per_hour == pytest.approx(60)


def test_it_takes_as_many_queries_for_many_campaigns_as_for_one(
    campaign: Campaign,
    workspace: Workspace,
    alice: User,
    bob: User,
    desk: FakeDesk,
    django_assert_max_num_queries: Any,
) -> None:
    for number in range(3):
        opened(a_campaign(workspace, alice, bob, run=campaign.run, name=f"More {number}"), desk)
    labelled(campaign, {"bob": ["true"]})

    with django_assert_max_num_queries(8):
        found = waiting_for(bob, workspace)

    assert len(found.parts) == 4
    assert found.total == 3 + 3 * 8
