"""What a row of a file of labels says."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from apps.datasets.formats.annotations import spelled

Row = Mapping[str, Any]


def by_question(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each question, in the order of their names."""
    ordered = sorted(rows, key=question_of)
    return {question: list(given) for question, given in groupby(ordered, key=question_of)}


def question_of(row: Row) -> str:
    """What was asked: a task, a criterion, or a criterion of a task."""
    return " / ".join(filter(None, (row.get("task_type"), row.get("criterion"))))


def item_of(row: Row) -> str:
    """What was labelled: a pair, or one chunk of it."""
    return " / ".join(filter(None, (row["id"], row.get("chunk_id"))))


def label_of(row: Row) -> str:
    """As a text; '' where somebody discarded the item."""
    return spelled(row["label"])
