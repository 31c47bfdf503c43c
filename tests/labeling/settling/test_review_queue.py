"""The review queue over HTTP: what it counts, finds, and who may look."""

from typing import Any

from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.labeling.models import Campaign, Review
from tests.labeling import labelled
from tests.labeling.review_pages import (
    MAJORITY,
    TIE,
    UNANIMOUS,
    UNLABELLED,
    address,
    as_alice,
    as_bob,
    campaign,
    page,
    queue,
    review,
)
from tests.labeling.reviewable import ask, fresh, settled

__all__ = ["as_alice", "as_bob", "campaign", "review"]


def test_the_queue_counts_and_filters(
    as_alice: Client, campaign: Campaign, review: Review, bob: User
) -> None:
    ask(campaign, MAJORITY, "audit")
    settled(fresh(ask(campaign, UNANIMOUS, "audit")), bob)

    def shown(query: str) -> list[int]:
        found = page(as_alice, queue(campaign, query))
        return [number for number in range(4) if f">p{number}<" in found]

    assert shown("") == [TIE, MAJORITY]
    assert shown("?reason=audit") == [MAJORITY]
    assert shown("?state=settled") == [UNANIMOUS]
    assert shown("?state=any") == [TIE, MAJORITY, UNANIMOUS]
    assert shown("?task=grounding&state=any") == [TIE, MAJORITY, UNANIMOUS]
    assert shown("?task=retrieval") == []
    assert shown("?question=0") == []
    assert shown("?state=nonsense&question=%00&reason=%27") == []


def test_the_queue_takes_the_same_queries_whatever_its_length(
    as_alice: Client, campaign: Campaign, django_assert_max_num_queries: Any
) -> None:
    for number in range(4):
        ask(campaign, number)
    as_alice.get(queue(campaign))

    with django_assert_max_num_queries(15):
        as_alice.get(queue(campaign))


def test_neighbours_keep_the_filter(as_alice: Client, campaign: Campaign) -> None:
    before, here, after = (fresh(ask(campaign, n, "audit")) for n in (TIE, MAJORITY, UNANIMOUS))
    ask(campaign, UNLABELLED, "tie")

    found = page(as_alice, address(here, "?reason=audit"))

    assert f'href="{address(before, "?reason=audit")}"' in found
    assert f'href="{address(after, "?reason=audit")}"' in found
    assert address(after, "?reason=audit&amp;skipped=") in found
    assert "3 open" in found


def test_a_skipped_review_can_be_gone_back_to(as_bob: Client, campaign: Campaign) -> None:
    first, second = fresh(ask(campaign, TIE)), fresh(ask(campaign, MAJORITY))

    found = page(as_bob, address(second, f"?skipped={first.item_id}-{first.question_id}"))

    assert "Skipped for now" in found
    assert f'href="{address(first)}"' in found


def test_members_who_only_label_are_told_who_settles(
    as_bob: Client, campaign: Campaign, review: Review
) -> None:
    campaign.assignments.update(settles=False)

    answers = [as_bob.get(queue(campaign)), as_bob.get(address(review))]

    assert [answer.status_code for answer in answers] == [403, 403]
    assert "Leads settle reviews" in answers[0].content.decode()


def test_a_review_of_another_campaign_is_not_found_here(
    as_alice: Client, workspace: Workspace, review: Review
) -> None:
    other = labelled.a_campaign(
        workspace, name="Another", version=review.item.result.record.version
    )

    unit = review.item_id, review.question_id
    answer = as_alice.get(reverse("labeling:review", args=["demo", other.pk, *unit]))

    assert answer.status_code == 404
