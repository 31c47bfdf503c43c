"""What a record says about how its answer is graded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.datasets import prompting
from apps.grading.combining import NO_RULES, OwnRules
from apps.grading.subjects import Turn


@dataclass(frozen=True, slots=True)
class Given:
    """`fields` are those of `grading.subjects.Subject` that are known before any answer."""

    fields: dict[str, Any] = field(default_factory=dict)
    record: OwnRules = NO_RULES
    dataset: OwnRules = NO_RULES


NOTHING = Given()


def asked(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that every kind has: what was asked, and the row."""
    messages = prompting.messages(payload)
    reference = prompting.reference_of(payload)
    return {
        "prompt": messages[-1].content,
        "messages": tuple(Turn(role=message.role, content=message.content) for message in messages),
        "reference_answers": (reference,) if reference is not None else (),
        "record": payload.get("row", payload),
    }


def of_dataset(header: Mapping[str, Any]) -> OwnRules:
    """The rules that the head of a dataset brings, in its `metadata.grading_rules`."""
    return brought(header.get("metadata"))


def brought(metadata: Any) -> OwnRules:
    """The rules in `metadata.grading_rules`, of formats whose records have no place for them."""
    found = metadata.get("grading_rules") if isinstance(metadata, Mapping) else None
    if not isinstance(found, list) or not found:
        return NO_RULES
    return OwnRules(
        rules=tuple(each if isinstance(each, dict) else {"said": each} for each in found)
    )
