"""Uploaded annotations become labels of an import campaign, once."""

import pytest
from django.urls import reverse

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion, Upload
from apps.labeling.models import Annotation, AnnotationChange, Campaign, Item, Question
from apps.runs.models import Run
from tests.datasets.documents import a_version
from tests.datasets.pairs import (
    LABEL_COLUMNS,
    Row,
    a_pair,
    csv_of,
    lines_of,
    pairs_csv,
    pairs_version,
    uploaded,
)


@pytest.fixture
def version(workspace: Workspace) -> DatasetVersion:
    return pairs_version(workspace)


def label(number: int = 0, **changes: object) -> Row:
    return {
        "id": f"p{number}",
        "task_type": "grounding",
        "label": "true",
        "annotator_id": "alice",
        "annotated_at": "2026-01-15T10:05:12Z",
        **changes,
    }


def labelled(workspace: Workspace, *rows: Row, **options: object) -> Upload:
    return uploaded(workspace, csv_of(LABEL_COLUMNS, rows), "labels.csv", **options)


def told(upload: Upload) -> str:
    assert upload.outcome is not None
    return str(upload.outcome["told"])


def refusal(upload: Upload) -> tuple[str, str]:
    assert upload.outcome is not None
    return upload.outcome["code"], upload.outcome["message"]


def test_each_label_is_an_annotation_of_the_answer_that_came_along(
    workspace: Workspace, version: DatasetVersion
) -> None:
    upload = labelled(workspace, label(0), label(1, label="no", annotator_id="bob"))

    kept = Annotation.objects.order_by("item__result__ordinal")
    assert [(each.annotator, each.label) for each in kept] == [("alice", "true"), ("bob", "false")]
    assert kept[0].item.result.response == "Yes, within 60 days."
    assert Campaign.objects.get().run == Run.objects.get(kind=Run.Kind.RECORDED)
    assert upload.version == version
    assert told(upload) == "Annotations of pairs 1: 2 new, 0 changed, 0 as before."


def test_an_import_is_called_by_its_dataset(workspace: Workspace, version: DatasetVersion) -> None:
    labelled(workspace, label(0))

    assert Campaign.objects.get().name == "Imported labels of pairs"


def test_the_address_leads_to_the_annotations(
    workspace: Workspace, version: DatasetVersion
) -> None:
    upload = labelled(workspace, label(0))

    assert upload.outcome is not None
    assert upload.outcome["address"] == reverse("labeling:annotations", args=["demo", version.pk])


def test_the_same_file_again_changes_nothing(workspace: Workspace, version: DatasetVersion) -> None:
    labelled(workspace, label(0), label(1))

    again = labelled(workspace, label(0), label(1))

    assert told(again).endswith("0 new, 0 changed, 2 as before.")
    assert Annotation.objects.count() == 2
    assert not AnnotationChange.objects.exists()


def test_a_changed_label_keeps_what_it_was(workspace: Workspace, version: DatasetVersion) -> None:
    labelled(workspace, label(0))

    again = labelled(workspace, label(0, label="false"), label(1))

    assert told(again).endswith("1 new, 1 changed, 0 as before.")
    change = AnnotationChange.objects.get()
    assert (change.label, change.annotation.label, change.upload) == ("true", "false", again)


def test_labels_on_chunks_are_of_items_of_their_own(
    workspace: Workspace, version: DatasetVersion
) -> None:
    rows = [{**label(0, task_type="retrieval"), "chunk_id": chunk} for chunk in ("c1", "c2")]

    uploaded(workspace, csv_of([*LABEL_COLUMNS, "chunk_id"], rows), "labels.csv")

    assert sorted(Item.objects.values_list("chunk", flat=True)) == ["c1", "c2"]


def test_free_criteria_keep_their_scale(workspace: Workspace, version: DatasetVersion) -> None:
    marks = [{"item_id": "p0", "criterion": "tone", "label": 4, "annotator_id": "bob"}]

    uploaded(workspace, lines_of(*marks), "marks.jsonl")

    question = Question.objects.get()
    assert (question.task_type, question.name) == ("", "tone")
    assert Annotation.objects.get().label == "4"


def test_the_newest_version_with_all_ids_is_meant(
    workspace: Workspace, version: DatasetVersion
) -> None:
    newer = pairs_version(workspace, pairs_csv(a_pair(0), a_pair(1)), "newer.csv")

    both = labelled(workspace, label(0), label(1))
    all_three = labelled(workspace, label(2))

    assert (both.version, all_three.version) == (newer, version)


def test_the_version_may_be_named(workspace: Workspace, version: DatasetVersion) -> None:
    pairs_version(workspace, pairs_csv(a_pair(0), a_pair(1)), "newer.csv")

    upload = labelled(workspace, label(0), on="pairs")

    assert upload.version == version


def test_unknown_ids_are_listed_with_their_line_and_nothing_is_kept(
    workspace: Workspace, version: DatasetVersion
) -> None:
    upload = labelled(workspace, label(0), label(9))

    code, message = refusal(upload)
    assert code == "record_errors"
    assert "1 of 2 records have errors" in message
    issue = upload.issues.get()
    assert (issue.code, issue.record_id is not None, issue.line) == ("unknown_id", True, 3)
    assert issue.message.startswith("pairs 1 has no record p9")
    assert not Annotation.objects.exists()
    assert not Run.objects.exists()


def test_a_refusal_counts_as_valid_what_is_then_imported(
    workspace: Workspace, version: DatasetVersion
) -> None:
    rows = [label(0), label(9), label(1, label=""), label(2, trial=7)]

    file = csv_of([*LABEL_COLUMNS, "trial"], rows)

    upload = uploaded(workspace, file, "labels.csv")
    codes = {issue.code for issue in upload.issues.all()}
    taken = uploaded(workspace, file, "labels.csv", valid_only=True)

    assert "import the 1 valid records and leave 3 out" in refusal(upload)[1]
    assert {"unknown_id", "unknown_trial"} < codes
    assert (taken.counts["accepted"], Annotation.objects.count()) == (1, 1)


def test_unknown_ids_may_be_left_out(workspace: Workspace, version: DatasetVersion) -> None:
    upload = labelled(workspace, label(0), label(9), valid_only=True)

    assert upload.counts["accepted"] == 1
    assert upload.counts["rejected"] == 1
    assert Annotation.objects.get().item.result.record.record_id == "p0"


def test_a_named_version_without_any_of_the_records_is_refused(
    workspace: Workspace, version: DatasetVersion
) -> None:
    upload = labelled(workspace, label(9), on=version.pk)

    code, message = refusal(upload)
    assert (code, message) == ("invalid_request", "All records failed validation")
    assert "p9" in upload.issues.get().message


def test_a_dataset_that_is_not_here_is_named(workspace: Workspace, version: DatasetVersion) -> None:
    code, message = refusal(labelled(workspace, label(0), on="letters"))

    assert code == "not_found"
    assert "pairs" in message


def test_a_dataset_without_answers_cannot_be_labelled(workspace: Workspace) -> None:
    a_version(workspace)

    code, message = refusal(labelled(workspace, label(0, id="q_0000")))

    assert code == "no_answers"
    assert "nothing to score or to label" in message


def test_the_ids_of_another_workspace_are_unknown(
    workspace: Workspace, version: DatasetVersion, charlie: User
) -> None:
    elsewhere = Workspace.objects.get(slug="elsewhere")

    code, _message = refusal(labelled(elsewhere, label(0)))

    assert code == "unknown_ids"


def test_secrets_in_notes_are_redacted(workspace: Workspace, version: DatasetVersion) -> None:
    note = {**label(0), "notes": "I used sk-proj-" + "a1B2" * 10}

    uploaded(workspace, csv_of([*LABEL_COLUMNS, "notes"], [note]), "labels.csv")

    assert "a1B2a1B2" not in Annotation.objects.get().notes
