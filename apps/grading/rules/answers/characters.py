"""Rules that measure by characters how near an answer is to the reference."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field
from rapidfuzz.distance import Levenshtein
from sacrebleu.metrics.chrf import CHRF

from apps.grading.contracts import Subject
from apps.grading.rules.answers.best_reference import (
    Likeness,
    ReferenceMetric,
    TooLong,
    check_pairs,
)
from apps.grading.rules.answers.text import folded
from apps.grading.rules.base import Example, Rule, threshold

MOST_COUNTED = 400_000
"""Characters whose n-grams are counted for one answer; they take some hundred MB."""


class Chrf(ReferenceMetric):
    """The F-score of the character n-grams that answer and reference share, from 0 to 1.

    chrF, Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation": n-grams of 1
    to 6 characters without spaces, recall counts twice as much as precision (beta 2), computed by
    sacreBLEU and divided by 100. With words of up to 2 it is chrF++. Of several references the
    best. Spelling and endings weigh less than in token F1. No value where the answer and the
    references have more than 400,000 characters together.
    """

    title = "chrF"
    examples = (
        Example(
            says="Most of the letters in order are the same.",
            subject=Subject(
                response="police kill the gunman", reference_answers=("police killed the gunman",)
            ),
            value=0.762,
        ),
    )

    type: Literal["chrf"] = "chrf"
    threshold: float = threshold(0.5)
    word_order: int = Field(
        default=0,
        ge=0,
        le=2,
        title="Words",
        description="The longest n-gram of words; 2 is chrF++.",
    )
    ignore_case: bool = Field(
        default=False, title="Ignore case", description="Upper and lower case count as equal."
    )

    def _likeness_to_each(self, answer: str, references: Sequence[str]) -> list[Likeness]:
        if len(answer) + sum(map(len, references)) > MOST_COUNTED:
            raise TooLong
        metric = CHRF(word_order=self.word_order, lowercase=self.ignore_case)
        best = metric.sentence_score(answer, list(references)).score / 100
        return [Likeness(min(max(best, 0.0), 1.0), {"signature": str(metric.get_signature())})]


class EditDistance(ReferenceMetric):
    """How few characters must be inserted, deleted or replaced: 1 - distance / longer length.

    The distance is Levenshtein's, computed by rapidfuzz; 1 is the same text, 0 has nothing in its
    place. Of several references the best. No value where characters of the answer times
    characters of the references are more than 10,000,000,000.
    """

    title = "Edit distance"
    examples = (
        Example(
            says="Two of seven characters are replaced, one is added.",
            subject=Subject(response="sitting", reference_answers=("kitten",)),
            value=0.571,
        ),
    )

    type: Literal["edit_distance"] = "edit_distance"
    threshold: float = threshold(0.8)
    ignore_case: bool = Field(
        default=False, title="Ignore case", description="Upper and lower case count as equal."
    )
    nfc: bool = Field(
        default=True,
        title="Normalise Unicode",
        description="Compare in Unicode NFC, so that é is é however it was typed.",
    )

    def _likeness_to_each(self, answer: str, references: Sequence[str]) -> list[Likeness]:
        given, wanted = self._comparable(answer), [self._comparable(text) for text in references]
        check_pairs(len(given), map(len, wanted))
        return [
            Likeness(
                Levenshtein.normalized_similarity(given, text),
                {"distance": Levenshtein.distance(given, text)},
            )
            for text in wanted
        ]

    def _comparable(self, text: str) -> str:
        return folded(text, ignore_case=self.ignore_case, nfc=self.nfc)


RULES: tuple[type[Rule], ...] = (Chrf, EditDistance)
