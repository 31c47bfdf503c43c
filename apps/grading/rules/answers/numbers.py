"""Rules on numbers in the answer."""

import re
from decimal import Decimal, localcontext
from typing import Literal, NamedTuple, Self

from pydantic import Field, model_validator

from apps.grading.contracts import Score, Subject
from apps.grading.rules.base import Example, Rule
from apps.grading.rules.record import NO_REFERENCE, references

MAX_DIGITS = 400
_SIGNIFICANT = 60
_MINUS = "-−"


class Numeric(Rule):
    """The last number in the answer is near enough to the expected one: 1, otherwise 0.

    Near enough is |answer - expected| <= max(absolute, relative * |expected|), computed in
    decimal, so that a tolerance of 0.1 accepts 1.1 for 1. Read are signs, thousands separators
    (comma or dot, apostrophe, underscore, no-break space), decimals, exponents (1.2e-3), and a
    currency or percent sign; digits glued to a Latin letter before them (Q4, CO2) are no number.
    Of several reference answers one is enough.
    """

    title = "Number within a tolerance"
    version = 2
    examples = (
        Example(
            says="One percent of the expected 1,000 is near enough.",
            settings={"relative": 0.01},
            subject=Subject(response="About 1,009 lamps", reference_answers=("1000",)),
            value=1.0,
        ),
        Example(
            says="The last number of the answer counts.",
            settings={"expected": 4},
            subject=Subject(response="4 or 5"),
            value=0.0,
        ),
    )

    type: Literal["numeric"] = "numeric"
    expected: float | None = Field(
        default=None,
        allow_inf_nan=False,
        title="Expected number",
        description="Empty: the last number in the record's reference answer.",
    )
    absolute: float = Field(
        default=0.0,
        ge=0,
        allow_inf_nan=False,
        title="Absolute tolerance",
        description="The difference that is still right, in the unit of the number.",
    )
    relative: float = Field(
        default=0.0,
        ge=0,
        allow_inf_nan=False,
        title="Relative tolerance",
        description="The same as a share of the expected number: 0.01 is one percent.",
    )
    decimal_mark: Literal[".", ","] = Field(
        default=".",
        title="Decimal mark",
        description="What stands before decimals; the other one separates thousands.",
    )
    percent: Literal["ignore", "divide"] = Field(
        default="ignore",
        title="Percent sign",
        description="ignore: 45 % is 45. divide: 45 % is 0.45.",
    )

    @model_validator(mode="after")
    def _finite(self) -> Self:
        if self.relative > 1_000:
            raise ValueError("relative must be at most 1000; 0.01 is one percent")
        return self

    def grade(self, subject: Subject) -> Score:
        wanted = self._expected(subject)
        if isinstance(wanted, str):
            return self.cannot_say(wanted)
        found = self._last_number(subject.response)
        if found is None:
            return self.scored(0.0, reason="The answer has no number.")
        near = next((number for number in wanted if self._near(found.value, number.value)), None)
        expected = (near or wanted[0]).text
        raw = {"found": found.text, "expected": expected}
        if near:
            return self.scored(1.0, raw=raw)
        return self.scored(0.0, reason=f"Found {found.text}, expected {expected}.", raw=raw)

    def _expected(self, subject: Subject) -> "list[Number] | str":
        if self.expected is not None:
            return [Number(Decimal(repr(self.expected)), repr(self.expected))]
        texts = references(subject)
        if not texts:
            return NO_REFERENCE
        numbers = [number for text in texts if (number := self._last_number(text))]
        return numbers or "The reference answer has no number."

    def _last_number(self, text: str) -> "Number | None":
        return last_number(text, decimal_mark=self.decimal_mark, divide=self.percent == "divide")

    def _near(self, found: Decimal, wanted: Decimal) -> bool:
        with localcontext() as context:
            context.prec = MAX_DIGITS + _SIGNIFICANT
            relative = Decimal(repr(self.relative)) * abs(wanted)
            return abs(found - wanted) <= max(Decimal(repr(self.absolute)), relative)


class Number(NamedTuple):
    value: Decimal
    text: str


def _pattern(decimal_mark: str) -> re.Pattern[str]:
    group = r"['’_\u00a0\u2009\u202f" + ("," if decimal_mark == "." else ".") + "]"
    mark = re.escape(decimal_mark)
    # Every repetition is possessive or bounded: the time is linear in the text.
    whole = rf"(?P<digits>[0-9]{{1,3}}(?:{group}[0-9]{{3}}(?![0-9]))++|[0-9]++)"
    return re.compile(
        rf"(?<![A-Za-z0-9_])(?:(?<![\w)\]])(?P<sign>[-+−]))?[$€£¥]?"
        rf"(?:{whole}(?:{mark}(?P<decimals>[0-9]++))?+|{mark}(?P<fraction>[0-9]++))"
        rf"(?:[eE](?P<exponent>[-+−]?[0-9]{{1,3}}+)(?![0-9]))?+(?:[ \u00a0\u202f]?(?P<percent>%))?+"
    )


_PATTERNS = {mark: _pattern(mark) for mark in (".", ",")}


def last_number(text: str, *, decimal_mark: str = ".", divide: bool = False) -> Number | None:
    """The last number of the text with at most 400 digits, or None."""
    found = None
    for match in _PATTERNS[decimal_mark].finditer(text):
        if len(match[0]) <= MAX_DIGITS:
            found = match
    return _read(found, divide) if found else None


def _read(match: re.Match[str], divide: bool) -> Number:
    digits = re.sub(r"[^0-9]", "", match["digits"] or "0")
    decimals = match["decimals"] or match["fraction"] or "0"
    exponent = int((match["exponent"] or "0").replace("−", "-"))
    if match["percent"] and divide:
        exponent -= 2
    sign = "-" if match["sign"] and match["sign"] in _MINUS else ""
    return Number(Decimal(f"{sign}{digits}.{decimals}e{exponent}"), match[0].strip())


RULES: tuple[type[Rule], ...] = (Numeric,)
