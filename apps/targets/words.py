"""What people read for the errors of a target, on every page; programs read the codes."""

from collections.abc import Mapping

ERRORS: Mapping[str, str] = {
    "timeout": "Timed out",
    "rate_limited": "The target asked to slow down",
    "service_unavailable": "The target was not available",
    "internal_error": "The target broke",
    "invalid_response": "The target's answer could not be read",
    "invalid_request": "The target did not take the request",
    "unauthorized": "The target did not let us in",
    "refused": "The target refused to answer",
    "no_answer": "There was no answer",
}
