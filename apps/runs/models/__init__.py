"""Asking, answering, judging: runs and all that they leave behind."""

from .labels import Failure, FailureLabel
from .results import Attempt, CachedAnswer, Result, ResultStatus, Score
from .runs import ASKING, TERMINAL, Run, RunQuerySet, RunState, RunTarget, StateChange
from .summaries import Summary
from .work import Chunk, RunStep

__all__ = [
    "ASKING",
    "TERMINAL",
    "Attempt",
    "CachedAnswer",
    "Chunk",
    "Failure",
    "FailureLabel",
    "Result",
    "ResultStatus",
    "Run",
    "RunQuerySet",
    "RunState",
    "RunStep",
    "RunTarget",
    "Score",
    "StateChange",
    "Summary",
]
