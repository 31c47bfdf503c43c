"""What is still missing of a campaign before it can be counted what it comes to."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from apps.labeling.making import own_questions


def missing_of(
    values: Mapping[str, Any], *, answers: bool, own: str, size: Sequence[str] = ()
) -> list[str]:
    """Sentences about fields that can be read as `values`; `own` is what was written as own
    questions, readable or not, and `size` what is wrong with how many."""
    return [*_unsaid(values, answers, size), *_about_own(values, own)]


def _unsaid(values: Mapping[str, Any], answers: bool, size: Sequence[str]) -> Iterator[str]:
    if not answers:
        yield "Choose answers."
    if not values["tasks"]:
        yield "Choose a task."
    if values["how"] != "all" and not values["size"]:
        yield from size or ["Say how many."]
    if values["how"] == "stratified" and not values["family"]:
        yield "Say by which slices."


def _about_own(values: Mapping[str, Any], own: str) -> Iterator[str]:
    if "own" not in (values["tasks"] or ()) or values["own"]:
        return
    try:
        own_questions.read(own)
    except ValueError as error:
        yield str(error)
    else:
        yield "Write a question."
