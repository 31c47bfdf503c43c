"""Rules on the text of the answer: exact match, contains, regular expression."""

import functools
import unicodedata
from typing import Any, Literal, Self

import re2
from pydantic import Field, model_validator

from apps.grading.contracts import Score, Subject

from .base import Rule
from .record import NO_REFERENCE, reference
from .words import shown

MAX_TEXT = 200_000


class ExactMatch(Rule):
    """The answer equals the reference, or a given text: 1, otherwise 0."""

    title = "Exact match"

    type: Literal["exact_match"] = "exact_match"
    expected: str | None = Field(
        default=None,
        max_length=MAX_TEXT,
        title="Expected text",
        description="What the answer must be; empty: the record's reference answer.",
    )
    ignore_case: bool = Field(
        default=False, title="Ignore case", description="Upper and lower case count as equal."
    )
    ignore_whitespace: bool = Field(
        default=True,
        title="Ignore whitespace",
        description="Runs of spaces and line breaks count as one space; none at both ends.",
    )
    nfc: bool = Field(
        default=True,
        title="Normalise Unicode",
        description="Compare in Unicode NFC, so that é is é however it was typed.",
    )

    def grade(self, subject: Subject) -> Score:
        wanted = reference(subject) if self.expected is None else self.expected
        if wanted is None:
            return self.cannot_say(NO_REFERENCE)
        if self._comparable(subject.response) == self._comparable(wanted):
            return self.scored(1.0)
        return self.scored(0.0, reason=f"Expected {shown(wanted)}, got {shown(subject.response)}.")

    def _comparable(self, text: str) -> str:
        text = folded(text, ignore_case=self.ignore_case, nfc=self.nfc)
        return " ".join(text.split()) if self.ignore_whitespace else text


class Contains(Rule):
    """The answer contains all, or any, of some texts: 1, otherwise 0."""

    title = "Contains"

    type: Literal["contains"] = "contains"
    values: tuple[str, ...] = Field(
        default=(),
        max_length=100,
        title="Texts",
        description="What to look for, one text each; none: the record's reference answer.",
    )
    mode: Literal["all", "any"] = Field(
        default="all", title="How many", description="All of the texts, or any one of them."
    )
    ignore_case: bool = Field(
        default=False, title="Ignore case", description="Upper and lower case count as equal."
    )
    nfc: bool = Field(
        default=True,
        title="Normalise Unicode",
        description="Compare in Unicode NFC, so that é is é however it was typed.",
    )

    @model_validator(mode="after")
    def _no_empty_text(self) -> Self:
        if not all(self.values):
            raise ValueError("values must not hold an empty text: every answer contains it")
        return self

    def grade(self, subject: Subject) -> Score:
        wanted = self.values or tuple(filter(None, [reference(subject)]))
        if not wanted:
            return self.cannot_say(NO_REFERENCE)
        answer = self._comparable(subject.response)
        missing = [text for text in wanted if self._comparable(text) not in answer]
        found = len(wanted) - len(missing)
        passed = not missing if self.mode == "all" else found > 0
        raw = {"found": found, "of": len(wanted)}
        if passed:
            return self.scored(1.0, raw=raw)
        return self.scored(0.0, reason=f"Not found: {_listed(missing)}.", raw=raw)

    def _comparable(self, text: str) -> str:
        return folded(text, ignore_case=self.ignore_case, nfc=self.nfc)


class Regex(Rule):
    """The answer matches a regular expression (RE2 syntax): 1, otherwise 0.

    RE2 needs time linear in the answer whatever the pattern, and so has neither
    back-references nor look-around. https://github.com/google/re2/wiki/Syntax
    """

    title = "Regular expression"

    type: Literal["regex"] = "regex"
    pattern: str = Field(
        min_length=1,
        max_length=2_000,
        title="Pattern",
        description="In RE2 syntax: no back-references and no look-around.",
    )
    whole: bool = Field(
        default=False,
        title="Whole answer",
        description="The pattern must match the whole answer, not a part of it.",
    )
    ignore_case: bool = Field(
        default=False, title="Ignore case", description="Upper and lower case count as equal."
    )
    multiline: bool = Field(
        default=False,
        title="Multiline",
        description="^ and $ also match at the start and end of each line.",
    )
    dot_all: bool = Field(
        default=False, title="Dot matches all", description="The dot also matches line breaks."
    )

    @model_validator(mode="after")
    def _compiles(self) -> Self:
        self._compiled()
        return self

    def grade(self, subject: Subject) -> Score:
        pattern = self._compiled()
        # RE2 reads UTF-8, which has no unpaired surrogates
        text = subject.response.encode("utf-8", "replace").decode()
        match = pattern.fullmatch(text) if self.whole else pattern.search(text)
        if match is None:
            return self.scored(0.0, reason=f"No match for {shown(self.pattern)}.")
        return self.scored(1.0, raw={"start": match.start(), "end": match.end()})

    def _compiled(self) -> Any:
        flags = (("i", self.ignore_case), ("m", self.multiline), ("s", self.dot_all))
        letters = "".join(letter for letter, on in flags if on)
        return compile_pattern(f"(?{letters}){self.pattern}" if letters else self.pattern)


@functools.lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> Any:
    """The compiled RE2 pattern; ValueError with a sentence where RE2 refuses it."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        cause = error.args[0] if error.args else error
        cause = cause.decode("utf-8", "replace") if isinstance(cause, bytes) else cause
        raise ValueError(f"RE2 refuses the pattern {shown(pattern)}: {cause}") from error


def folded(text: str, *, ignore_case: bool, nfc: bool) -> str:
    text = text.casefold() if ignore_case else text
    # after the case: casefolding can undo the normal form
    return unicodedata.normalize("NFC", text) if nfc else text


def _listed(texts: list[str]) -> str:
    more = f" and {len(texts) - 5} more" if len(texts) > 5 else ""
    return ", ".join(shown(text, 40) for text in texts[:5]) + more


RULES: tuple[type[Rule], ...] = (ExactMatch, Contains, Regex)
