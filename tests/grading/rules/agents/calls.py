"""Calls of tools to hold a trajectory against."""

from typing import Any

from apps.grading.contracts import Score, Subject
from apps.grading.rules.agents.trajectory import ToolTrajectory
from apps.grading.subjects import ToolCall, Turn


def called(*calls: Any) -> Subject:
    """An answer in which these tools were called; a name, or a name with arguments."""
    made = [
        ToolCall(name=each) if isinstance(each, str) else ToolCall(name=each[0], arguments=each[1])
        for each in calls
    ]
    return Subject(turns=(Turn(role="assistant", tool_calls=tuple(made)),))


def graded(subject: Subject, **settings: Any) -> Score:
    return ToolTrajectory.model_validate({"name": "tools", **settings}).grade(subject)


def steps(*tools: str) -> list[dict[str, Any]]:
    return [{"tool": tool} for tool in tools]


def texts(score: Score) -> list[tuple[str, bool]]:
    return [(check.text, check.passed) for check in score.checks]
