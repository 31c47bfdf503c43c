"""Answers of people or records that nobody knows here: kept apart, told, and never lost."""

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.labeling.models import Annotation, Campaign, DeskAccount
from apps.labeling.syncing import Synced, heard, sync_now
from tests.labeling.at_the_desk import Labeller, opened
from tests.labeling.building import a_campaign
from tests.labeling.fake_desk import FakeDesk, fake_desk

__all__ = ["fake_desk"]


@pytest.fixture
def campaign(workspace: Workspace, alice: User, bob: User, fake_desk: FakeDesk) -> Campaign:
    made = a_campaign(workspace, alice, alice, bob, tasks=("grounding",), min_submitted=2)
    return opened(made, fake_desk)


@pytest.fixture
def ask_bob(campaign: Campaign, fake_desk: FakeDesk) -> Labeller:
    return Labeller(fake_desk, campaign, "bob")


@pytest.fixture
def ask_owner(campaign: Campaign, fake_desk: FakeDesk) -> Labeller:
    """Somebody whose account is not of our making."""
    stranger = fake_desk.person("owner", "The owner")
    fake_desk.workspaces[campaign.desk_name].add(stranger.id)
    return Labeller(fake_desk, campaign, "owner")


def test_an_answer_of_somebody_we_do_not_know_is_kept_apart_and_told(
    campaign: Campaign, ask_owner: Labeller, ask_bob: Labeller
) -> None:
    ask_owner.says(0, label="true")
    ask_bob.says(0, label="false")

    synced = sync_now(campaign)

    assert synced == Synced(new=1, unknown=1)
    assert "1 of people or records that nobody knows here" in synced.told
    [stray] = heard(campaign).strays
    assert (stray.person, stray.unknown, stray.values) == ("owner", "person", {"label": "true"})
    assert [(kept.annotator, kept.label) for kept in Annotation.objects.all()] == [("bob", "false")]


def test_an_answer_to_a_record_that_is_not_ours_is_kept_apart(
    campaign: Campaign, fake_desk: FakeDesk, ask_bob: Labeller
) -> None:
    ask_bob.says(0, label="true")
    dataset = ask_bob.queue.dataset_id
    [mine, *_] = fake_desk.datasets[dataset].cards.values()
    fake_desk.put(dataset, [mine.model_copy(update={"external_id": "item-999999"})])
    fake_desk.submit(dataset, "item-999999", "bob", {"label": "true"})

    synced = sync_now(campaign)

    assert synced == Synced(new=1, unknown=1)
    assert [stray.unknown for stray in heard(campaign).strays] == ["record"]


def test_an_answer_whose_person_has_an_account_by_now_is_no_stray_any_more(
    campaign: Campaign, fake_desk: FakeDesk, ada: User
) -> None:
    person = fake_desk.person("ada", "Ada")
    fake_desk.workspaces[campaign.desk_name].add(person.id)
    Labeller(fake_desk, campaign, "ada").says(0, label="true")
    sync_now(campaign)
    assert heard(campaign).unknown == 1

    DeskAccount.objects.create(user=ada, username="ada", argilla_id=person.id)
    synced = sync_now(campaign)

    assert synced == Synced(new=1)
    assert (heard(campaign).unknown, heard(campaign).strays) == (0, ())


def test_strays_are_remembered_when_only_what_is_new_is_read(
    campaign: Campaign, ask_owner: Labeller
) -> None:
    ask_owner.says(0, label="true")
    sync_now(campaign)

    ask_owner.says(1, label="true")
    sync_now(campaign, whole=False)
    sync_now(campaign, whole=False)

    assert heard(campaign).unknown == len(heard(campaign).strays) == 2


def test_what_a_newer_worker_has_noted_stops_no_older_one(
    campaign: Campaign, ask_bob: Labeller
) -> None:
    ask_bob.says(0, label="true")
    sync_now(campaign)
    report = campaign.reports.get(kind="sync")
    report.body["of_a_later_version"] = True
    report.save()

    synced = sync_now(campaign)

    assert synced == Synced(same=1)


def test_where_argilla_goes_down_before_it_has_named_them_the_sync_ends_and_says_so(
    campaign: Campaign,
    fake_desk: FakeDesk,
    ask_owner: Labeller,
    ask_bob: Labeller,
    client: Client,
    alice: User,
) -> None:
    ask_owner.says(0, label="true")
    ask_bob.says(0, label="false")
    fake_desk.down_after = 1  # the answers are still read

    synced = sync_now(campaign)

    assert synced == Synced(new=1, unknown=1)
    [stray] = heard(campaign).strays
    assert stray.person == fake_desk.id_of("owner")
    client.force_login(alice)
    told = client.get(reverse("labeling:labels", args=["demo", campaign.pk])).content.decode()
    assert "Their names will be asked for again: The labelling desk does not answer." in told


def test_they_are_named_when_argilla_is_back(
    campaign: Campaign, fake_desk: FakeDesk, ask_owner: Labeller
) -> None:
    ask_owner.says(0, label="true")
    fake_desk.down_after = 1
    sync_now(campaign)
    fake_desk.down_after, fake_desk.down = None, False

    sync_now(campaign)

    assert [stray.person for stray in heard(campaign).strays] == ["owner"]
    assert heard(campaign).unnamed == ""
