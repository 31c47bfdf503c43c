"""What people read for the causes that results end with."""

from collections.abc import Mapping

from apps.targets.words import ERRORS

CAUSES: Mapping[str, str] = {
    **ERRORS,
    "judge_failed": "A judge gave no readable score",
    "grader_failed": "A grader broke",
    "worker_lost": "Its worker died too often",
    "cancelled": "Cancelled before it was asked",
    "run_failed": "The run failed before it was asked",
}


def cause_title(status: str, cause: str) -> str:
    return CAUSES.get(cause) or (cause or status).replace("_", " ").capitalize()


def state_word(status: str, verdict: str) -> str:
    """What the badge of a result says: the verdict of an evaluated one, else its status."""
    return status if status != "completed" else verdict or "unjudged"
