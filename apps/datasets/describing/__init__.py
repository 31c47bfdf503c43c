"""A record in parts that people read: what is asked, what is right, and by what it is judged. Pure.

Each field of a row that people ask after has a describer in `sections`; what none describes is in
the row's JSON.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from apps.datasets import prompting
from apps.targets.contracts import Message

from .parts import Section, spelled
from .sections import DESCRIBERS

__all__ = ["Description", "Section", "described", "spelled"]


class Description(NamedTuple):
    turns: tuple[Message, ...]
    reference: str | None
    answer: str | None
    sections: tuple[Section, ...]
    row: str
    resolved: str


def described(payload: Mapping[str, Any]) -> Description:
    """Of a payload that has a row; a record that asks nothing has no turns."""
    asks = prompting.kind_of(payload) in prompting.KINDS
    row, resolved = payload["row"], payload.get("resolved") or {}
    found = (describe(row, resolved) for describe in DESCRIBERS)
    return Description(
        turns=prompting.messages(payload) if asks else (),
        reference=prompting.reference_of(payload) if asks else None,
        answer=prompting.answer_of(payload) if asks else None,
        sections=tuple(section for section in found if section is not None),
        row=spelled(row),
        resolved=spelled(resolved) if resolved else "",
    )
