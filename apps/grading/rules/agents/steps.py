"""The steps that a trajectory is held against, and what is told of them."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from apps.contract import Contract
from apps.grading.contracts import Check
from apps.grading.rules.agents.arguments import ArgsMatch, as_object
from apps.grading.rules.words import kept
from apps.grading.subjects import ToolCall

Tool = Annotated[str, Field(min_length=1, max_length=200)]


class Step(Contract):
    """One call that is expected."""

    tool: Tool = Field(title="Tool", description="The name of the tool.")
    args: dict[str, Any] | tuple[str, ...] | Literal["any"] = Field(
        default="any",
        title="Arguments",
        description="An object to compare with, a list of keys that must be given, or any.",
    )
    args_match: ArgsMatch | None = Field(
        default=None,
        title="How arguments are compared",
        description="For this step, in place of what the rule says.",
    )
    max_duration_ms: float | None = Field(
        default=None,
        ge=0,
        allow_inf_nan=False,
        title="Longest duration in ms",
        description="Looked at in the modes in_order and exact, where the duration is known.",
    )


def met(step: Step, call: ToolCall | None, passed: bool) -> str:
    if passed:
        return step.tool
    if call is None:
        return f"expected {step.tool}, got nothing"
    if call.name == step.tool:
        return f"{step.tool} args mismatch"
    return f"expected {step.tool}, got {named(call)}"


def timed(step: Step, call: ToolCall | None) -> Iterator[Check]:
    """Whether the step was quick enough; nothing where nobody took the time of its call."""
    longest = step.max_duration_ms
    if longest is None:
        return
    if call is None:
        yield Check(text=f"{step.tool} has no call to time (max: {longest:g}ms)", passed=False)
    elif call.duration_ms is not None:
        passed = call.duration_ms <= longest
        verb = "completed in" if passed else "took"
        text = f"{step.tool} {verb} {call.duration_ms:g}ms (max: {longest:g}ms)"
        yield Check(text=text, passed=passed)


def read(call: ToolCall) -> ToolCall:
    """The call with its arguments as an object, read once however many steps look at it."""
    if not isinstance(call.arguments, str):
        return call
    return call.model_copy(update={"arguments": as_object(call.arguments)})


def named(call: ToolCall) -> str:
    return kept(call.name, 200)
