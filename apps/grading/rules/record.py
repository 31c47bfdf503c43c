"""What rules read from the record behind an answer, however odd the record is."""

from typing import Any

from apps.grading.contracts import Subject

NO_REFERENCE = "The record has no reference answer."


def expected(subject: Subject, key: str) -> Any:
    """`record.expected.<key>`, or None."""
    block = subject.record.get("expected")
    return block.get(key) if isinstance(block, dict) else None


def reference(subject: Subject) -> str | None:
    """The reference answers as one text, or None where there is none that is not blank."""
    text = subject.reference
    return text if text and text.strip() else None


def references(subject: Subject) -> tuple[str, ...]:
    """The reference answers that are not blank; of several one is enough for an answer."""
    return tuple(text for text in subject.reference_answers if text.strip())
