"""A file a task, as the annotation tool writes them, with its sidecar."""

import json

import pytest

from apps.jobs.models import JobState
from apps.labeling.exporting.requesting import start_export
from apps.labeling.models import Annotation, Campaign
from tests.labeling.exported import document, exported, header, names, table
from tests.labeling.exporting.of_every_task import (
    COMMON,
    GENERATION,
    GROUNDING,
    NAMES,
    RETRIEVAL,
    answer,
    asked,
    campaign,
    passage,
    whole,
)
from tests.labeling.labelled import a_question, discard, say
from tests.runs.conftest import work_on

__all__ = ["campaign"]


@pytest.mark.parametrize(
    ("task", "columns"),
    [("retrieval", RETRIEVAL), ("grounding", GROUNDING), ("generation", GENERATION)],
)
def test_each_file_has_the_columns_of_the_tool_in_its_order(
    campaign: Campaign, task: str, columns: list[str]
) -> None:
    asked(campaign, task)

    assert header(exported(campaign, "tasks"), f"{task}.csv") == columns


def test_a_row_is_what_one_person_answered_about_one_passage(campaign: Campaign) -> None:
    retrieval = asked(campaign, "retrieval")
    answer(retrieval, "ada", passage(campaign, 0, "c2"), "ynn", notes="close")

    [row] = table(exported(campaign, "tasks"), "retrieval.csv")

    told = {
        "record_uuid": whole(campaign).pair_sha256,
        "annotator_id": "ada",
        "task": "retrieval",
        "language": "en",
        "calibration": "",
        "created_at": "2026-03-02T09:00:00Z",
        "record_status": "completed",
        "response_status": "submitted",
        "discard_reason": "",
        "discard_notes": "",
        "query": "Can I return lamp 0?",
        "chunk": "Passage 2.",
        "chunk_id": "c2",
        "doc_id": "terms",
        "chunk_rank": "2",
        "n_retrieved_chunks": "2",
        "topically_relevant": "true",
        "evidence_sufficient": "false",
        "misleading": "false",
        "notes": "close",
        "constraint_violated": "false",
        "constraint_details": "",
        "panel_complete": "false",
        "n_annotated_chunks": "1",
        "n_submitted_chunks": "1",
        "n_discarded_chunks": "0",
        "n_records_seen": "2",
    }
    assert {name: row[name] for name in told} == told
    assert row["inserted_at"].endswith("Z")


def test_discarded_rows_come_only_where_asked_for_and_without_labels(campaign: Campaign) -> None:
    grounding = asked(campaign, "grounding")
    for question in grounding.values():
        discard(question, "ada", 0, reason="outside_reviewer_expertise")
    Annotation.objects.update(notes="tax law")

    without = exported(campaign, "tasks")
    with_them = exported(campaign, "tasks", include_discarded=True)

    assert table(without, "grounding.csv") == []
    [row] = table(with_them, "grounding.csv")
    assert (row["response_status"], row["discard_reason"], row["discard_notes"], row["notes"]) == (
        "discarded",
        "outside_reviewer_expertise",
        "tax law",
        "",
    )
    assert {row[name] for name in NAMES["grounding"]} == {""}
    assert (row["constraint_violated"], row["constraint_details"]) == ("", "")


def test_a_submitted_response_with_a_missing_label_ends_the_export_and_says_where(
    campaign: Campaign,
) -> None:
    answer(asked(campaign, "retrieval"), "ada", passage(campaign, 1, "c2"), "y-n")

    export = work_on(start_export(campaign, form="tasks", by=None))

    assert export.state == JobState.FAILED
    assert export.error.startswith(
        "retrieval: the answer of ada to p1, passage c2, has no label for evidence_sufficient."
    )
    assert export.deliveries == 1


def test_tasks_of_our_own_have_files_of_the_same_shape(campaign: Campaign) -> None:
    tone = a_question(campaign, "own", name="tone", kind="choice")
    a_question(campaign, "own", name="query", kind="text")
    say(tone, "ada", ["warm"])

    export = exported(campaign, "tasks")

    assert "task_own.csv" in names(export)
    assert header(export, "task_own.csv") == [
        *COMMON,
        *("query", "answer", "context_set", "question:query", "tone"),
        *("notes", "constraint_violated", "constraint_details", "schema_version"),
    ]
    [row] = table(export, "task_own.csv")
    assert (row["tone"], row["question:query"]) == ("warm", "")


def test_the_sidecar_has_the_keys_of_the_tool(campaign: Campaign) -> None:
    answer(asked(campaign, "grounding"), "ada", whole(campaign), "ynnyn")

    told = document(exported(campaign, "tasks"), "annotation_export.meta.json")

    assert list(told) == [
        *("export_id", "created_at", "dataset_id", "tasks", "include_discarded", "row_counts"),
        *("n_annotators", "calibration_enabled", "constraint_summary", "completeness_summary"),
        "completeness_status",
    ]
    assert (told["tasks"], told["row_counts"]) == (["grounding"], {"grounding": 1})
    assert (told["dataset_id"], told["n_annotators"]) == ("pairs", 1)
    assert (told["calibration_enabled"], told["completeness_status"]) == (False, "not_requested")
    stem, _, moment = told["export_id"].rpartition("_")
    assert (stem, len(moment)) == ("pairs", len("20260302T090000"))
    assert json.dumps(told)
