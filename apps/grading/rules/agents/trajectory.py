"""Rules on the tools that were called, in which order and with what."""

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from apps.grading.contracts import Check, Score, Subject
from apps.grading.rules.agents.arguments import ArgsMatch, fits
from apps.grading.rules.agents.steps import Step, Tool, met, named, read, timed
from apps.grading.rules.base import Example, Rule
from apps.grading.subjects import ToolCall

Mode = Literal["any_order", "in_order", "exact", "subset", "superset"]

NOTHING_KNOWN = "Nothing is known of the tools that were called."
ONLY_NAMES = "The trace names the tools that were executed, not their arguments."
ONLY_COUNTS = "Only how often each tool was called is known, not in which order or with what."
MOST_STEPS = 200
MOST_CHECKS = 200
MOST_COMPARED = 200_000


class ToolTrajectory(Rule):
    """Whether the system called the tools that it should: the share of what is as expected.

    any_order: each tool of `minimums` was called at least that often; the share of these tools.
    in_order: the steps of `expected` were called one after another, others may stand between; the
    share of the steps. A call of the right tool with other arguments uses up its step. exact:
    these steps and nothing else, place by place; the share of the places of whichever is longer.
    superset: each step was called, in whatever order, each call counted once; the share of the
    steps. subset: nothing was called but these steps, as often as one likes; the share of the
    calls, and 1 where nothing was called.

    Arguments of a step are compared by `args_match`: exact (the same keys and values), superset
    (the call has at least these), subset (the call has none but these), ignore, or a list of
    fields (a.b reaches into objects) that must be equal. In in_order and exact a step may have a
    longest duration: one more thing to be right, where it is known how long the call took.

    Where the system tells of no call, the executions in its trace count, whose arguments nobody
    knows. A system that tells of its tools and called none has called none; where nothing at all
    is known of what it did, the rule cannot say.
    """

    title = "Tool trajectory"
    aspect = "process"
    examples = (
        Example(
            says="Both tools were called often enough.",
            settings={"mode": "any_order", "minimums": {"search": 2, "read": 1}},
            subject=Subject(tool_counts={"search": 2, "read": 3}),
            value=1.0,
        ),
        Example(
            says="One of two steps has other arguments than expected.",
            settings={
                "mode": "in_order",
                "expected": [
                    {"tool": "search", "args": {"query": "lamp"}},
                    {"tool": "order", "args": {"id": 7}},
                ],
            },
            subject=Subject(
                turns=(
                    {
                        "role": "assistant",
                        "tool_calls": [
                            {"name": "search", "arguments": {"query": "lamp"}},
                            {"name": "read", "arguments": {"page": 1}},
                            {"name": "order", "arguments": {"id": 8}},
                        ],
                    },
                )
            ),
            value=0.5,
        ),
        Example(
            says="Nothing is known of the tools.",
            settings={"mode": "exact", "expected": [{"tool": "search"}]},
            subject=Subject(response="It is a lamp."),
            value=None,
        ),
    )

    type: Literal["tool_trajectory"] = "tool_trajectory"
    mode: Mode = Field(title="Mode", description="What must hold of the calls.")
    minimums: dict[Tool, Annotated[int, Field(ge=0)]] = Field(
        default={},
        max_length=MOST_STEPS,
        title="Minimums",
        description="Of any_order: how often each tool must be called at least.",
    )
    expected: tuple[Step, ...] = Field(
        default=(),
        max_length=MOST_STEPS,
        title="Expected calls",
        description="Of all modes but any_order. Empty in exact and subset: no call at all.",
    )
    args_match: ArgsMatch = Field(
        default="exact",
        title="How arguments are compared",
        description="exact, ignore, subset, superset, or a list of fields. A step may differ.",
    )

    @model_validator(mode="after")
    def _something_to_look_for(self) -> Self:
        if self.mode == "any_order" and not self.minimums:
            raise ValueError("the mode any_order needs minimums, such as search: 1")
        if self.mode in ("in_order", "superset") and not self.expected:
            raise ValueError(f"the mode {self.mode} needs expected, such as - tool: search")
        return self

    def grade(self, subject: Subject) -> Score:
        counted = subject.calls_by_tool
        if counted is None:
            return self.cannot_say(NOTHING_KNOWN)
        if self.mode == "any_order":
            return self._told(_counts(self.minimums, counted))
        calls = subject.tool_calls
        if not calls and any(counted.values()):
            return self.cannot_say(ONLY_COUNTS)
        if calls and self._compares_arguments and not _told_by_the_system(subject):
            return self.cannot_say(ONLY_NAMES)
        if len(calls) * len(self.expected) > MOST_COMPARED:
            return self.cannot_say(f"There are {len(calls):,} calls, too many to compare.")
        return self._told(list(self._compared([read(call) for call in calls])))

    @property
    def _compares_arguments(self) -> bool:
        ways = ((step.args, step.args_match or self.args_match) for step in self.expected)
        return any(args != "any" and how != "ignore" for args, how in ways)

    def _compared(self, calls: Sequence[ToolCall]) -> Iterator[Check]:
        if self.mode == "in_order":
            return self._in_order(calls)
        if self.mode == "exact":
            return self._exact(calls)
        return self._superset(calls) if self.mode == "superset" else self._subset(calls)

    def _in_order(self, calls: Sequence[ToolCall]) -> Iterator[Check]:
        at = 0
        for number, step in enumerate(self.expected):
            place = next((n for n in range(at, len(calls)) if calls[n].name == step.tool), None)
            if place is None:
                at = len(calls)
                text = f"Expected {step.tool} at position {number}, not found in remaining trace"
                yield Check(text=text, passed=False)
                yield from timed(step, None)
                continue
            at = place + 1
            if self._fits(step, calls[place]):
                yield Check(text=f"Found {step.tool} at position {place}", passed=True)
                yield from timed(step, calls[place])
            else:
                text = f"Expected {step.tool} at position {number}: tool found at {place}"
                yield Check(text=f"{text} but args mismatch", passed=False)
                yield from timed(step, None)

    def _exact(self, calls: Sequence[ToolCall]) -> Iterator[Check]:
        for place, step in enumerate(self.expected):
            call = calls[place] if place < len(calls) else None
            passed = call is not None and call.name == step.tool and self._fits(step, call)
            yield Check(text=f"Position {place}: {met(step, call, passed)}", passed=passed)
            yield from timed(step, call if passed else None)
        for place in range(len(self.expected), len(calls)):
            text = f"Position {place}: expected nothing, got {named(calls[place])}"
            yield Check(text=text, passed=False)

    def _superset(self, calls: Sequence[ToolCall]) -> Iterator[Check]:
        """Each step takes the first call that fits and that no step before it took."""
        free: dict[str, deque[int]] = defaultdict(deque)
        for place, call in enumerate(calls):
            free[call.name].append(place)
        for step in self.expected:
            places = free[step.tool]
            taken = next((n for n in places if self._fits(step, calls[n])), None)
            if taken is None:
                text = f"Expected {step.tool} not found in actual trajectory"
                yield Check(text=text, passed=False)
            else:
                places.remove(taken)
                yield Check(text=f"Found {step.tool} at position {taken}", passed=True)

    def _subset(self, calls: Sequence[ToolCall]) -> Iterator[Check]:
        allowed: dict[str, list[Step]] = defaultdict(list)
        for step in self.expected:
            allowed[step.tool].append(step)
        if not calls:
            yield Check(text="No actual tool calls (trivially a subset)", passed=True)
        for place, call in enumerate(calls):
            passed = any(self._fits(step, call) for step in allowed.get(call.name, ()))
            found = "is in allowed set" if passed else "is not in allowed set"
            yield Check(text=f"Position {place}: {named(call)} {found}", passed=passed)

    def _fits(self, step: Step, call: ToolCall) -> bool:
        return fits(step.args, call.arguments, step.args_match or self.args_match)

    def _told(self, checks: list[Check]) -> Score:
        """The share that passed; of very many checks those that did not are told first."""
        hits = sum(check.passed for check in checks)
        told = checks
        if len(checks) > MOST_CHECKS:
            told = sorted(checks, key=lambda check: check.passed)[:MOST_CHECKS]
        raw = {"hits": hits, "of": len(checks)}
        return self.scored(hits / len(checks) if checks else 1.0, checks=told, raw=raw)


def _told_by_the_system(subject: Subject) -> bool:
    """Whether the calls are the system's own, and not executions that a trace has."""
    of_runs = any(run.tool_calls for run in subject.session)
    return of_runs or any(turn.tool_calls for turn in subject.turns)


def _counts(minimums: Mapping[str, int], counted: Mapping[str, int]) -> list[Check]:
    found = {tool: counted.get(tool, 0) for tool in minimums}
    return [
        Check(
            text=f"{tool}: called {found[tool]} times (required ≥{least})",
            passed=found[tool] >= least,
        )
        for tool, least in minimums.items()
    ]


RULES: tuple[type[Rule], ...] = (ToolTrajectory,)
