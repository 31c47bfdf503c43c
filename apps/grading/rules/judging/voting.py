"""Who of several judges answers which question, and what their opinions come to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from apps.contract import Contract
from apps.grading.rules.words import kept

MAX_RATIONALE = 2_000

PanelMode = Literal["round_robin", "majority"]


class Opinion(Contract):
    """What one judge thinks: a value from 0 to 1, and whether that passes the question.

    `said` is kept as it came, in the judge's own scale.
    """

    value: float
    passed: bool
    rationale: str = ""
    said: dict[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Seat:
    """One judge before one question; `call` is unique among the calls of a rule."""

    call: str
    judge: str


@dataclass(frozen=True, slots=True)
class Voice:
    """What came from a seat: an opinion, or the sentence about why there is none."""

    seat: Seat
    opinion: Opinion | str

    @property
    def kept(self) -> dict[str, Any]:
        """As it is kept in `raw`, with who said it."""
        who = {"judge": self.seat.judge} if self.seat.judge else {}
        if isinstance(self.opinion, str):
            return {**who, "error": self.opinion}
        return {
            **who,
            "value": self.opinion.value,
            "passed": self.opinion.passed,
            "rationale": kept(self.opinion.rationale, MAX_RATIONALE),
            **self.opinion.said,
        }


@dataclass(frozen=True, slots=True)
class Vote:
    """What the voices on one question come to: an opinion, a tie, or too few that can be read."""

    opinion: Opinion | None
    tie: str = ""
    broken: tuple[Voice, ...] = ()


def seats(call: str, place: int, judges: Sequence[str], mode: PanelMode) -> tuple[Seat, ...]:
    """Who answers the question at this place (from 0): the next in turn, or every judge."""
    if mode == "round_robin":
        return (Seat(call, judges[place % len(judges)]),)
    return tuple(
        Seat(f"{call}#{number}" if number > 1 else call, judge)
        for number, judge in enumerate(judges, start=1)
    )


def voted(voices: Sequence[Voice]) -> Vote:
    """The opinion of more than half of those who were asked.

    A judge that cannot be read counts for neither side. The value is the mean of those on the
    winning side, so that it stands on the same side of the threshold as they do.
    """
    opinions = [voice.opinion for voice in voices if isinstance(voice.opinion, Opinion)]
    for side in (True, False):
        same = [opinion for opinion in opinions if opinion.passed is side]
        if 2 * len(same) > len(voices):
            return Vote(_joined(same))
    if broken := tuple(voice for voice in voices if isinstance(voice.opinion, str)):
        return Vote(None, broken=broken)
    half = len(opinions) // 2
    return Vote(None, tie=f"{half} to {half}")


def _joined(same: Sequence[Opinion]) -> Opinion:
    first = same[0]
    value = sum(opinion.value for opinion in same) / len(same)
    # the mean of equal floats may differ from them by a hair, and fall below a threshold
    lowest, highest = min(o.value for o in same), max(o.value for o in same)
    return first.model_copy(update={"value": min(max(value, lowest), highest)})
