"""Reviews over HTTP: a small campaign, who looks at it, and what they press."""

from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.labeling.models import Annotation, Campaign, Review
from tests.labeling.reviewable import a_campaign, ask, fresh, judge

TIE, MAJORITY, UNANIMOUS, UNLABELLED = range(4)
YES, NO, NOBODY = "=true", "=false", "undecided"


@pytest.fixture
def campaign(workspace: Workspace, bob: User) -> Campaign:
    made = a_campaign(workspace, bob)
    Annotation.objects.update(notes="told by an annotator")
    return made


@pytest.fixture
def review(campaign: Campaign) -> Review:
    found = fresh(ask(campaign, TIE))
    judge(found, value=0.1234)
    return found


@pytest.fixture
def as_bob(client: Client, bob: User) -> Client:
    client.force_login(bob)
    return client


@pytest.fixture
def as_alice(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


def address(review: Review, query: str = "") -> str:
    unit = review.question.campaign_id, review.item_id, review.question_id
    return reverse("labeling:review", args=["demo", *unit]) + query


def queue(campaign: Campaign, query: str = "") -> str:
    return reverse("labeling:reviews", args=["demo", campaign.pk]) + query


def page(client: Client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer.content.decode()


def press(
    client: Client, review: Review, action: str, answer: Any = None, **fields: Any
) -> HttpResponse:
    said = {} if answer is None else {"answer": answer}
    found: HttpResponse = client.post(address(review), {"action": action, **said, **fields})
    return found
