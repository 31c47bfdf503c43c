"""What the rules share that measure an answer against each reference, the best of which counts."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from apps.grading.contracts import Score, Subject
from apps.grading.rules.base import Rule
from apps.grading.rules.record import NO_REFERENCE, references

MOST_PAIRS = 10_000_000_000
"""Of tokens that one answer is compared in; a processor takes about two seconds for them."""
MOST_CHARACTERS = 2_000_000
"""Of all reference answers of a record together."""


class Likeness(NamedTuple):
    value: float
    raw: dict[str, Any]


class TooLong(Exception):
    """The texts cannot be compared in bounded time."""


class ReferenceMetric(Rule):
    """A value for each reference answer; the best of them counts.

    Answers and references too long to be compared in a few seconds get no value but a reason.
    """

    def grade(self, subject: Subject) -> Score:
        wanted = references(subject)
        if not wanted:
            return self.cannot_say(NO_REFERENCE)
        if sum(map(len, wanted)) > MOST_CHARACTERS:
            return self.cannot_say(
                f"The reference answers have more than {MOST_CHARACTERS:,} characters together."
            )
        try:
            found = self._likeness_to_each(subject.response, wanted)
        except TooLong:
            return self.cannot_say("The answer and its references are too long to be compared.")
        best = max(found, key=lambda likeness: likeness.value)
        more = {"references": len(wanted)} if len(wanted) > 1 else {}
        return self.scored(best.value, raw={**best.raw, **more})

    @abstractmethod
    def _likeness_to_each(self, answer: str, references: Sequence[str]) -> list[Likeness]:
        """In the order of the references; TooLong where that would take too long."""


def check_pairs(given: int, wanted: Iterable[int]) -> None:
    """TooLong where an answer of so many tokens has too much to be compared with."""
    if given * sum(wanted) > MOST_PAIRS:
        raise TooLong
