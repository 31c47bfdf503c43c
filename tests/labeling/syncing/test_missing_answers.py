"""An answer that is not in Argilla any more: taken back by its person, or lost and kept."""

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.labeling.desk.protocol import DeskRefused
from apps.labeling.making import control
from apps.labeling.models import Annotation, Campaign
from apps.labeling.syncing import Synced, heard, sync_now
from apps.labeling.syncing.contracts import Lost
from tests.labeling.at_the_desk import Labeller, opened
from tests.labeling.building import a_campaign
from tests.labeling.fake_desk import FakeDesk, fake_desk
from tests.labeling.sending.test_pushing import pushed

__all__ = ["fake_desk"]


@pytest.fixture
def campaign(workspace: Workspace, alice: User, bob: User, fake_desk: FakeDesk) -> Campaign:
    made = a_campaign(workspace, alice, alice, bob, tasks=("grounding",), min_submitted=2, pairs=8)
    return opened(made, fake_desk)


@pytest.fixture
def ask_alice(campaign: Campaign, fake_desk: FakeDesk) -> Labeller:
    return Labeller(fake_desk, campaign, "alice")


@pytest.fixture
def ask_bob(campaign: Campaign, fake_desk: FakeDesk) -> Labeller:
    return Labeller(fake_desk, campaign, "bob")


def kept() -> int:
    return Annotation.objects.standing().count()


def test_what_a_person_said_who_was_deleted_there_is_kept_and_told(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk, client: Client, alice: User
) -> None:
    ask_bob.says(0, label="true")
    ask_bob.says(1, label="false")
    sync_now(campaign)

    fake_desk.remove_person("bob")
    synced = sync_now(campaign)

    assert (synced, kept()) == (Synced(), 2)
    assert heard(campaign).lost == Lost(person=2)
    client.force_login(alice)
    page = client.get(reverse("labeling:campaign", args=["demo", campaign.pk])).content.decode()
    assert "2 answers are no longer in Argilla, and kept here." in page
    assert "because their person was deleted there" in page


def test_a_deleted_person_whose_account_is_made_anew_has_taken_nothing_back(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    ask_bob.says(0, label="true")
    sync_now(campaign)
    fake_desk.remove_person("bob")

    control.close(campaign, by=None, now=campaign.created_at)
    control.reopen(campaign, by=None)
    pushed(campaign)
    sync_now(campaign)

    assert kept() == 1
    assert heard(campaign).lost == Lost(person=1)


def test_what_was_said_of_a_record_that_was_deleted_there_is_kept_and_told(
    campaign: Campaign, ask_alice: Labeller, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    ask_alice.says(0, label="true")
    ask_bob.says(0, label="true")
    ask_bob.says(1, label="false")
    sync_now(campaign)

    fake_desk.remove_record(ask_bob.queue.dataset_id, ask_bob.id_of(0))
    synced = sync_now(campaign)

    assert (synced, kept()) == (Synced(same=1), 3)
    assert heard(campaign).lost == Lost(record=2)


def test_beside_what_is_lost_a_person_may_take_an_answer_back(
    campaign: Campaign, ask_alice: Labeller, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    ask_alice.says(0, label="true")
    ask_bob.says(1, label="true")
    sync_now(campaign)

    fake_desk.remove_person("alice")
    ask_bob.deletes(1)
    synced = sync_now(campaign)

    assert synced == Synced(withdrawn=1)
    assert [row.annotator for row in Annotation.objects.standing()] == ["alice"]


@pytest.mark.parametrize("lost", [1, 7])
def test_an_older_database_takes_nothing_back(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk, lost: int
) -> None:
    ask_bob.says_all(label="true")
    sync_now(campaign)

    given = [each.updated_at for each in fake_desk.responses(campaign.desk_name, dataset(ask_bob))]
    fake_desk.restore(dataset(ask_bob), sorted(given)[-lost - 1])
    synced = sync_now(campaign)

    assert (synced.withdrawn, kept()) == (0, 8)
    assert heard(campaign).lost == Lost(database=lost)


def test_an_older_database_in_which_people_have_gone_on_takes_nothing_back(
    campaign: Campaign, ask_bob: Labeller, ask_alice: Labeller, fake_desk: FakeDesk
) -> None:
    ask_bob.says_all(label="true")
    sync_now(campaign)
    given = [each.updated_at for each in fake_desk.responses(campaign.desk_name, dataset(ask_bob))]

    fake_desk.restore(dataset(ask_bob), min(given))
    for place in range(8):
        ask_alice.says(place, label="false")
        sync_now(campaign)
    for place in range(1, 6):
        ask_bob.says(place, label="false")
    sync_now(campaign)

    assert kept() == 16
    assert heard(campaign).lost == Lost(database=2)


def test_a_new_answer_that_is_read_first_does_not_make_an_older_database_the_newest(
    campaign: Campaign, ask_bob: Labeller, ask_alice: Labeller, fake_desk: FakeDesk
) -> None:
    ask_bob.says_all(label="true")
    sync_now(campaign)
    given = [each.updated_at for each in fake_desk.responses(campaign.desk_name, dataset(ask_bob))]

    fake_desk.restore(dataset(ask_bob), min(given))
    ask_alice.says(0, label="false")
    sync_now(campaign, whole=False)
    sync_now(campaign)

    assert kept() == 9
    assert heard(campaign).lost == Lost(database=7)


def test_many_that_are_taken_back_are_so_where_newer_ones_stand(
    campaign: Campaign, ask_bob: Labeller
) -> None:
    ask_bob.says_all(label="true")
    sync_now(campaign)

    for place in range(7):
        ask_bob.deletes(place)
    synced = sync_now(campaign)

    assert synced == Synced(same=1, withdrawn=7)
    assert heard(campaign).lost == Lost()


def test_after_an_older_database_new_answers_may_be_taken_back(
    campaign: Campaign, ask_bob: Labeller, ask_alice: Labeller, fake_desk: FakeDesk
) -> None:
    ask_bob.says(0, label="true")
    sync_now(campaign)
    fake_desk.restore(dataset(ask_bob), campaign.created_at.replace(year=2000))
    sync_now(campaign)

    ask_alice.says(0, label="true")
    sync_now(campaign)
    ask_alice.deletes(0)
    synced = sync_now(campaign)

    assert synced == Synced(withdrawn=1)
    assert heard(campaign).lost == Lost(database=1)


def test_a_dataset_that_is_gone_takes_nothing_back(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk
) -> None:
    ask_bob.says(0, label="true")
    sync_now(campaign)

    del fake_desk.datasets[dataset(ask_bob)]
    with pytest.raises(DeskRefused, match="no dataset"):
        sync_now(campaign)

    assert kept() == 1


def dataset(labeller: Labeller) -> str:
    return labeller.queue.dataset_id
