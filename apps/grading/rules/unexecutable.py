"""Rules that are kept and shown, and never executed."""

from typing import Any, Literal

from pydantic import Field

from apps.grading.contracts import Score, Subject
from apps.grading.rules.base import Example, Rule


class Unexecutable(Rule):
    """A rule of the data that EvalHub does not carry out, such as a program: never a score.

    Programs that came with a dataset are not run, whoever wrote them. The rule is shown with what
    it said, and its score is none, with the reason.
    """

    title = "Not executed"
    examples = (
        Example(
            says="A program that came with the data.",
            settings={"said": {"type": "code-grader", "command": ["python", "check.py"]}},
            subject=Subject(response="yes"),
            value=None,
        ),
    )

    type: Literal["unexecutable"] = "unexecutable"
    why: str = Field(
        default="Programs that come with data are never executed.",
        min_length=1,
        max_length=500,
        title="Why",
        description="The reason that stands in place of a score.",
    )
    said: dict[str, Any] = Field(
        default={}, title="What it said", description="The rule as its format wrote it."
    )

    def grade(self, subject: Subject) -> Score:
        return self.cannot_say(self.why)


RULES: tuple[type[Rule], ...] = (Unexecutable,)
