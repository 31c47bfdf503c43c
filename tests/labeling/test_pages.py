"""The page of a version's annotations, and the run page of imported scores."""

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion
from apps.runs.models import Run
from tests.datasets.pairs import LABEL_COLUMNS, SCORE_COLUMNS, csv_of, pairs_version, uploaded
from tests.runs.conftest import drain

LABELS = [
    ("p0", "grounding", "true", "alice", "2026-01-15T10:05:12Z"),
    ("p1", "grounding", "false", "bob", ""),
    ("p1", "relevance", "true", "bob", ""),
]


@pytest.fixture
def version(workspace: Workspace) -> DatasetVersion:
    version = pairs_version(workspace)
    uploaded(workspace, csv_of(LABEL_COLUMNS, LABELS), "labels.csv")
    return version


def page(client: Client, version: DatasetVersion, query: str = "") -> str:
    response = client.get(reverse("labeling:annotations", args=["demo", version.pk]) + query)
    assert response.status_code == 200
    return response.content.decode()


def test_a_lead_reads_who_said_what(client: Client, alice: User, version: DatasetVersion) -> None:
    client.force_login(alice)

    shown = page(client, version)

    assert "3 labels" in shown
    assert shown.count("grounding") >= 4
    assert "bob" in shown


def test_labels_are_narrowed_to_an_annotator(
    client: Client, alice: User, version: DatasetVersion
) -> None:
    client.force_login(alice)

    shown = page(client, version, "?annotator=alice")

    assert "3 labels before filters" in shown
    assert 'data-label="Annotator">alice' in shown
    assert 'data-label="Annotator">bob' not in shown


def test_a_reviewer_may_not_see_what_others_said(
    client: Client, bob: User, version: DatasetVersion
) -> None:
    client.force_login(bob)

    response = client.get(reverse("labeling:annotations", args=["demo", version.pk]))

    assert response.status_code == 403


def test_a_version_that_nobody_labelled_says_how_to(
    client: Client, alice: User, workspace: Workspace
) -> None:
    client.force_login(alice)

    shown = page(client, pairs_version(workspace))

    assert "Nobody has labelled this version" in shown


def test_the_page_of_a_version_leads_there(
    client: Client, alice: User, version: DatasetVersion
) -> None:
    client.force_login(alice)

    shown = client.get(reverse("datasets:version", args=["demo", version.pk])).content.decode()

    assert reverse("labeling:annotations", args=["demo", version.pk]) in shown


def test_imported_scores_stand_on_the_run_page_each_method_apart(
    client: Client, alice: User, version: DatasetVersion, workspace: Workspace
) -> None:
    scores = [
        (f"p{number}", "relevance", score, method)
        for number in range(3)
        for score, method in ((0.25, "model_based"), (0.75, "reference_based"))
    ]
    uploaded(workspace, csv_of(SCORE_COLUMNS, scores), "judge.csv")
    run = drain(Run.objects.get())
    client.force_login(alice)

    shown = client.get(reverse("runs:detail", args=["demo", run.pk])).content.decode()

    assert "Imported scores" in shown
    assert "import:judge.csv" in shown
    assert "0.25" in shown
    assert "0.75" in shown


def test_an_imported_score_stands_beside_its_record(
    client: Client, alice: User, version: DatasetVersion, workspace: Workspace
) -> None:
    uploaded(workspace, csv_of(SCORE_COLUMNS, [("p0", "relevance", 0.5, "x")]), "judge.csv")
    client.force_login(alice)

    address = reverse("runs:record", args=["demo", Run.objects.get().pk, 0])

    assert "imported" in client.get(address).content.decode()
