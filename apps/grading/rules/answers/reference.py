"""Rules that measure how many words the answer shares with the reference."""

import functools
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from pydantic import Field
from rapidfuzz.distance import LCSseq

from apps.grading.contracts import Subject
from apps.grading.rules.answers.best_reference import Likeness, ReferenceMetric, check_pairs
from apps.grading.rules.answers.characters import Chrf, EditDistance
from apps.grading.rules.base import Example, Rule, threshold

_ARTICLES = frozenset({"a", "an", "the"})
# Scripts written without spaces: each character is a token of its own.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")


class TokenF1(ReferenceMetric):
    """The F1 of the words that answer and reference share; of several references the best.

    2PR/(P+R), P and R over the multiset of common tokens, after lower case and without
    punctuation and English articles: Rajpurkar et al. 2016, "SQuAD: 100,000+ Questions for
    Machine Comprehension of Text", section 6.1 and its evaluation script. Beyond it, Unicode
    punctuation is removed too, and Chinese, Japanese and Thai are cut into characters.
    """

    title = "Token F1"
    version = 2
    examples = (
        Example(
            says="Precision 1/2, recall 1.",
            subject=Subject(response="the cat cat", reference_answers=("a cat",)),
            value=0.667,
        ),
    )

    type: Literal["token_f1"] = "token_f1"
    threshold: float = threshold(0.5)
    drop_articles: bool = Field(
        default=True,
        title="Drop English articles",
        description="Leave out a, an and the on both sides, as the SQuAD metric does.",
    )

    def _likeness_to_each(self, answer: str, references: Sequence[str]) -> list[Likeness]:
        given = Counter(self._tokens(answer))
        return [self._likeness(given, Counter(self._tokens(text))) for text in references]

    def _likeness(self, given: Counter[str], expected: Counter[str]) -> Likeness:
        return _overlap((given & expected).total(), given.total(), expected.total())

    def _tokens(self, text: str) -> list[str]:
        found = tokens(text, punctuation="")
        return [word for word in found if word not in _ARTICLES] if self.drop_articles else found


class RougeL(ReferenceMetric):
    """The F1 of the longest common subsequence of words; of several references the best.

    P = LCS/len(answer), R = LCS/len(reference), F = 2PR/(P+R): ROUGE-L with beta 1, Lin 2004,
    "ROUGE: A Package for Automatic Evaluation of Summaries", section 3.1. Lower case,
    punctuation separates words, no stemming. No value where words of the answer times words of
    the references are more than 10,000,000,000.
    """

    title = "ROUGE-L"
    version = 2
    examples = (
        Example(
            says="Three of four words in order, on both sides.",
            subject=Subject(
                response="police kill the gunman", reference_answers=("police killed the gunman",)
            ),
            value=0.75,
        ),
    )

    type: Literal["rouge_l"] = "rouge_l"
    threshold: float = threshold(0.5)

    def _likeness_to_each(self, answer: str, references: Sequence[str]) -> list[Likeness]:
        given, wanted = tokens(answer), [tokens(text) for text in references]
        check_pairs(len(given), map(len, wanted))
        return [
            _overlap(common_subsequence(given, expected), len(given), len(expected))
            for expected in wanted
        ]


def tokens(text: str, *, punctuation: str = " ") -> list[str]:
    """Lower-case words; `punctuation` is what stands in for each punctuation mark or symbol."""
    plain = unicodedata.normalize("NFC", text.casefold()).translate(_replacements(punctuation))
    return _TOKEN.findall(plain)


def common_subsequence(left: Sequence[str], right: Sequence[str]) -> int:
    """The length of the longest common subsequence."""
    return LCSseq.similarity(left, right)


def _overlap(shared: int, given: int, expected: int) -> Likeness:
    if not given or not expected:
        # nothing is left to compare on one side: equal only where both are empty
        value = precision = recall = float(given == expected)
    else:
        precision, recall = shared / given, shared / expected
        value = 2 * shared / (given + expected)
    raw = {"precision": precision, "recall": recall, "answer": given, "reference": expected}
    return Likeness(value, raw)


@functools.cache
def _replacements(punctuation: str) -> dict[int, str | None]:
    points = range(sys.maxunicode + 1)
    # None deletes as "" does, and keeps str.translate on its fast path
    return {
        point: punctuation or None
        for point in points
        if unicodedata.category(chr(point))[0] in "PS"
    }


RULES: tuple[type[Rule], ...] = (TokenF1, RougeL, Chrf, EditDistance)
