"""Labels that came in files become gold, and gold is hidden among what is labelled next."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.labeling.models import Campaign
from apps.labeling.progress import drawn_of
from apps.labeling.sending import preparing
from apps.labeling.settling.gold import make_agreed_gold
from tests.commands import evalhub
from tests.datasets.pairs import (
    LABEL_COLUMNS,
    a_pair,
    csv_of,
    pairs_csv,
    pairs_version,
    uploaded,
)
from tests.labeling.building import a_campaign

WANTED = {"how": "random", "size": 2, "gold": 3}


@pytest.fixture
def imported(workspace: Workspace, alice: User) -> Campaign:
    """Two answers to older questions, with a label each."""
    rows = [a_pair(number, query=f"An older question {number}?") for number in range(2)]
    preparing.source_of(pairs_version(workspace, pairs_csv(*rows), "old.csv"), by=alice)
    labels = [[f"p{n}", "grounding", "true", "dora", "2026-01-15T10:05:12Z"] for n in range(2)]
    uploaded(workspace, csv_of(LABEL_COLUMNS, labels), "labels.csv")
    return Campaign.objects.get(kind=Campaign.Kind.IMPORT)


def vouched(campaign: Campaign, by: User) -> None:
    question = campaign.questions.get()
    for item in campaign.items.all():
        make_agreed_gold(item, question, by=by, now=timezone.now())


def test_imported_items_are_known_by_their_pair(
    workspace: Workspace, imported: Campaign, alice: User
) -> None:
    """The same pair has the same hash in a campaign of the desk."""
    asked = a_campaign(workspace, alice, run=imported.run, tasks=["grounding"])

    of_files = set(imported.items.values_list("pair_sha256", flat=True))
    assert of_files == set(asked.items.values_list("pair_sha256", flat=True))
    assert len(of_files) == 2


def test_gold_of_a_file_is_hidden_in_the_next_campaign(
    workspace: Workspace, imported: Campaign, alice: User
) -> None:
    vouched(imported, alice)

    campaign = a_campaign(workspace, alice, tasks=["grounding"], sample=WANTED, pairs=4)

    hidden = campaign.items.filter(probability=None)
    known = imported.items.values_list("pair_sha256", flat=True)
    assert set(hidden.values_list("pair_sha256", flat=True)) == set(known)


def test_fewer_gold_items_than_were_wanted_are_told_on_the_page_and_by_the_api(
    workspace: Workspace, imported: Campaign, alice: User, client: Client
) -> None:
    vouched(imported, alice)
    campaign = a_campaign(workspace, alice, tasks=["grounding"], sample=WANTED, pairs=4)
    client.force_login(alice)

    page = client.get(reverse("labeling:campaign", args=["demo", campaign.pk])).content.decode()
    sample = client.get(f"/api/v1/campaigns/{campaign.pk}").json()["sample"]
    told = evalhub("campaign", "status", campaign.pk)

    assert "2 <em>of 3 wanted</em>" in page
    assert "No more answers to these questions are gold" in page
    assert (sample["gold"], sample["gold_wanted"]) == (2, 3)
    assert sample["lacks_gold"].startswith("No more answers")
    assert "2 of 3 hidden gold items: No more answers" in told.out


def test_nothing_is_said_where_all_that_was_wanted_is_hidden(
    workspace: Workspace, imported: Campaign, alice: User
) -> None:
    vouched(imported, alice)

    campaign = a_campaign(
        workspace, alice, tasks=["grounding"], sample={**WANTED, "gold": 2}, pairs=4
    )

    drawn = drawn_of(campaign)
    assert drawn is not None
    assert (drawn.gold, drawn.lacks_gold) == (2, "")
