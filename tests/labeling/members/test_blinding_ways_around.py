"""No way around: scores of what one labels blind stay shut wherever they stand."""

from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion
from apps.labeling.sending.preparing import source_of
from apps.runs.models import Run
from tests.datasets import agentv
from tests.datasets.formats.test_agentv_results import NEW
from tests.datasets.pairs import SCORE_COLUMNS, a_pair, csv_of, pairs_version, uploaded
from tests.labeling.building import a_campaign, labels_blind
from tests.labeling.fake_desk import FakeDesk, fake_desk
from tests.labeling.members.blind import SECRET, body_of, run
from tests.labeling.sending.test_pushing import pushed
from tests.runs import building
from tests.test_permissions import _bearer

__all__ = ["fake_desk", "run"]


@pytest.fixture
def version(workspace: Workspace) -> DatasetVersion:
    """Pairs whose answers somebody else has scored."""
    made = pairs_version(workspace)
    uploaded(workspace, csv_of(SCORE_COLUMNS, [["p0", "tone", "0.1234", SECRET]]), "scores.csv")
    return made


def both_doors(
    client: Client, workspace: Workspace, user: User, page: str, api: str, arguments: list[Any]
) -> Iterator[HttpResponse]:
    """The page and the API of the same thing; `format=scores` where they take one."""
    client.force_login(user)
    yield client.get(reverse(page, args=["demo", *arguments]), {"format": "scores"})
    bearer = {"authorization": _bearer(workspace, user)}
    yield client.get(reverse(api, args=arguments), {"format": "scores"}, headers=bearer)


EXPORT = ("datasets:version-download", "api:version-export")


def test_the_scores_of_a_version_cannot_be_taken_along(
    workspace: Workspace, version: DatasetVersion, bob: User, client: Client
) -> None:
    campaign = labels_blind(version.runs.get(), bob)

    blind = list(both_doors(client, workspace, bob, *EXPORT, [version.pk]))
    campaign.assignments.all().delete()
    sighted = list(both_doors(client, workspace, bob, *EXPORT, [version.pk]))

    assert [answer.status_code for answer in blind] == [403, 403]
    assert not any(SECRET in body_of(answer) for answer in blind)
    assert all(SECRET in body_of(answer) for answer in sighted)


def test_the_page_of_the_version_does_not_offer_what_it_would_refuse(
    workspace: Workspace, version: DatasetVersion, bob: User, client: Client
) -> None:
    labels_blind(version.runs.get(), bob)
    client.force_login(bob)

    page = client.get(reverse("datasets:version", args=["demo", version.pk])).content.decode()

    assert "format=pairs" in page
    assert "format=scores" not in page


def test_what_was_wrong_with_a_file_of_scores_stays_shut(
    workspace: Workspace, version: DatasetVersion, bob: User, client: Client
) -> None:
    wrong = csv_of(SCORE_COLUMNS, [["p0", "tone", "1.777", "model"], ["p1", "tone", "0.5", "m"]])
    upload = uploaded(workspace, wrong, "scores.csv")
    labels_blind(version.runs.get(), bob)

    answers = [
        *both_doors(client, workspace, bob, "datasets:report", "api:upload", [upload.pk]),
        *both_doors(
            client, workspace, bob, "datasets:issues-csv", "api:upload-issues", [upload.pk]
        ),
    ]

    assert [answer.status_code for answer in answers] == [403] * 4
    assert not any("1.777" in body_of(answer) for answer in answers)


def test_records_that_came_with_scores_stay_shut(
    workspace: Workspace, bob: User, client: Client
) -> None:
    results = agentv.lines({**NEW, "score": 0.4321})
    version = uploaded(workspace, results, "index.jsonl", format="agentv").version
    assert version is not None
    addresses = [
        reverse("datasets:record", args=["demo", version.pk, 0]),
        reverse("datasets:version-download", args=["demo", version.pk]),
        reverse("api:records", args=[version.pk]),
        reverse("api:version-export", args=[version.pk]),
    ]
    client.force_login(bob)

    before = [client.get(address) for address in addresses]
    labels_blind(building.queued_run(workspace, version=version), bob)
    blind = [client.get(address) for address in addresses]

    assert all("0.4321" in body_of(answer) for answer in before)
    assert [answer.status_code for answer in blind] == [403] * 4
    assert not any("0.4321" in body_of(answer) for answer in blind)


SCORED = {"judge_score": "0.4321"}


@pytest.mark.parametrize(
    "scored",
    [
        {"metadata": SCORED},
        {"metadata": {"ours": [{"Verdict": "0.4321"}]}},
        {"metadata": {'the score "final"': "0.4321"}},
        {"chunks": [{"chunk_id": "a", "text": "Within 60 days.", "relevant": "0.4321"}]},
    ],
    ids=["beside the pair", "deep in it", "by a quoted name", "of a passage"],
)
def test_pairs_that_came_with_scores_in_free_fields_stay_shut(
    workspace: Workspace, bob: User, client: Client, scored: dict[str, Any]
) -> None:
    pairs = orjson.dumps([a_pair(0, **scored), a_pair(1)])
    version = pairs_version(workspace, pairs, "pairs.json")
    addresses = [
        reverse("datasets:record", args=["demo", version.pk, 0]),
        reverse("datasets:version-download", args=["demo", version.pk]),
        reverse("api:records", args=[version.pk]),
        reverse("api:version-export", args=[version.pk]),
    ]
    client.force_login(bob)

    before = [client.get(address) for address in addresses]
    labels_blind(building.queued_run(workspace, version=version), bob)
    blind = [client.get(address) for address in addresses]
    other = client.get(reverse("datasets:record", args=["demo", version.pk, 1]))

    assert all("0.4321" in body_of(answer) for answer in before)
    assert [answer.status_code for answer in blind] == [403] * 4
    assert not any("0.4321" in body_of(answer) for answer in blind)
    assert other.status_code == 200


def test_slices_by_scores_are_neither_shown_nor_looked_for(
    workspace: Workspace, bob: User, client: Client
) -> None:
    pairs = [a_pair(number, metadata=SCORED, tier="gold") for number in range(2)]
    version = pairs_version(workspace, orjson.dumps(pairs), "pairs.json")
    page = reverse("datasets:version", args=["demo", version.pk])
    by_score = {"facet": "metadata.judge_score=0.4321"}
    client.force_login(bob)

    before = client.get(page)
    labels_blind(building.queued_run(workspace, version=version), bob)
    blind, looked_for = client.get(page), client.get(page, by_score)

    assert "0.4321" in body_of(before)
    assert "0.4321" not in body_of(blind)
    assert "metadata.tier" in body_of(blind)
    assert looked_for.status_code == 403


def test_nothing_of_a_record_but_its_texts_is_in_argilla(
    workspace: Workspace, alice: User, fake_desk: FakeDesk
) -> None:
    pairs = orjson.dumps([a_pair(0, metadata=SCORED)])
    run = source_of(pairs_version(workspace, pairs, "pairs.json"), by=alice)
    campaign = a_campaign(workspace, alice, run=run)

    pushed(campaign)

    cards = [card for each in fake_desk.datasets.values() for card in each.cards.values()]
    assert cards
    assert "0.4321" not in repr(cards)
    assert not any(card.metadata for card in cards)


def test_the_form_of_a_campaign_names_who_would_not_label_blind(
    workspace: Workspace, run: Run, alice: User, bob: User, ada: User, client: Client
) -> None:
    client.force_login(alice)
    url = reverse("labeling:new", args=["demo"])
    chosen = {"source": run.pk, "tasks": ["relevance"], "people": [alice.pk, bob.pk]}

    blind = client.post(url, {**chosen, "blind": "on", "action": "estimate"}).content.decode()
    open_ = client.post(url, {**chosen, "action": "estimate"}).content.decode()

    assert "Alice: leads and admins open every score" in blind
    assert "open every score" not in open_
