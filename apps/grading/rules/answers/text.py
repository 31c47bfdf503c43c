"""Rules on the text of the answer: equal, contains, begins, ends."""

import unicodedata
from collections.abc import Sequence
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from apps.grading.contracts import Check, Score, Subject
from apps.grading.rules.answers.patterns import Regex
from apps.grading.rules.base import Example, Rule
from apps.grading.rules.record import NO_REFERENCE, references
from apps.grading.rules.words import kept, shown

MAX_TEXT = 200_000
MAX_VALUES = 1_000
LONGEST_SAID = 2_000
# What a JavaScript engine trims: agentv's graders run in one.
_BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


class ExactMatch(Rule):
    """The answer equals the reference, or a given text: 1, otherwise 0.

    Of several reference answers one is enough.
    """

    title = "Exact match"
    version = 2
    examples = (
        Example(
            says="One of the reference answers is enough, however its spaces are set.",
            subject=Subject(response="New  York", reference_answers=("NYC", "New York")),
            value=1.0,
        ),
        Example(
            says="The case counts where the rule does not ignore it.",
            settings={"expected": "yes"},
            subject=Subject(response="Yes"),
            value=0.0,
        ),
    )

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
        wanted = references(subject) if self.expected is None else (self.expected,)
        if not wanted:
            return self.cannot_say(NO_REFERENCE)
        answer = self._comparable(subject.response)
        if any(self._comparable(text) == answer for text in wanted):
            return self.scored(1.0)
        more = f" or {len(wanted) - 1} more" if len(wanted) > 1 else ""
        return self.scored(
            0.0, reason=f"Expected {shown(wanted[0])}{more}, got {shown(subject.response)}."
        )

    def _comparable(self, text: str) -> str:
        text = folded(text, ignore_case=self.ignore_case, nfc=self.nfc)
        return " ".join(text.split()) if self.ignore_whitespace else text


class Contains(Rule):
    """The answer contains a text, or all or any of several texts: 1, otherwise 0.

    Without a text of its own the rule looks for the record's reference answer; of several
    reference answers one is enough.
    """

    title = "Contains"
    version = 2
    examples = (
        Example(
            says="Upper and lower case differ.",
            settings={"value": "World"},
            subject=Subject(response="Hello World"),
            value=1.0,
        ),
        Example(
            says="All of the texts must be there.",
            settings={"values": ["red", "blue"]},
            subject=Subject(response="red and green"),
            value=0.0,
        ),
        Example(
            says="One of the texts is enough, in any case.",
            settings={"values": ["red", "BLUE"], "mode": "any", "ignore_case": True},
            subject=Subject(response="It is blue"),
            value=1.0,
        ),
    )

    type: Literal["contains"] = "contains"
    value: str | None = Field(
        default=None, min_length=1, max_length=MAX_TEXT, title="Text", description="What to find."
    )
    values: tuple[str, ...] = Field(
        default=(),
        max_length=MAX_VALUES,
        title="Texts",
        description="Several texts to find, instead of one; none at all: the reference answer.",
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
        if self.value is not None and self.values:
            raise ValueError("give value or values, not both")
        return self

    def grade(self, subject: Subject) -> Score:
        wanted = self.values or tuple(filter(None, [self.value])) or references(subject)
        if not wanted:
            return self.cannot_say(NO_REFERENCE)
        answer = self._comparable(subject.response)
        found = [text for text in wanted if self._comparable(text) in answer]
        check = self._check(wanted, found)
        raw = {"found": len(found), "of": len(wanted)}
        return self.scored(float(check.passed), checks=[check], raw=raw)

    def _check(self, wanted: Sequence[str], found: Sequence[str]) -> Check:
        """In the words of agentv's graders, which others compare with."""
        case = " (case-insensitive)" if self.ignore_case else ""
        if self.values and self.mode == "all":
            missing = [text for text in wanted if text not in found]
            if missing:
                return Check(text=f"Output missing{case}: {_listed(missing)}", passed=False)
            every = f"all {len(wanted)} expected strings"
            return Check(text=f"Output contains {every}{case}", passed=True)
        if found:
            return Check(text=f"Output contains {quoted(found[0])}{case}", passed=True)
        several = bool(self.values) or len(wanted) > 1
        absent = f"any of: {_listed(wanted)}" if several else quoted(wanted[0])
        return Check(text=f"Output does not contain {absent}{case}", passed=False)

    def _comparable(self, text: str) -> str:
        return folded(text, ignore_case=self.ignore_case, nfc=self.nfc)


def _text(*, at_least: int) -> Any:
    return Field(
        min_length=at_least,
        max_length=MAX_TEXT,
        title="Text",
        description="Blanks at both ends do not count, neither here nor in the answer.",
    )


class _AgainstText(Rule):
    """What the rules have in common that compare the answer with one text, both trimmed."""

    value: str = _text(at_least=1)

    def _told(self, passed: bool, verb: str, not_verb: str) -> Score:
        text = f"Output {verb if passed else not_verb} {quoted(self.value)}"
        return self.scored(float(passed), checks=[Check(text=text, passed=passed)])


class Equals(_AgainstText):
    """The answer is a given text, both without blanks at their ends: 1, otherwise 0.

    Case, spaces within and Unicode forms count; the exact match is more lenient.
    """

    title = "Equals"
    examples = (
        Example(
            says="Blanks at the ends do not count.",
            settings={"value": "42"},
            subject=Subject(response=" 42\n"),
            value=1.0,
        ),
    )

    type: Literal["equals"] = "equals"
    value: str = _text(at_least=0)

    def grade(self, subject: Subject) -> Score:
        same = trimmed(subject.response) == trimmed(self.value)
        return self._told(same, "equals", "does not equal")


class StartsWith(_AgainstText):
    """The answer begins with a text, both without blanks at their ends: 1, otherwise 0."""

    title = "Starts with"
    examples = (
        Example(
            says="An answer that begins politely.",
            settings={"value": "Dear"},
            subject=Subject(response="Dear Charlie, the lamp is on its way."),
            value=1.0,
        ),
    )

    type: Literal["starts_with"] = "starts_with"

    def grade(self, subject: Subject) -> Score:
        begins = trimmed(subject.response).startswith(trimmed(self.value))
        return self._told(begins, "starts with", "does not start with")


class EndsWith(_AgainstText):
    """The answer ends with a text, both without blanks at their ends: 1, otherwise 0."""

    title = "Ends with"
    examples = (
        Example(
            says="A blank after the last word does not count.",
            settings={"value": "padded"},
            subject=Subject(response="  padded  "),
            value=1.0,
        ),
    )

    type: Literal["ends_with"] = "ends_with"

    def grade(self, subject: Subject) -> Score:
        ends = trimmed(subject.response).endswith(trimmed(self.value))
        return self._told(ends, "ends with", "does not end with")


def folded(text: str, *, ignore_case: bool, nfc: bool) -> str:
    text = text.casefold() if ignore_case else text
    # after the case: casefolding can undo the normal form
    return unicodedata.normalize("NFC", text) if nfc else text


def trimmed(text: str) -> str:
    return text.strip(_BLANKS)


def quoted(text: str) -> str:
    return f'"{kept(text, LONGEST_SAID)}"'


def _listed(texts: Sequence[str]) -> str:
    return kept(", ".join(quoted(text) for text in texts), 2 * LONGEST_SAID)


RULES: tuple[type[Rule], ...] = (ExactMatch, Contains, StartsWith, EndsWith, Equals, Regex)
