"""What people answered becomes annotations: each once, with its history, and none lost."""

import pytest

from apps.accounts.models import User, Workspace
from apps.labeling.members import people
from apps.labeling.models import Annotation, AnnotationChange, Campaign
from apps.labeling.syncing import Synced, sync_now
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


def labels(**about: object) -> list[tuple[str, str]]:
    """Labels, or why there are none, by annotator, in the order of the items."""
    rows = Annotation.objects.filter(**about).order_by("item__result__ordinal", "annotator")
    return [(row.annotator, row.label or row.discard_reason) for row in rows]


def test_an_answer_is_a_label_of_that_person(
    campaign: Campaign, ask_bob: Labeller, bob: User
) -> None:
    ask_bob.says(0, label="true", notes="Quoted word for word.")

    synced = sync_now(campaign)

    kept = Annotation.objects.get()
    assert synced == Synced(new=1)
    assert (kept.annotator, kept.user, kept.label) == ("bob", bob, "true")
    assert kept.item == ask_bob.record(0).item
    assert kept.notes == "Quoted word for word."
    assert kept.begun_at == kept.annotated_at is not None


def test_who_is_renamed_there_keeps_their_name_and_their_labels(
    campaign: Campaign, ask_bob: Labeller, fake_desk: FakeDesk, bob: User
) -> None:
    ask_bob.says(0, label="true")
    sync_now(campaign)

    fake_desk.rename("bob", "robert")
    account = people.account_of(bob, fake_desk)
    Labeller(fake_desk, campaign, "robert").says(0, label="false")
    synced = sync_now(campaign)

    assert account.username == "bob"
    assert synced == Synced(changed=1)
    assert labels() == [("bob", "false")]


def test_the_same_answers_again_change_nothing(campaign: Campaign, ask_bob: Labeller) -> None:
    ask_bob.says(0, label="true")
    ask_bob.discards(1, discard_reason="unclear")
    sync_now(campaign)
    before = list(Annotation.objects.values())

    synced = sync_now(campaign)

    assert synced == Synced(same=2)
    assert list(Annotation.objects.values()) == before
    assert not AnnotationChange.objects.exists()


def test_a_changed_answer_keeps_what_it_said_before(campaign: Campaign, ask_bob: Labeller) -> None:
    ask_bob.says(0, label="true", notes="At first sight.")
    sync_now(campaign)

    ask_bob.says(0, label="false")
    synced = sync_now(campaign)

    assert synced == Synced(changed=1)
    assert labels() == [("bob", "false")]
    change = AnnotationChange.objects.get()
    assert (change.label, change.notes) == ("true", "At first sight.")
    assert change.annotated_at < Annotation.objects.get().annotated_at


def test_saying_it_once_more_is_no_change(campaign: Campaign, ask_bob: Labeller) -> None:
    ask_bob.says(0, label="true")
    sync_now(campaign)
    first = Annotation.objects.get()

    ask_bob.says(0, label="true")
    synced = sync_now(campaign)

    assert synced == Synced(same=1)
    assert not AnnotationChange.objects.exists()
    assert Annotation.objects.get().annotated_at > first.annotated_at
    assert Annotation.objects.get().begun_at == first.begun_at


def test_a_draft_never_counts(campaign: Campaign, ask_bob: Labeller) -> None:
    ask_bob.drafts(0, label="true")

    synced = sync_now(campaign)

    assert synced == Synced(drafts=1)
    assert not Annotation.objects.exists()


@pytest.mark.parametrize("whole", [True, False])
def test_an_answer_that_is_a_draft_again_is_withdrawn(
    campaign: Campaign, ask_bob: Labeller, whole: bool
) -> None:
    ask_bob.says(0, label="true", notes="Sure.")
    sync_now(campaign)

    ask_bob.drafts(0, label="true")
    synced = sync_now(campaign, whole=whole)

    assert synced == Synced(withdrawn=1, drafts=1)
    kept = Annotation.objects.get()
    assert (kept.label, kept.discard_reason, kept.notes) == ("", "", "")
    assert AnnotationChange.objects.get().label == "true"
    assert not Annotation.objects.standing().exists()


def test_an_answer_that_was_deleted_is_withdrawn_when_everything_is_read(
    campaign: Campaign, ask_bob: Labeller
) -> None:
    ask_bob.says(0, label="true")
    ask_bob.says(1, label="false")
    sync_now(campaign)

    ask_bob.deletes(0)
    some, everything = sync_now(campaign, whole=False), sync_now(campaign)

    assert some == Synced(same=1)
    assert everything == Synced(same=1, withdrawn=1)
    assert labels(label__gt="") == [("bob", "false")]
    assert sync_now(campaign) == Synced(same=1)


def test_a_withdrawn_answer_that_is_given_again_stands_again(
    campaign: Campaign, ask_bob: Labeller
) -> None:
    ask_bob.says(0, label="true")
    sync_now(campaign)
    ask_bob.deletes(0)
    sync_now(campaign)

    ask_bob.says(0, label="true")
    synced = sync_now(campaign)

    assert synced == Synced(changed=1)
    assert labels() == [("bob", "true")]
    assert [each.label for each in AnnotationChange.objects.order_by("pk")] == ["true", ""]


def test_a_discard_answers_every_question_of_the_task(
    workspace: Workspace, alice: User, bob: User, fake_desk: FakeDesk
) -> None:
    made = a_campaign(workspace, alice, bob, tasks=("grounding_full",))
    campaign = opened(made, fake_desk)

    Labeller(fake_desk, campaign, "bob").discards(0, discard_reason="unclear", notes="No text.")
    sync_now(campaign)

    rows = Annotation.objects.all()
    assert {row.question.name for row in rows} == {
        "support_present",
        "unsupported_claim_present",
        "contradicted_claim_present",
        "source_cited",
        "fabricated_source",
    }
    assert {(row.label, row.discard_reason, row.notes) for row in rows} == {
        ("", "unclear", "No text.")
    }


def test_a_discard_without_a_reason_is_kept_as_such(campaign: Campaign, ask_bob: Labeller) -> None:
    ask_bob.discards(0)

    sync_now(campaign)

    assert labels() == [("bob", "no_reason_given")]


def test_surplus_answers_are_kept(
    workspace: Workspace, alice: User, bob: User, ada: User, fake_desk: FakeDesk
) -> None:
    made = a_campaign(workspace, alice, alice, bob, ada, tasks=("grounding",), min_submitted=1)
    campaign = opened(made, fake_desk)
    for name in ("alice", "bob", "ada"):
        Labeller(fake_desk, campaign, name).says(0, label="true")

    sync_now(campaign)

    assert labels() == [("ada", "true"), ("alice", "true"), ("bob", "true")]


def test_an_optional_question_that_is_emptied_is_withdrawn(
    workspace: Workspace, alice: User, bob: User, fake_desk: FakeDesk
) -> None:
    own = [
        {"name": "good", "title": "Good?"},
        {"name": "better", "title": "Say it better", "kind": "text", "required": False},
    ]
    campaign = opened(a_campaign(workspace, alice, bob, tasks=("own",), own=own), fake_desk)
    ask_bob = Labeller(fake_desk, campaign, "bob")
    ask_bob.says(0, good="false", better="Within 60 days.")
    sync_now(campaign)

    ask_bob.says(0, good="false")
    synced = sync_now(campaign)

    assert synced == Synced(same=1, withdrawn=1)
    assert labels(label__gt="") == [("bob", "false")]


def test_free_words_are_kept_without_secrets(campaign: Campaign, ask_bob: Labeller) -> None:
    secret = "sk-" + "a1B2" * 12

    ask_bob.says(0, label="true", notes=f"The key {secret} is in the answer.\0")
    sync_now(campaign)

    notes = Annotation.objects.get().notes
    assert secret not in notes
    assert "\0" not in notes


# -- how many have answered -------------------------------------------------------------------


def test_each_record_says_how_many_people_answered_it(
    campaign: Campaign, fake_desk: FakeDesk, ask_bob: Labeller
) -> None:
    ask_bob.says(0, label="true")
    ask_bob.drafts(1, label="true")
    Labeller(fake_desk, campaign, "alice").discards(0, discard_reason="unclear")
    sync_now(campaign)
    assert _counts(ask_bob, 0) == (1, 1)

    ask_bob.deletes(0)
    sync_now(campaign)

    assert _counts(ask_bob, 0) == (0, 1)
    assert _counts(ask_bob, 1) == (0, 0)


def _counts(labeller: Labeller, place: int) -> tuple[int, int]:
    record = labeller.record(place)
    return record.submitted, record.discarded
