"""What a judge is shown of a record and its answer, as the object that becomes one line."""

from typing import Any

from apps.grading.contracts import Subject
from apps.grading.rules.judges.judge_prompts import one_line


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


class Lines:
    """Materials as lines of JSON; what several of them share is escaped only once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, str]] = {}  # the value too: it keeps its id taken

    def of(self, material: dict[str, Any]) -> str:
        parts = (f"{one_line(key)}: {self._part(value)}" for key, value in material.items())
        return f"{{{', '.join(parts)}}}"

    def _part(self, value: Any) -> str:
        if id(value) not in self._known:
            self._known[id(value)] = (value, one_line(value))
        return self._known[id(value)][1]
