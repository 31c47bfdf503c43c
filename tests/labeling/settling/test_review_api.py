"""Reviews over the API: the queue, an answer of one's own, then what the others said."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import AuditEvent, User, Workspace
from apps.accounts.permissions import Role
from apps.labeling.models import Assignment, Campaign, Question, Review
from tests.labeling.building import labels_blind
from tests.labeling.review_pages import MAJORITY, as_alice, as_bob, campaign, review
from tests.labeling.reviewable import SAID_WHY, answered, ask, fresh, settled, told

__all__ = ["as_alice", "as_bob", "campaign", "review"]

ALL = "/api/v1/reviews"
OF_OTHERS = ("dora", "erin", "told by an annotator")
OF_THE_JUDGE = ("told by the judge", "0.1234", "faithful")


def one(review: Review, action: str = "") -> str:
    return f"{ALL}/{review.item_id}-{review.question_id}{action and f'/{action}'}"


def send(client: Client, review: Review, action: str, *labels: str, **more: Any) -> Any:
    body = {"labels": list(labels), **more}
    return client.post(one(review, action), body, content_type="application/json")


def listed(client: Client, **query: str) -> list[tuple[str, str, str | None]]:
    rows = client.get(ALL, query).json()["results"]
    return [(row["record_id"], row["state"], row["reason"]) for row in rows]


def test_the_queue_is_what_waits_of_the_campaigns_that_one_decides(
    as_bob: Client, as_alice: Client, review: Review, campaign: Campaign, bob: User
) -> None:
    settled(ask(campaign, MAJORITY, reason="audit"), bob)

    assert listed(as_bob) == [("p0", "open", None)]
    assert listed(as_alice) == [("p0", "open", "tie")]
    assert listed(as_bob, campaign=campaign.pk, state="settled") == [("p1", "settled", "audit")]
    assert len(listed(as_bob, state="any")) == 2

    Assignment.objects.update(settles=False)
    assert listed(as_bob) == []
    assert len(listed(as_alice)) == 1


def test_nothing_of_what_others_said_is_told_before_an_answer(
    as_bob: Client, as_alice: Client, review: Review, alice: User
) -> None:
    answered(review, alice, "false")

    queue, found = as_bob.get(ALL), as_bob.get(one(review))
    leads = as_alice.get(one(review)).json()

    assert "Yes, within 60 days." in found.content.decode()
    for answer in (queue, found):
        hidden = (*OF_OTHERS, *OF_THE_JUDGE, "alice")
        assert [text for text in hidden if text in answer.content.decode()] == []
    assert (found.json()["revealed"], found.json()["reason"]) == (False, None)
    assert (leads["revealed"], leads["own_labels"]) == (True, ["false"])


def test_an_answer_shows_the_others_and_is_settled_with_a_comment(
    as_bob: Client, review: Review, bob: User
) -> None:
    first = send(as_bob, review, "answer", "true").json()
    again = send(as_bob, review, "answer", "false").json()
    without = send(as_bob, review, "settle", "false")
    done = send(as_bob, review, "settle", "false", comment=SAID_WHY).json()

    assert (first["revealed"], first["own_labels"], first["reason"]) == (True, ["true"], "tie")
    assert {each["annotator"] for each in first["annotations"]} >= {"dora", "erin"}
    assert [each["value"] for each in first["scores"]] == [0.1234]
    assert again["own_labels"] == ["true"]
    assert without.status_code == 400
    assert "changed your mind" in without.json()["error"]["details"]["fields"]["comment"][0]
    assert (done["state"], done["settled_labels"], done["comment"]) == (
        *("settled", ["false"]),
        SAID_WHY,
    )
    assert [each["what"] for each in done["history"]] == ["settled", "answered"]
    assert told(review) == [("answered", "true", "bob"), ("settled", "false", "bob")]
    assert set(AuditEvent.objects.filter(verb__startswith="review.").values_list("via")) == {
        ("api",)
    }


def test_nobody_settles_without_an_answer_of_their_own(as_bob: Client, review: Review) -> None:
    answer = send(as_bob, review, "settle", "true", comment=SAID_WHY)

    assert answer.status_code == 400
    assert "Give your own answer first" in answer.json()["error"]["message"]
    assert fresh(review).state == "open"


def test_who_labels_the_answers_blind_gets_no_scores(
    as_bob: Client, review: Review, bob: User
) -> None:
    labels_blind(review.item.result.run, bob)
    found = send(as_bob, review, "answer", "true")

    assert (found.json()["revealed"], found.json()["scores"]) == (True, [])
    assert listed(as_bob) == [("p0", "open", "tie")]
    assert [text for text in OF_THE_JUDGE if text in found.content.decode()] == []


@pytest.mark.parametrize("state", ["open", "settled", "withdrawn"])
def test_who_labels_blind_finds_no_review_that_a_judge_asked_for(
    as_bob: Client, as_alice: Client, review: Review, bob: User, alice: User, state: str
) -> None:
    labels_blind(review.item.result.run, bob)
    if state == "settled":
        settled(review, alice)
    Review.objects.update(reason="judge")
    if state == "withdrawn":
        Review.objects.update(state=state)

    refused = [as_bob.get(one(review)), send(as_bob, review, "answer", "true")]

    assert listed(as_bob, state="any") == []
    assert [each.status_code for each in refused] == [404, 404]
    assert listed(as_alice, state="any") == [("p0", state, "judge")]


@pytest.mark.parametrize("labels", [["perhaps"], ["true", "false"]])
def test_an_answer_that_the_question_does_not_have_is_refused(
    as_bob: Client, review: Review, labels: list[str]
) -> None:
    answer = send(as_bob, review, "answer", *labels)

    assert answer.status_code == 400
    assert "labels" in answer.json()["error"]["details"]["fields"]
    assert told(review) == []


@pytest.mark.parametrize("kind", ["choice", "text", "rating", "yes_no"])
def test_a_question_that_takes_one_label_takes_no_two(
    as_bob: Client, review: Review, kind: str
) -> None:
    Question.objects.update(kind=kind, options=[])

    answer = send(as_bob, review, "answer", "alpha", "beta")

    assert answer.status_code == 400
    assert answer.json()["error"]["details"]["fields"]["labels"] == [
        "This question takes one label."
    ]
    assert told(review) == []


def test_what_was_settled_meanwhile_is_told_before_anything_is_asked_for(
    as_bob: Client, as_alice: Client, review: Review, bob: User
) -> None:
    settled(review, bob)

    late = send(as_alice, review, "settle", "false")

    assert late.status_code == 409
    assert "Bob settled this meanwhile" in late.json()["error"]["message"]


def test_a_review_that_nobody_has_settled_cannot_be_settled_otherwise(
    as_bob: Client, as_alice: Client, review: Review
) -> None:
    early = [
        send(client, review, "settle", "true", comment=SAID_WHY, seen="2026-03-02T09:00:00Z")
        for client in (as_alice, as_bob)
    ]

    assert [each.status_code for each in early] == [409, 409]
    assert "Nobody has settled this review yet" in early[0].json()["error"]["message"]
    assert fresh(review).state == "open"


def test_what_nobody_can_decide_is_settled_without_a_label(as_bob: Client, review: Review) -> None:
    send(as_bob, review, "answer")

    found = send(as_bob, review, "settle", comment=SAID_WHY).json()

    assert (found["state"], found["settled_labels"]) == ("settled", [])


def test_a_settlement_is_replaced_only_by_who_has_seen_it(
    as_bob: Client, as_alice: Client, review: Review
) -> None:
    send(as_bob, review, "answer", "true")
    seen = send(as_bob, review, "settle", "true").json()["settled_at"]

    late = send(as_alice, review, "answer", "true")
    changed = send(as_alice, review, "settle", "false", comment=SAID_WHY, seen=seen)
    overtaken = send(as_alice, review, "settle", "true", comment=SAID_WHY, seen=seen)
    of_alice = changed.json()["settled_at"]
    not_ours = send(as_bob, review, "settle", "true", comment=SAID_WHY, seen=of_alice)

    assert late.status_code == 409
    assert (changed.status_code, changed.json()["settled_labels"]) == (200, ["false"])
    assert (overtaken.status_code, not_ours.status_code) == (409, 403)


def test_leads_alone_are_told_of_gold(
    as_bob: Client, as_alice: Client, campaign: Campaign, alice: User
) -> None:
    made = settled(ask(campaign, MAJORITY, reason="gold"), alice)

    assert as_bob.get(one(made)).status_code == 404
    assert listed(as_bob, state="any") == []
    assert listed(as_alice, state="any") == [("p1", "settled", "gold")]


def test_who_settles_nothing_is_refused_and_a_stranger_finds_nothing(
    client: Client, review: Review, campaign: Campaign, workspace: Workspace, charlie: User
) -> None:
    dora = User.objects.create_user("dora")
    workspace.memberships.create(user=dora, role=Role.REVIEWER)

    client.force_login(dora)
    refused = [
        client.get(ALL, {"campaign": campaign.pk}),
        client.get(one(review)),
        send(client, review, "answer", "true"),
    ]
    empty = listed(client)
    client.force_login(charlie)
    stranger = [client.get(one(review)), send(client, review, "answer", "true")]

    assert [each.status_code for each in refused] == [403, 403, 403]
    assert empty == []
    assert [each.status_code for each in stranger] == [404, 404]


@pytest.mark.parametrize("wrong", ["0-0", "1", "a-b", f"{'9' * 30}-1", "-"])
def test_an_id_that_is_none_is_not_found(as_bob: Client, review: Review, wrong: str) -> None:
    assert as_bob.get(f"{ALL}/{wrong}").status_code == 404
