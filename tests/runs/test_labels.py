"""Failure labels: one stands, all are kept, and everybody in the workspace may say."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from apps.accounts.models import AuditEvent, User, Workspace
from apps.runs.labels import Said, in_order, label_again, label_failure, withdraw_label
from apps.runs.models import FailureLabel, Result, Run
from apps.runs.queries import ResultFilter, results_of
from apps.runs.queries.labels import label_counts, labels_of
from tests import samples

from .pages import HOSTILE, Opener, words_of

pytestmark = pytest.mark.django_db

WRONG = Said(primary="incorrect_answer", secondary=("hallucinated_fact",))
LATE = Said(primary="timeout_or_latency_exceeded", attribution="external_system", note="Slow.")
FAILED_ORDINAL, TIMED_OUT = 14, 18


@pytest.fixture
def result(ended: Run) -> Result:
    return ended.results.get(ordinal=FAILED_ORDINAL)


def say(result: Result, said: Said, by: User | None = None) -> FailureLabel:
    return label_failure(result, said, by=by, now=timezone.now())


def address(run: Run, ordinal: int = FAILED_ORDINAL) -> str:
    return f"/w/demo/runs/{run.pk}/records/{ordinal}/label/"


# -- the service ----------------------------------------------------------------------------


def test_a_new_label_takes_the_place_of_the_old_one_which_is_kept(
    result: Result, alice: User, bob: User
) -> None:
    first = say(result, WRONG, alice)
    second = say(result, LATE, bob)

    labels = list(result.failure_labels.order_by("seq"))
    assert [(label.seq, label.is_current) for label in labels] == [(0, False), (1, True)]
    assert (first.by, second.by) == (alice, bob)
    assert (second.attribution, second.note) == ("external_system", "Slow.")


def test_saying_it_again_changes_nothing(result: Result) -> None:
    first = say(result, WRONG)

    assert say(result, WRONG) == first
    assert result.failure_labels.count() == 1


def test_going_back_is_a_new_label_with_the_words_of_the_old_one(result: Result) -> None:
    first = say(result, WRONG)
    say(result, LATE)

    back = label_again(first, by=None, now=timezone.now())

    assert (back.seq, back.primary, back.secondary) == (2, WRONG.primary, list(WRONG.secondary))
    assert result.failure_labels.count() == 3


def test_a_label_can_be_taken_away_and_the_history_keeps_it(result: Result) -> None:
    say(result, WRONG)

    withdraw_label(result, by=None)
    withdraw_label(result, by=None)

    assert not result.failure_labels.filter(is_current=True).exists()
    assert say(result, LATE).seq == 1
    verbs = AuditEvent.objects.filter(object_type="runs.result").values_list("verb", flat=True)
    assert list(verbs.order_by("pk")) == [
        "result.labelled",
        "result.label_withdrawn",
        "result.labelled",
    ]


def test_the_audit_log_says_what_it_was_before_and_after(result: Result, bob: User) -> None:
    say(result, WRONG)
    say(result, LATE, bob)

    event = AuditEvent.objects.filter(verb="result.labelled").latest("pk")
    assert event.actor == bob
    assert event.changes["primary"] == [WRONG.primary, LATE.primary]
    assert "note" not in event.changes


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        (Said(primary="wrong"), "is not a failure that has a name"),
        (Said(primary="other", secondary=("nonsense",)), "nonsense is not a failure"),
        (Said(primary="other", secondary=("other",)), "cannot be a further one"),
        (Said(primary="other", attribution="bad luck"), "is no attribution"),
        (Said(primary="other", note="x" * 5_001), "5,000 characters"),
    ],
)
def test_words_that_do_not_exist_are_refused(result: Result, said: Said, complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        say(result, said)

    assert not FailureLabel.objects.exists()


def test_the_database_keeps_two_labels_from_standing_at_once(result: Result) -> None:
    say(result, WRONG)
    at = timezone.now() + timedelta(seconds=1)

    with pytest.raises(IntegrityError), transaction.atomic():
        FailureLabel.objects.create(result=result, seq=1, primary="other", at=at)


def test_further_failures_stand_in_the_order_of_the_taxonomy() -> None:
    assert in_order(["other", "hallucinated_fact", "other"]) == ("hallucinated_fact", "other")


# -- what is read of them -------------------------------------------------------------------


def test_labels_are_counted_and_found(ended: Run, result: Result) -> None:
    say(result, LATE)
    say(result, WRONG)
    say(ended.results.get(ordinal=TIMED_OUT), LATE)

    counts = [(each.word, each.count) for each in label_counts(ended)]
    named = results_of(ended, ResultFilter(label="incorrect_answer"))
    unnamed = results_of(ended, ResultFilter(label="none"))
    assert counts == [("incorrect_answer", 1), ("timeout_or_latency_exceeded", 1)]
    assert [each.ordinal for each in named] == [FAILED_ORDINAL]
    assert unnamed.count() == 23
    assert not unnamed.filter(ordinal__in=[FAILED_ORDINAL, TIMED_OUT]).exists()


def test_an_answer_that_passed_is_proposed_nothing(ended: Run) -> None:
    assert labels_of(ended.results.get(ordinal=0), []).proposal is None


# -- the page -------------------------------------------------------------------------------


def test_the_page_of_a_failed_result_proposes_a_label(ended: Run, opened: Opener) -> None:
    page = words_of(opened("record", ended.pk, TIMED_OUT))

    assert "Proposed Timeout or latency exceeded" in page
    assert "It ended with timeout. Nobody has said so yet." in page
    assert "Confirm or correct" in page


def test_a_label_is_kept_shown_and_gone_back_to(
    ended: Run, result: Result, as_alice: Client, opened: Opener
) -> None:
    said = {"primary": "other", "secondary": ["hallucinated_fact"], "note": "Made up."}
    answer = as_alice.post(address(ended), said)
    as_alice.post(address(ended), {"primary": "incorrect_answer"})

    assert answer.status_code == 302
    assert answer["Location"] == f"/w/demo/runs/{ended.pk}/records/{FAILED_ORDINAL}/"
    page = words_of(opened("record", ended.pk, FAILED_ORDINAL))
    assert "2 labels so far" in page
    assert "Made up." in page
    as_alice.post(address(ended), {"again": "0"})
    as_alice.post(address(ended), {"again": "7"})
    assert result.failure_labels.get(is_current=True).note == "Made up."
    as_alice.post(address(ended), {"withdraw": "1"})
    assert not result.failure_labels.filter(is_current=True).exists()


def test_htmx_gets_the_section_alone(ended: Run, as_alice: Client) -> None:
    answer = as_alice.post(
        address(ended), {"primary": "other"}, headers={"HX-Request": "true", "HX-Target": "labels"}
    )

    page = answer.content.decode()
    assert page.lstrip().startswith('<section id="labels"')
    assert "Other" in page
    assert "<html" not in page


def test_a_mistake_is_told_at_its_field(ended: Run, as_alice: Client) -> None:
    for headers in ({}, {"HX-Request": "true"}):
        answer = as_alice.post(
            address(ended), {"primary": "other", "secondary": ["other"]}, headers=headers
        )

        assert "leave it out here" in answer.content.decode()
    assert not FailureLabel.objects.exists()


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"primary": "wrong"}, "wrong is not a failure that has a name: use incorrect_answer,"),
        ({"primary": "other", "secondary": ["bad"]}, "bad is not a failure that has a name: use"),
        ({"primary": "other", "attribution": "luck"}, "luck is no attribution: use"),
    ],
)
def test_a_wrong_word_is_answered_with_those_that_there_are(
    said: dict[str, Any],
    sentence: str,
    ended: Run,
    workspace: Workspace,
    bob: User,
    client: Client,
    as_alice: Client,
) -> None:
    page = as_alice.post(address(ended), said)
    answer = call(client, workspace, bob, "post", ended, said)

    assert sentence in page.content.decode()
    assert sentence in answer.content.decode()


def test_a_reviewer_may_label_and_a_stranger_finds_nothing(
    ended: Run, client: Client, bob: User, charlie: User
) -> None:
    client.force_login(charlie)
    assert client.post(address(ended), {"primary": "other"}).status_code == 404
    client.force_login(bob)
    assert client.post(address(ended), {"primary": "other"}).status_code == 302
    assert FailureLabel.objects.get().by == bob


def test_results_are_filtered_by_label_and_the_run_counts_them(
    ended: Run, result: Result, opened: Opener
) -> None:
    say(result, WRONG)

    found = opened("results", ended.pk, query="?label=incorrect_answer")
    overview = words_of(opened("detail", ended.pk))
    assert f"ticket-{FAILED_ORDINAL:05d}" in found
    assert "ticket-00018" not in found
    assert "Incorrect answer (1)" in found
    assert "As people named them Incorrect answer 1" in overview


def test_a_note_is_never_markup(ended: Run, result: Result, opened: Opener) -> None:
    say(result, Said(primary="other", note=HOSTILE))
    say(result, Said(primary="other", note=f"{HOSTILE} again"))

    page = opened("record", ended.pk, FAILED_ORDINAL)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


# -- the API --------------------------------------------------------------------------------


def call(
    client: Client, workspace: Workspace, user: User, method: str, run: Run, body: Any = None
) -> Any:
    url = f"/api/v1/runs/{run.pk}/results/{FAILED_ORDINAL}/labels"
    bearer = samples.bearer_of(user, workspace)
    return getattr(client, method)(url, body, content_type="application/json", headers=bearer)


def test_labels_over_the_api(ended: Run, workspace: Workspace, bob: User, client: Client) -> None:
    said = {"primary": "other", "secondary": ["hallucinated_fact"], "attribution": "policy_gate"}

    made = call(client, workspace, bob, "post", ended, said)
    read = call(client, workspace, bob, "get", ended).json()

    assert made.status_code == 201
    assert made.json() == read
    assert read["current"]["primary"] == "other"
    assert read["current"]["by"] == bob.label
    assert [label["seq"] for label in read["history"]] == [0]
    assert call(client, workspace, bob, "delete", ended).status_code == 204
    assert call(client, workspace, bob, "get", ended).json()["current"] is None
    assert AuditEvent.objects.filter(verb="result.labelled", via="api").count() == 1


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"primary": "wrong"},
        {"primary": "other", "secondary": ["other"]},
        {"primary": "other", "secondary": "other"},
        {"primary": "other", "attribution": "luck"},
    ],
)
def test_the_api_refuses_what_no_label_says(
    body: dict[str, Any], ended: Run, workspace: Workspace, bob: User, client: Client
) -> None:
    answer = call(client, workspace, bob, "post", ended, body)

    assert answer.status_code == 400
    assert answer.json()["error"]["message"]
    assert not FailureLabel.objects.exists()


def test_results_over_the_api_carry_their_label_and_the_verifier_output(
    ended: Run, result: Result, workspace: Workspace, bob: User, client: Client
) -> None:
    say(result, LATE)

    url = f"/api/v1/runs/{ended.pk}/results?label=timeout_or_latency_exceeded"
    (row,) = client.get(url, headers=samples.bearer_of(bob, workspace)).json()["results"]

    assert row["index"] == FAILED_ORDINAL
    assert row["failure_label"]["note"] == "Slow."
    assert row["verifier_output"]["verifier_id"] == "evalhub"
    assert row["verifier_output"]["verifier_contract_version"] == "quality@1"
    assert row["verifier_output"]["failure_attribution"] == "external_system"


def test_the_results_of_a_run_need_the_same_few_queries_whatever_their_number(
    ended: Run, workspace: Workspace, bob: User, client: Client, django_assert_max_num_queries: Any
) -> None:
    for result in ended.results.filter(ordinal__lt=30):
        say(result, LATE)
    bearer = samples.bearer_of(bob, workspace)

    with django_assert_max_num_queries(14):
        client.get(f"/api/v1/runs/{ended.pk}/results", headers=bearer)
