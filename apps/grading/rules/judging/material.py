"""What a judge is shown of a record and its answer, as the object that becomes one line."""

from typing import Any

from apps.grading.contracts import Subject


def answer_of(subject: Subject, *, references: bool = True) -> dict[str, Any]:
    """Question and answer, with the conversation, the context and the references where known."""
    shown: dict[str, Any] = {"question": subject.prompt, "answer": subject.response}
    if len(subject.messages) > 1:
        shown["conversation"] = [
            {"role": turn.role, "content": turn.content} for turn in subject.messages[:-1]
        ]
    if subject.context.strip():
        shown["context"] = subject.context
    known = [text for text in subject.reference_answers if text.strip()]
    if references and known:
        shown["references"] = known
    return shown
