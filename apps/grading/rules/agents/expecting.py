"""Settings that the rules of agent scenarios share."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from apps.grading.rules.base import Rule


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_several)]
"""One text, or a list of texts."""

TruthOrTexts = Annotated[bool | tuple[str, ...], BeforeValidator(_several)]


class Expecting(Rule):
    """A rule that a scenario asks for with true, or for its opposite with false."""

    expected: bool = Field(
        default=True,
        title="Expected",
        description="true: it must be as this rule says. false: it must not.",
    )
