"""Annotations: the shapes they come in, what a label says, what is wrong with one."""

import pytest

from apps.datasets.contracts import Rejected
from apps.datasets.formats.annotations import NO_TIMES
from tests.datasets.pairs import (
    LABEL_COLUMNS,
    Row,
    csv_of,
    lines_of,
    opened,
    problems,
    rows,
    written,
)

PER_TASK = (
    *("record_uuid", "annotator_id", "task", "language", "created_at", "response_status"),
    *("discard_reason", "discard_notes", "query", "chunk_id"),
    *("topically_relevant", "evidence_sufficient", "misleading", "notes"),
)


def a_label(**changes: object) -> Row:
    return {
        "id": "p1",
        "task_type": "grounding",
        "label": "true",
        "annotator_id": "alice",
        "annotated_at": "2026-01-15T10:05:12Z",
        **changes,
    }


def one(**changes: object) -> Row:
    [row] = rows("annotations", csv_of(LABEL_COLUMNS, [a_label(**changes)]))
    return row


@pytest.mark.parametrize(
    ("text", "label"),
    [("true", True), ("YES", True), ("1", True), ("False", False), ("no", False), ("0", False)],
)
def test_a_label_of_a_task_is_true_or_false(text: str, label: bool) -> None:
    assert one(label=text)["label"] is label


def test_json_says_labels_in_its_own_words() -> None:
    raw = lines_of(a_label(label=True), a_label(id="p2", label=0))

    assert [row["label"] for row in rows("annotations", raw, "a.jsonl")] == [True, False]


def test_labels_under_a_criterion_keep_their_scale() -> None:
    columns = ("item_id", "annotator_id", "criterion", "label", "annotated_at")
    raw = csv_of(columns, [("p1", "w1", "tone", "1", ""), ("p1", "w1", "nli", "a|b", "")])

    tone, nli = rows("annotations", raw)

    assert (tone["id"], tone["criterion"], tone["label"]) == ("p1", "tone", "1")
    assert nli["label"] == "a|b"


def test_the_export_of_one_task_is_a_label_a_question() -> None:
    cells = ("u1", "alice", "retrieval", "en", "2026-01-15T10:05:12", "submitted", "", "")
    raw = csv_of(PER_TASK, [(*cells, "Why?", "c1", "true", "false", "false", "close")])

    found = rows("annotations", raw)

    assert [(row["criterion"], row["label"]) for row in found] == [
        ("topically_relevant", True),
        ("evidence_sufficient", False),
        ("misleading", False),
    ]
    assert found[0]["chunk_id"] == "c1"
    assert found[0]["annotated_at"] == "2026-01-15T10:05:12+00:00"
    assert found[0]["metadata"] == {"language": "en"}


def test_a_discarded_response_has_no_labels_but_a_reason() -> None:
    cells = ("u1", "alice", "retrieval", "en", "", "discarded", "unclear", "cut off")
    raw = csv_of(PER_TASK, [(*cells, "Why?", "c1", "", "", "", "")])

    found = rows("annotations", raw)

    assert [(row["label"], row["discard_reason"], row["notes"]) for row in found] == [
        (None, "unclear", "cut off")
    ] * 3


def test_a_submitted_response_with_a_missing_label_is_an_error() -> None:
    cells = ("u1", "alice", "retrieval", "en", "", "submitted", "", "")
    raw = csv_of(PER_TASK, [(*cells, "Why?", "c1", "true", "", "false", "")])

    assert problems("annotations", raw) == [(2, "empty_value", "label")]


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        ({"label": "maybe"}, "invalid_label", "label"),
        ({"label": ""}, "empty_value", "label"),
        ({"task_type": "groundign"}, "invalid_enum_value", "task_type"),
        ({"task_type": ""}, "empty_value", "task_type"),
        ({"annotator_id": " "}, "empty_value", "annotator_id"),
        ({"annotated_at": "2026-01-15T10:05:12"}, "invalid_date", "annotated_at"),
        ({"annotated_at": "0001-01-01T00:00:00+14:00"}, "invalid_date", "annotated_at"),
        ({"annotated_at": "yesterday"}, "invalid_date", "annotated_at"),
        ({"id": ""}, "empty_value", "id"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    changes: dict[str, object], code: str, path: str
) -> None:
    raw = csv_of(LABEL_COLUMNS, [a_label(), a_label(**{"id": "p2", **changes})])

    assert problems("annotations", raw) == [(3, code, path)]


def test_a_person_labels_a_pair_once() -> None:
    raw = csv_of(LABEL_COLUMNS, [a_label(), a_label(label="false")])

    [_first, again] = list(opened("annotations", raw))

    assert again.issues[0].code == "duplicate_annotation"  # type: ignore[union-attr]
    assert "alice on grounding of p1 is on line 2" in again.issues[0].message  # type: ignore[union-attr]


def test_a_missing_column_of_times_is_a_warning() -> None:
    raw = csv_of(LABEL_COLUMNS[:4], [a_label()])

    assert opened("annotations", raw).warnings == [NO_TIMES]


def test_missing_columns_ask_for_a_mapping() -> None:
    with pytest.raises(Rejected) as refused:
        opened("annotations", b"id,label,who\np1,true,alice\n")

    assert refused.value.code == "mapping_needed"
    assert refused.value.details["missing"] == ["task_type", "annotator_id"]


def test_no_cell_of_an_export_is_a_formula() -> None:
    raw = csv_of(LABEL_COLUMNS, [a_label(id="=p1", annotator_id="@alice")])

    export = written("annotations", raw)

    assert b"'=p1,grounding,true,'@alice" in export
    assert rows("annotations", export) == rows("annotations", raw)
