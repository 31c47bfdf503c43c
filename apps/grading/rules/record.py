"""What rules read from the record behind an answer, however odd the record is."""

from typing import Any

from apps.grading.contracts import Subject

NO_REFERENCE = "The record has no reference answer."


def expected(subject: Subject, key: str) -> Any:
    """`record.expected.<key>`, or None."""
    block = subject.record.get("expected")
    return block.get(key) if isinstance(block, dict) else None


def reference(subject: Subject) -> str | None:
    """The reference answer, or None where it is absent or blank."""
    text = subject.reference
    return text if text and text.strip() else None
