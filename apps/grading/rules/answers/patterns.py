"""The rule on a regular expression, and how patterns are compiled."""

import functools
import re
from typing import Any, Literal, Self

import re2
from pydantic import Field, model_validator

from apps.grading.contracts import Check, Score, Subject
from apps.grading.rules.base import Example, Rule
from apps.grading.rules.words import kept, shown

_UNICODE_ESCAPE = re.compile(r"(\\\\)|\\u(?:([0-9a-fA-F]{4})|\{([0-9a-fA-F]{1,6})\})")
_BACKTRACKING = re.compile(r"\(\?<?[=!]|\(\?P=|\\[1-9]|\\k<")
_HINT = "it has neither look-around nor back-references"


class Regex(Rule):
    r"""The answer matches a regular expression (RE2 syntax): 1, otherwise 0.

    RE2 needs time linear in the answer whatever the pattern, and so has neither
    back-references nor look-around. Of JavaScript's flags i, m and s are the settings of that
    name, y asks for a match at the very start; d, g, u and v change nothing here. \u00e9 is read
    as in JavaScript, and \s is a blank of ASCII only.
    https://github.com/google/re2/wiki/Syntax
    """

    title = "Regular expression"
    examples = (
        Example(
            says="A part of the answer is enough.",
            settings={"pattern": r"\d{4}-\d{2}-\d{2}"},
            subject=Subject(response="It was paid on 2026-01-15."),
            value=1.0,
        ),
        Example(
            says="Flags as JavaScript writes them.",
            settings={"pattern": "^STATUS", "flags": "im"},
            subject=Subject(response="Done.\nStatus: ok"),
            value=1.0,
        ),
    )

    type: Literal["regex"] = "regex"
    pattern: str = Field(
        min_length=1,
        max_length=2_000,
        title="Pattern",
        description="In RE2 syntax: no back-references and no look-around.",
    )
    flags: str = Field(
        default="",
        pattern="^[dgimsuvy]{0,8}$",
        title="Flags",
        description="As JavaScript writes them, like im; beside the settings below.",
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
        # RE2 reads UTF-8, which has no unpaired surrogates
        match = self._match(subject.response.encode("utf-8", "replace").decode())
        verb = "matches" if match else "does not match"
        flags = self._flags
        said = f"/{kept(self.pattern, 2_000)}/{flags}{f' (flags: {flags})' if flags else ''}"
        check = Check(text=f"Output {verb} pattern {said}", passed=bool(match))
        raw = {"start": match.start(), "end": match.end()} if match else None
        return self.scored(float(check.passed), checks=[check], raw=raw)

    def _match(self, text: str) -> Any:
        pattern = self._compiled()
        if self.whole:
            return pattern.fullmatch(text)
        return pattern.match(text) if "y" in self.flags else pattern.search(text)

    @property
    def _flags(self) -> str:
        """The flags as they stand, and the letters of the settings that are on beside them."""
        settings = (("i", self.ignore_case), ("m", self.multiline), ("s", self.dot_all))
        return self.flags + "".join(flag for flag, on in settings if on and flag not in self.flags)

    def _compiled(self) -> Any:
        letters = "".join(letter for letter in "ims" if letter in self._flags)
        return compile_pattern(f"(?{letters}){self.pattern}" if letters else self.pattern)


@functools.lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> Any:
    """The compiled RE2 pattern; ValueError with a sentence where RE2 refuses it."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(_UNICODE_ESCAPE.sub(_code_point, pattern), options)
    except re2.error as error:
        cause = error.args[0] if error.args else error
        cause = cause.decode("utf-8", "replace") if isinstance(cause, bytes) else cause
        hint = f" ({_HINT})" if _BACKTRACKING.search(pattern) else ""
        raise ValueError(f"RE2 refuses the pattern {shown(pattern)}: {cause}{hint}") from error


def _code_point(match: re.Match[str]) -> str:
    """RE2's spelling of JavaScript's escapes; an escaped backslash before a u is none."""
    if match[1]:
        return match[1]
    return rf"\x{{{match[2] or match[3]}}}"


RULES: tuple[type[Rule], ...] = (Regex,)
