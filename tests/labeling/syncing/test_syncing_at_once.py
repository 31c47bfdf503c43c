"""Several syncs of one campaign at the same moment."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from apps.accounts.models import Membership, User, Workspace
from apps.accounts.permissions import Role
from apps.labeling.models import Annotation, AnnotationChange, Breach, Campaign
from apps.labeling.syncing import Synced, heard, sync_now
from apps.labeling.syncing.contracts import Lost
from tests.labeling.at_the_desk import Labeller, opened
from tests.labeling.building import a_campaign
from tests.labeling.fake_desk import FakeDesk, fake_desk

__all__ = ["fake_desk"]

pytestmark = pytest.mark.skipif(
    connection.vendor == "sqlite",
    reason="SQLite in memory locks whole tables instead of waiting",
)

TIMES = 4
PAIRS = 60
LONGEST_START = 60
"""Seconds until all of them have begun, on a busy machine."""

MENDED, DELETED, LEFT = range(0, PAIRS, 3), range(1, PAIRS, 3), range(2, PAIRS, 3)
SOUND = {"topically_relevant": "true", "evidence_sufficient": "true", "misleading": "false"}
BLOCKED = {**SOUND, "topically_relevant": "false"}
WARNED = {**SOUND, "misleading": "true"}


@pytest.fixture
def campaign(transactional_db: None, fake_desk: FakeDesk) -> Campaign:
    workspace = Workspace.objects.create(slug="shared", name="Shared")
    bob = User.objects.create_user("bob")
    Membership.objects.create(workspace=workspace, user=bob, role=Role.LEAD)
    made = a_campaign(workspace, bob, tasks=("retrieval_full",), pairs=PAIRS)
    return opened(made, fake_desk)


@pytest.fixture
def ask_bob(campaign: Campaign, fake_desk: FakeDesk) -> Labeller:
    labeller = Labeller(fake_desk, campaign, "bob")
    for place in range(PAIRS):
        labeller.says(place, **(BLOCKED if place in MENDED else WARNED))
    return labeller


def at_once(campaign: Campaign, desk: FakeDesk) -> list[Synced]:
    start = Barrier(TIMES)

    def sync(_: int) -> Synced:
        try:
            start.wait(timeout=LONGEST_START)
            return sync_now(campaign, desk)
        finally:
            connection.close()

    with ThreadPoolExecutor(TIMES) as threads:
        return list(threads.map(sync, range(TIMES)))


def counted(labeller: Labeller, places: Iterable[int]) -> set[int]:
    """How many people's answers count, in each of these places."""
    return {labeller.record(place).submitted for place in places}


def test_every_answer_is_kept_once(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    found = at_once(campaign, fake_desk)

    assert sum(each.new for each in found) == 3 * PAIRS
    assert sum(each.changed + each.withdrawn for each in found) == 0
    assert Annotation.objects.count() == 3 * PAIRS
    assert Breach.objects.count() == PAIRS
    assert counted(ask_bob, MENDED) == {0}
    assert counted(ask_bob, [*DELETED, *LEFT]) == {1}


def test_every_change_is_kept_once(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    sync_now(campaign, fake_desk)
    for mended, deleted in zip(MENDED, DELETED, strict=True):
        ask_bob.says(mended, **SOUND)
        ask_bob.deletes(deleted)

    found = at_once(campaign, fake_desk)

    assert sum(each.changed for each in found) == len(MENDED)
    assert sum(each.withdrawn for each in found) == 3 * len(DELETED)
    assert AnnotationChange.objects.count() == len(MENDED) + 3 * len(DELETED)
    assert Breach.objects.count() == len(LEFT)
    assert counted(ask_bob, [*MENDED, *LEFT]) == {1}
    assert counted(ask_bob, DELETED) == {0}


def test_what_an_older_database_lacks_is_kept_by_all_of_them(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    sync_now(campaign, fake_desk)
    given = [row.annotated_at for row in annotations_of(ask_bob, PAIRS // 2)]
    fake_desk.restore(ask_bob.queue.dataset_id, max(filter(None, given)))
    ask_bob.says(0, **SOUND)

    found = [*at_once(campaign, fake_desk), sync_now(campaign, fake_desk)]

    assert sum(each.changed for each in found) == 1
    assert sum(each.withdrawn for each in found) == 0
    assert Annotation.objects.standing().count() == 3 * PAIRS
    assert heard(campaign).lost == Lost(database=PAIRS // 2 - 1)


def annotations_of(labeller: Labeller, place: int) -> list[Annotation]:
    return list(Annotation.objects.filter(item=labeller.record(place).item_id))
