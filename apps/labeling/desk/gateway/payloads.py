"""What Argilla is sent, in its words and within its limits. Pure."""

import hashlib
import re
from collections.abc import Callable
from typing import Any

from apps.labeling.desk.protocol import RATINGS, Card, DeskRefused, Shape
from apps.labeling.plans import Asked
from apps.labeling.task_types.base import Field

from .connection import clipped

LONGEST_GUIDELINES = 10_000
LONGEST_TITLE = 500
LONGEST_DESCRIPTION = 1_000
LONGEST_NAME = 100

Payload = dict[str, Any]


def dataset(name: str, workspace_id: str, shape: Shape) -> Payload:
    """Metadata that no property declares is for owners: who labels does not see it."""
    return {
        "name": fitted(name),
        "workspace_id": workspace_id,
        "guidelines": clipped(_clean(shape.guidelines).strip(), LONGEST_GUIDELINES) or None,
        "allow_extra_metadata": True,
        "distribution": distribution(shape.min_submitted),
    }


def distribution(min_submitted: int) -> Payload:
    return {"strategy": "overlap", "min_submitted": min_submitted}


def fields(shape: Shape) -> list[Payload]:
    return [_field(each) for each in shape.fields]


def questions(shape: Shape) -> list[Payload]:
    return [_question(each) for each in shape.questions]


def record(card: Card) -> Payload:
    return {
        "external_id": card.external_id,
        "fields": {name: _clean(text) for name, text in card.fields.items()},
        "metadata": card.metadata,
    }


def fitted(name: str) -> str:
    """A name that is safe in an address; two names that differ stay two."""
    letters = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")
    if letters == name and len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{letters[: LONGEST_NAME - 9]}-{digest}".lstrip("-")


def _field(field: Field) -> Payload:
    return {
        "name": field.name,
        "title": clipped(field.title, LONGEST_TITLE),
        "required": field.required,
        "settings": {"type": "text", "use_markdown": field.markdown},
    }


def _question(asked: Asked) -> Payload:
    told = "\n".join(part for part in (asked.description, _legend(asked)) if part)
    return {
        "name": asked.key,
        "title": clipped(asked.title, LONGEST_TITLE),
        "description": clipped(told, LONGEST_DESCRIPTION) or None,
        "required": asked.required,
        "settings": _SETTINGS[asked.kind](asked),
    }


def _yes_no(asked: Asked) -> Payload:
    titles = {option.value: option.title for option in asked.options}
    options = [
        {"value": value, "text": titles.get(value, text)}
        for value, text in (("true", "Yes"), ("false", "No"))
    ]
    return {"type": "label_selection", "options": options}


def _labels(kind: str) -> Callable[[Asked], Payload]:
    def settings(asked: Asked) -> Payload:
        options = [{"value": each.value, "text": each.title} for each in asked.options]
        return {"type": kind, "options": options}

    return settings


def _rating(asked: Asked) -> Payload:
    values = [each.value for each in asked.options]
    if not all(value in map(str, RATINGS) for value in values):
        raise DeskRefused(
            f"{asked.title!r} cannot be asked as a rating of {', '.join(values)}: Argilla rates "
            f"with whole numbers from {RATINGS[0]} to {RATINGS[-1]}. Ask it as a choice instead."
        )
    return {"type": "rating", "options": [{"value": int(value)} for value in values]}


def _text(asked: Asked) -> Payload:
    return {"type": "text", "use_markdown": False}


_SETTINGS: dict[str, Callable[[Asked], Payload]] = {
    "yes_no": _yes_no,
    "choice": _labels("label_selection"),
    "several": _labels("multi_label_selection"),
    "rating": _rating,
    "text": _text,
}


def _legend(asked: Asked) -> str:
    """What the numbers of a rating mean: Argilla shows them bare."""
    if asked.kind != "rating":
        return ""
    named = [each for each in asked.options if each.title != each.value]
    return ", ".join(f"{each.value}: {each.title}" for each in named)


def _clean(text: str) -> str:
    """PostgreSQL, which may be behind Argilla, keeps no zero bytes."""
    return text.replace("\0", "")
