"""Reviews are asked for where they are needed, once."""

from typing import Any

import pytest

from apps.accounts.models import User, Workspace
from apps.labeling.models import Campaign, Question, Review
from apps.labeling.settling import raising
from apps.labeling.settling.review_queue import reason_of
from apps.labeling.settling.truth import truths
from tests.datasets.pairs import pairs_version
from tests.labeling.labelled import START, a_campaign, discard, items_of, say, settle


@pytest.fixture
def question(workspace: Workspace) -> Question:
    return a_campaign(workspace, 4).questions.get()


def raise_what_is_needed(campaign: Campaign) -> None:
    raising.review_what_labels_ask(campaign, truths(campaign))


def reviews(campaign: Campaign) -> list[tuple[int, str, str]]:
    """The number of the item, the reason and the state of each."""
    rows = Review.objects.filter(item__campaign=campaign).order_by("item__result__ordinal")
    return list(rows.values_list("item__result__ordinal", "reason", "state"))


def test_a_tie_is_reviewed_and_what_is_agreed_is_not(question: Question) -> None:
    say(question, "alice", ["true", "true"])
    say(question, "bob", ["true", "false"])

    raise_what_is_needed(question.campaign)

    assert reviews(question.campaign) == [(1, "tie", "open")]


def test_doing_it_again_changes_nothing(question: Question) -> None:
    say(question, "alice", ["true"])
    say(question, "bob", ["false"])
    raise_what_is_needed(question.campaign)
    before = list(Review.objects.values())

    raise_what_is_needed(question.campaign)

    assert list(Review.objects.values()) == before


def test_unanimity_sends_every_split_to_review(workspace: Workspace) -> None:
    campaign = a_campaign(workspace, consensus="unanimity")
    for person, label in (("alice", "true"), ("bob", "true"), ("dora", "false")):
        say(campaign.questions.get(), person, [label, "true"])

    raise_what_is_needed(campaign)

    assert reviews(campaign) == [(0, "split", "open")]


def test_an_adjudicated_campaign_reviews_everything(workspace: Workspace) -> None:
    campaign = a_campaign(workspace, consensus="adjudicated")
    say(campaign.questions.get(), "alice", ["true", "true"])

    raise_what_is_needed(campaign)

    assert reviews(campaign) == [(0, "adjudicate", "open"), (1, "adjudicate", "open")]


def test_what_one_of_all_people_has_discarded_is_decided_by_somebody(
    workspace: Workspace, alice: User, bob: User, ada: User
) -> None:
    campaign = a_campaign(workspace, min_submitted=2)
    question = campaign.questions.get()
    say(question, "alice", ["true"])
    discard(question, "bob", 0)
    for person in (alice, bob):
        campaign.assignments.create(user=person)
        question.annotations.filter(annotator=person.username).update(user=person)

    raise_what_is_needed(campaign)
    asked = reviews(campaign), [reason_of(each) for each in Review.objects.all()]
    campaign.assignments.create(user=ada)
    raise_what_is_needed(campaign)

    assert asked == ([(0, "adjudicate", "open")], ["Discarded, nobody left"])
    assert reviews(campaign) == [(0, "adjudicate", "withdrawn")]


def test_a_review_that_later_labels_settle_is_withdrawn(question: Question) -> None:
    say(question, "alice", ["true"])
    say(question, "bob", ["false"])
    raise_what_is_needed(question.campaign)

    say(question, "dora", ["true"])
    raise_what_is_needed(question.campaign)

    assert reviews(question.campaign) == [(0, "tie", "withdrawn")]


def test_a_withdrawn_review_that_is_needed_again_opens_again(question: Question) -> None:
    for person, label in (("alice", "true"), ("bob", "false"), ("dora", "true")):
        say(question, person, [label])
    Review.objects.create(
        item=items_of(question.campaign)[0], question=question, reason="split", state="withdrawn"
    )

    say(question, "emil", ["false"])
    raise_what_is_needed(question.campaign)

    assert reviews(question.campaign) == [(0, "tie", "open")]


def test_a_review_that_somebody_has_begun_is_not_withdrawn(question: Question) -> None:
    say(question, "alice", ["true"])
    say(question, "bob", ["false"])
    raise_what_is_needed(question.campaign)
    Review.objects.update(blind_label="true", blind_at=START)

    say(question, "dora", ["true"])
    raise_what_is_needed(question.campaign)

    assert reviews(question.campaign) == [(0, "tie", "open")]


def test_what_is_settled_is_never_asked_again(question: Question) -> None:
    settle(question, 0, "true")
    say(question, "alice", ["true"])
    say(question, "bob", ["false"])

    raise_what_is_needed(question.campaign)

    assert reviews(question.campaign) == [(0, "tie", "settled")]


def test_what_is_gold_elsewhere_is_neither_reviewed_nor_audited(workspace: Workspace) -> None:
    version = pairs_version(workspace)
    settle(
        a_campaign(workspace, version=version, name="before").questions.get(), 0, "true",
        gold_at=START,
    )  # fmt: skip
    question = a_campaign(workspace, version=version, audit_share=1.0).questions.get()
    say(question, "alice", ["true", "true", "true"])
    say(question, "bob", ["false", "false", "true"])
    Review.objects.create(item=items_of(question.campaign)[0], question=question, reason="tie")

    raise_what_is_needed(question.campaign)

    assert reviews(question.campaign) == [
        (0, "tie", "withdrawn"),
        (1, "tie", "open"),
        (2, "audit", "open"),
    ]


def test_a_tie_that_becomes_a_split_says_so(workspace: Workspace) -> None:
    question = a_campaign(workspace, consensus="unanimity").questions.get()
    item = items_of(question.campaign)[0]
    Review.objects.create(item=item, question=question, reason="tie")
    for person, label in (("alice", "true"), ("bob", "false"), ("dora", "false")):
        say(question, person, [label])

    raise_what_is_needed(question.campaign)

    assert reviews(question.campaign) == [(0, "split", "open")]


def test_the_audit_draws_its_share_and_the_same_one_each_time(workspace: Workspace) -> None:
    campaign = a_campaign(workspace, 100, audit_share=0.3)
    say(campaign.questions.get(), "alice", ["true"] * 100)

    raise_what_is_needed(campaign)
    drawn = reviews(campaign)
    raise_what_is_needed(campaign)

    assert reviews(campaign) == drawn
    assert {reason for _, reason, _ in drawn} == {"audit"}
    assert 15 <= len(drawn) <= 45


def test_whoever_has_another_key_draws_another_audit(workspace: Workspace, settings: Any) -> None:
    campaign = a_campaign(workspace, 1)
    units = [(item, 1) for item in range(200)]

    def drawn() -> list[bool]:
        return [raising.is_audited(campaign, unit, 0.5) for unit in units]

    ours = drawn()
    settings.SECRET_KEY = "of another installation, long enough"

    assert ours != drawn()


def test_a_tie_is_asked_as_one_though_a_judge_was_first(question: Question) -> None:
    """Who may not know of the judge is asked for it at once."""
    unit = items_of(question.campaign)[0].pk, question.pk
    raising.raise_reviews(question.campaign, {unit: Review.Reason.JUDGE})
    say(question, "alice", ["true"])
    say(question, "bob", ["false"])

    raise_what_is_needed(question.campaign)

    assert reviews(question.campaign) == [(0, "tie", "open")]


def test_an_import_audits_nothing(workspace: Workspace) -> None:
    campaign = a_campaign(workspace)
    say(campaign.questions.get(), "alice", ["true"] * 3)
    campaign.kind, campaign.plan, campaign.state = Campaign.Kind.IMPORT, {}, "closed"
    campaign.save()

    raise_what_is_needed(campaign)

    assert not reviews(campaign)


def test_conflicts_with_a_judge_are_raised_beside_them(question: Question) -> None:
    say(question, "alice", ["true", "true"])
    say(question, "bob", ["true", "false"])
    raise_what_is_needed(question.campaign)
    first, second, *_ = items_of(question.campaign)
    conflicts = [(first.pk, question.pk), (second.pk, question.pk)]

    raised = raising.raise_reviews(question.campaign, dict.fromkeys(conflicts, Review.Reason.JUDGE))
    raise_what_is_needed(question.campaign)

    assert raised == 1
    assert reviews(question.campaign) == [(0, "judge", "open"), (1, "tie", "open")]


def test_conflicts_that_are_gone_are_withdrawn(question: Question) -> None:
    first, second, *_ = items_of(question.campaign)
    conflicts = [(first.pk, question.pk), (second.pk, question.pk)]
    raising.raise_reviews(question.campaign, dict.fromkeys(conflicts, Review.Reason.JUDGE))

    raising.withdraw_reviews(question.campaign, [Review.Reason.JUDGE], keep=conflicts[1:])

    assert reviews(question.campaign) == [(0, "judge", "withdrawn"), (1, "judge", "open")]
