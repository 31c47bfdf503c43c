"""The annotation tool's export of one task: a row a response, a column a question."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

Fields = dict[str, Any]

MARKS = frozenset({"record_uuid", "annotator_id", "response_status"})
QUESTIONS: dict[str, tuple[str, ...]] = {
    "retrieval": ("topically_relevant", "evidence_sufficient", "misleading"),
    "grounding": (
        *("support_present", "unsupported_claim_present", "contradicted_claim_present"),
        *("source_cited", "fabricated_source"),
    ),
    "generation": (
        *("proper_action", "response_on_topic", "helpful", "incomplete", "unsafe_content"),
    ),
}
SPEAKS_AGAINST = frozenset(
    {
        *("misleading", "unsupported_claim_present", "contradicted_claim_present"),
        *("fabricated_source", "incomplete", "unsafe_content"),
    }
)
"""The questions to which yes is no praise."""

KEPT = ("language", "calibration")
"""Of the columns that say nothing of a label; the pair's texts are the pair's."""


def task_of(columns: tuple[str, ...]) -> str:
    """The task whose questions the columns are; empty where they are no such export."""
    has = set(columns)
    if not has >= MARKS:
        return ""
    return next((task for task, names in QUESTIONS.items() if has >= set(names)), "")


def unfolded(row: Mapping[str, Any], task: str) -> Iterator[Fields]:
    """One annotation for each question of a response; a discarded one has no labels."""
    discarded = row.get("response_status") == "discarded"
    for question in QUESTIONS[task]:
        yield {
            "id": row.get("record_uuid"),
            "task_type": task,
            "criterion": question,
            "label": None if discarded else row.get(question),
            "annotator_id": row.get("annotator_id"),
            "annotated_at": _with_zone(row.get("created_at")),
            "chunk_id": row.get("chunk_id"),
            "discard_reason": (row.get("discard_reason") or "unclear") if discarded else "",
            "notes": row.get("discard_notes" if discarded else "notes"),
            **{name: row.get(name) for name in KEPT},
        }


def _with_zone(text: Any) -> Any:
    """The tool writes its moments in UTC, at times without saying so."""
    try:
        naive = isinstance(text, str) and datetime.fromisoformat(text).tzinfo is None
    except ValueError:
        return text
    return f"{text}+00:00" if naive else text
