"""The labels of a version as files: the contract's CSV, and agentv's feedback."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.datasets.exporting.writing import export
from apps.datasets.models import DatasetVersion
from apps.datasets.sight import Sight
from apps.labeling.models import Annotation, AnnotationChange
from apps.runs.models import Run
from tests.datasets.pairs import LABEL_COLUMNS, csv_of, pairs_version, uploaded

WHEN = "2026-01-15T10:05:12Z"


@pytest.fixture
def version(workspace: Workspace) -> DatasetVersion:
    return pairs_version(workspace)


def labelled(workspace: Workspace, *rows: tuple[str, ...], columns: tuple[str, ...] = ()) -> None:
    uploaded(workspace, csv_of(columns or LABEL_COLUMNS, rows), "labels.csv")


def exported(version: DatasetVersion, format_id: str) -> bytes:
    return b"".join(export(version, format_id, Sight(version.dataset.workspace)).pieces)


def feedback(version: DatasetVersion) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(exported(version, "feedback"))
    return told


def test_labels_come_out_as_the_contracts_columns(
    workspace: Workspace, version: DatasetVersion
) -> None:
    labelled(workspace, ("p1", "relevance", "no", "bob", ""), ("p0", "grounding", "1", "al", WHEN))

    assert exported(version, "annotations").decode().splitlines() == [
        "schema_version,id,task_type,label,annotator_id,annotated_at",
        f"1.0,p0,grounding,true,al,{WHEN}",
        "1.0,p1,relevance,false,bob,",
    ]


def test_further_columns_come_out_where_something_stands_in_them(
    workspace: Workspace, version: DatasetVersion
) -> None:
    labelled(
        workspace,
        ("p0", "tone", "3", "bob", "=1+1"),
        columns=("item_id", "criterion", "label", "annotator_id", "notes"),
    )

    header, row = exported(version, "annotations").decode().splitlines()

    assert header.endswith("annotated_at,criterion,notes")
    assert row == "1.0,p0,,3,bob,,tone,'=1+1"


def test_what_is_exported_changes_nothing_when_it_comes_back(
    workspace: Workspace, version: DatasetVersion
) -> None:
    labelled(workspace, ("p0", "grounding", "true", "@bob", WHEN))
    labelled(
        workspace,
        ("p1", "tone", "-3", "=bob", "'=note", "west"),
        columns=("id", "criterion", "label", "annotator_id", "notes", "team"),
    )

    again = uploaded(workspace, exported(version, "annotations"), "again.csv")

    assert again.outcome is not None
    assert again.outcome["told"].endswith("0 new, 0 changed, 2 as before.")
    assert Annotation.objects.count() == 2
    assert not AnnotationChange.objects.exists()


@pytest.mark.parametrize(
    ("labels", "verdict"),
    [
        (("true", "yes"), "acceptable"),
        (("false", "no"), "incorrect"),
        (("true", "false"), "needs_improvement"),
    ],
)
def test_the_verdict_of_feedback_is_what_the_labels_agree_on(
    workspace: Workspace, version: DatasetVersion, labels: tuple[str, str], verdict: str
) -> None:
    rows = zip(("alice", "bob"), labels, strict=True)
    labelled(workspace, *[("p0", "grounding", label, name, WHEN) for name, label in rows])

    told = feedback(version)

    [case] = told["per_case"]
    assert (case["test_id"], case["verdict"]) == ("p0", verdict)
    assert case["notes"].startswith("grounding: ")
    assert (told["run_id"], told["reviewer"]) == (Run.objects.get().pk, "alice, bob")
    assert told["timestamp"] == "2026-01-15T10:05:12.000Z"


def test_yes_to_unsafe_content_speaks_against_an_answer(
    workspace: Workspace, version: DatasetVersion
) -> None:
    labelled(
        workspace,
        ("p0", "generation", "unsafe_content", "yes", "bob"),
        ("p1", "generation", "unsafe_content", "no", "bob"),
        columns=("id", "task_type", "criterion", "label", "annotator_id"),
    )

    assert [case["verdict"] for case in feedback(version)["per_case"]] == [
        "incorrect",
        "acceptable",
    ]


def test_labels_of_a_scale_of_their_own_give_no_verdict(
    workspace: Workspace, version: DatasetVersion
) -> None:
    labelled(
        workspace,
        ("p0", "tone", "3", "bob"),
        columns=("id", "criterion", "label", "annotator_id"),
    )

    told = feedback(version)

    assert told["per_case"] == []
    assert told["overall_notes"].startswith("1 labelled records have no yes-or-no label")


@pytest.mark.parametrize("format_id", ["annotations", "feedback"])
def test_a_reviewer_may_not_take_labels_along(
    client: Client, bob: User, alice: User, version: DatasetVersion, format_id: str
) -> None:
    address = reverse("datasets:version-download", args=["demo", version.pk])

    client.force_login(bob)
    refused = client.get(address, {"format": format_id})
    client.force_login(alice)
    given = client.get(address, {"format": format_id})

    assert (refused.status_code, given.status_code) == (403, 200)


def test_a_reviewer_is_not_offered_them(client: Client, bob: User, version: DatasetVersion) -> None:
    client.force_login(bob)

    shown = client.get(reverse("datasets:version", args=["demo", version.pk])).content.decode()

    assert "format=scores" in shown
    assert "format=annotations" not in shown
