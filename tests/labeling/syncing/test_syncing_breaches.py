"""Answers that contradict themselves are kept, told, and do not count where that blocks."""

import pytest

from apps.accounts.models import User, Workspace
from apps.labeling.models import Annotation, Breach, Campaign, CampaignStep
from apps.labeling.syncing import sync_now
from tests.labeling.at_the_desk import Labeller, opened
from tests.labeling.building import a_campaign, step_of
from tests.labeling.fake_desk import FakeDesk, fake_desk

__all__ = ["fake_desk"]

SOUND = {"topically_relevant": "true", "evidence_sufficient": "true", "misleading": "false"}
BLOCKED = {**SOUND, "topically_relevant": "false"}
WARNED = {**SOUND, "misleading": "true"}


@pytest.fixture
def campaign(workspace: Workspace, alice: User, bob: User, fake_desk: FakeDesk) -> Campaign:
    tasks = ("retrieval_full", "relevance")
    return opened(a_campaign(workspace, alice, alice, bob, tasks=tasks), fake_desk)


@pytest.fixture
def ask_bob(campaign: Campaign, fake_desk: FakeDesk) -> Labeller:
    return Labeller(fake_desk, campaign, "bob", "retrieval_full")


def test_a_blocking_breach_is_told_and_the_labels_do_not_count(
    campaign: Campaign, ask_bob: Labeller, bob: User
) -> None:
    ask_bob.says(0, **BLOCKED)
    ask_bob.says(1, **SOUND)

    sync_now(campaign)

    breach = Breach.objects.get()
    assert (breach.item, breach.user) == (ask_bob.record(0).item, bob)
    assert (breach.constraint, breach.severity) == ("evidence_requires_relevance", "block")
    assert breach.message == "retrieval: evidence_sufficient=True but topically_relevant=False"
    assert Annotation.objects.labelled().count() == 6
    counted = Annotation.objects.counted().values_list("item", flat=True).distinct()
    assert list(counted) == [ask_bob.record(1).item_id]


def test_a_breach_leaves_other_tasks_and_people_alone(
    campaign: Campaign, fake_desk: FakeDesk, ask_bob: Labeller
) -> None:
    ask_bob.says(0, **BLOCKED)
    Labeller(fake_desk, campaign, "alice", "retrieval_full").says(0, **SOUND)
    Labeller(fake_desk, campaign, "bob", "relevance").says(0, label="true")

    sync_now(campaign)

    counted = Annotation.objects.counted().values_list("annotator", "question__task_type")
    assert set(counted) == {("alice", "retrieval"), ("bob", "relevance")}


def test_a_warning_counts_all_the_same(campaign: Campaign, ask_bob: Labeller) -> None:
    ask_bob.says(0, **WARNED)

    sync_now(campaign)

    assert Breach.objects.get().severity == Breach.Severity.WARN
    assert Annotation.objects.counted().count() == 3


def test_a_breach_that_is_mended_is_gone(campaign: Campaign, ask_bob: Labeller) -> None:
    ask_bob.says(0, **BLOCKED)
    sync_now(campaign)
    found = Breach.objects.get()

    ask_bob.says(1, **SOUND)
    sync_now(campaign)
    assert list(Breach.objects.all()) == [found]
    ask_bob.says(0, **SOUND)
    sync_now(campaign)

    assert not Breach.objects.exists()
    assert Annotation.objects.counted().count() == 6


@pytest.mark.parametrize("how", ["drafts", "discards", "deletes"])
def test_who_takes_an_answer_back_breaks_nothing(
    campaign: Campaign, ask_bob: Labeller, how: str
) -> None:
    ask_bob.says(0, **BLOCKED)
    sync_now(campaign)

    getattr(ask_bob, how)(0)
    sync_now(campaign)

    assert not Breach.objects.exists()


def test_what_a_plan_switches_off_is_no_breach(
    workspace: Workspace, alice: User, bob: User, fake_desk: FakeDesk
) -> None:
    off = {"evidence_requires_relevance": "off"}
    made = a_campaign(workspace, alice, bob, tasks=("retrieval_full",), severities=off)
    campaign = opened(made, fake_desk)

    Labeller(fake_desk, campaign, "bob").says(0, **BLOCKED)
    sync_now(campaign)

    assert not Breach.objects.exists()


def test_a_new_breach_has_the_numbers_computed_anew(campaign: Campaign, ask_bob: Labeller) -> None:
    ask_bob.says(0, **BLOCKED)

    sync_now(campaign)

    assert step_of(campaign, CampaignStep.Name.ANALYSE).is_open
