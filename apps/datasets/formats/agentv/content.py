"""What messages hold, as text: parts, files in place, objects as JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.datasets.formats.agentv.attachments import Attached, Attachments
from apps.datasets.formats.agentv.notes import Notes

MOST_FILES = 200
IMAGE = "Targets are asked in text: the image is named in the prompt, not sent."


@dataclass(slots=True)
class Files:
    """The files of one case, in the order in which it names them."""

    attachments: Attachments
    notes: Notes
    beside: str
    used: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    asked: int = 0

    def take_over(self, others: "Files") -> None:
        """What the suite's own files are, and what was noted about them."""
        self.used |= others.used
        self.notes.problems += others.notes.problems
        self.notes.warnings += others.notes.warnings

    def get(self, reference: str, path: str, use: str) -> Attached | None:
        """`use` says what the file is for: input, expected, prompt or grader."""
        self.asked += 1
        if self.asked > MOST_FILES:
            if self.asked == MOST_FILES + 1:
                message = f"The case refers to files more than {MOST_FILES} times."
                self.notes.wrong("too_many_files", message, path)
            return None
        found = self.attachments.get(reference, self.beside, self.notes, path)
        if found is not None:
            self.used.setdefault((found.path, use), _entry(found, reference, use))
        return found


@dataclass(slots=True)
class Text:
    """The text of a message's content; `said` are the parts that are no files, `instructions`
    the files among them that go before the prompt."""

    parts: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    instructions: list[Attached] = field(default_factory=list)

    @property
    def joined(self) -> str:
        return "\n".join(self.parts)

    def say(self, text: str) -> None:
        self.parts.append(text)
        self.said.append(text)


def text_of(content: Any, files: Files, path: str) -> Text:
    """A string, an object (as JSON) or an array of parts, told as text for a target."""
    text = Text()
    if isinstance(content, str):
        text.say(content)
    elif isinstance(content, list):
        for number, part in enumerate(content):
            _add(text, part, files, f"{path}[{number}]")
    elif content is not None:
        text.say(spelled(content))
    return text


def spelled(value: Any) -> str:
    """A value as people read it: text as it is, the rest as indented JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def in_place(file: Attached) -> str:
    return f'<file path="{file.path}">\n{file.text}\n</file>'


def value_of(part: Mapping[str, Any]) -> Any:
    """What a part holds: `value`, or the key that other programs use."""
    for key in ("value", "text", "path", "content"):
        if key in part:
            return part[key]
    return None


def _add(text: Text, part: Any, files: Files, path: str) -> None:
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        text.say(spelled(part))
        return
    value = value_of(part)
    if part["type"] == "file" and isinstance(value, str):
        _add_file(text, value, files, path)
    elif part["type"] in ("image", "image_url"):
        named = value if isinstance(value, str) and len(value) < 300 else "image"
        text.parts.append(f"[Image: {named}]")
        files.notes.told("image_not_sent", f"The image of {path} is not sent.", path, IMAGE)
    else:
        text.say(spelled(part if value is None else value))


def _add_file(text: Text, reference: str, files: Files, path: str) -> None:
    found = files.get(reference, path, "input")
    if found is None:
        return
    if found.instruction:
        text.instructions.append(found)
    else:
        text.parts.append(in_place(found))


def _entry(file: Attached, reference: str, use: str) -> dict[str, Any]:
    return {
        "path": file.path,
        "reference": reference,
        "sha256": file.sha256,
        "text": file.text,
        "instruction": file.instruction and use == "input",
        "use": use,
    }
