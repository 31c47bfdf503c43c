"""What an answer took, and whether that is within a limit, in the words of agentv's graders."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from apps.grading.contracts import Check, Subject

NO_LATENCY = "The latency of the answer is not known."
NO_COST = "The cost of the answer is not known: the target has no price or counted no tokens."
NO_TOKENS = "The tokens of the answer are not known: the target did not count them."
NO_CALLS = "It is not known what tools the system called: the answer brought no turns and no trace."
NO_TURNS = "It is not known how often the system asked its model: the answer brought no turns."


_HUGE = 1e300
"""More than this is shown as this: a number of any length has no place in a sentence."""


class Unknown(Exception):
    """What a limit is about is not known; the sentence says what is missing."""


def at_most(title: str, description: str) -> Any:
    """The field of a limit that may be left out."""
    return Field(
        default=None, ge=0, le=1e15, allow_inf_nan=False, title=title, description=description
    )


def counted(tokens: int | None) -> int:
    if tokens is None:
        raise Unknown(NO_TOKENS)
    return tokens


def total_tokens(subject: Subject) -> int:
    return counted(subject.input_tokens) + counted(subject.output_tokens)


def calls_of(subject: Subject) -> Mapping[str, int]:
    calls = subject.calls_by_tool
    if calls is None:
        raise Unknown(NO_CALLS)
    return calls


def model_calls(subject: Subject) -> int:
    if not subject.turns:
        raise Unknown(NO_TURNS)
    return sum(turn.role == "assistant" for turn in subject.turns)


def within(what: str, found: float, limit: float, *, unit: str = "", end: str = "") -> Check:
    sign = "<=" if found <= limit else ">"
    text = f"{what} {min(found, _HUGE):.15g}{unit} {sign} {limit:.15g}{unit}{end}"
    return Check(text=text, passed=found <= limit)


def priced(found: float, limit: float, *, end: str) -> Check:
    sign = "<=" if found <= limit else ">"
    return Check(
        text=f"Cost {min(found, _HUGE):.4f} {sign} {limit:.4f}{end}", passed=found <= limit
    )
