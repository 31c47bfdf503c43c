"""What people read for the causes that results end with."""

CAUSES = {
    "timeout": "Timed out",
    "rate_limited": "The target asked to slow down",
    "service_unavailable": "The target was not available",
    "internal_error": "The target broke",
    "invalid_response": "The target's answer could not be read",
    "invalid_request": "The target did not take the request",
    "unauthorized": "The target did not let us in",
    "refused": "The address is not allowed",
    "no_answer": "There is no recorded answer",
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
