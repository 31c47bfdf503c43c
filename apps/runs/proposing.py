"""What went wrong in a result, as far as it shows by itself: proposals, never labels. Pure."""

from collections.abc import Iterable
from typing import NamedTuple

FORMAT = "format_or_schema_violation"
LATENCY = "timeout_or_latency_exceeded"
MISUSE = "tool_or_retrieval_misuse"
UNFAITHFUL = "unfaithful_to_context"
MISSING = "missing_required_content"
INCORRECT = "incorrect_answer"
OTHER = "other"

_OF_TYPES: dict[str, tuple[str, ...]] = {
    FORMAT: ("is_json", "valid_json"),
    LATENCY: ("max_latency", "latency"),
    MISUSE: (
        *("tool_trajectory", "max_tool_calls", "approval_required", "policy_violation_absent"),
        *("memory_write_absent", "duplicate_ticket_guard", "retrieval_judge", "recall_at_k"),
        *("precision_at_k", "mrr_at_k", "ndcg_at_k", "sufficiency_hit", "sufficiency_rate"),
        "misleading_rate",
    ),
    UNFAITHFUL: ("grounding_judge",),
    MISSING: ("contains", "contains_substring"),
    INCORRECT: (
        *("exact_match", "equals", "starts_with", "ends_with", "regex", "numeric"),
        *("field_accuracy", "token_f1", "rouge_l", "chrf", "edit_distance", "multiple_choice"),
        *("criteria_judge", "rubric_judge", "reference_judge", "scale_judge", "relevance_judge"),
    ),
}
"""In the order in which one explains the next: an answer out of form lacks the rest for that."""

_OF_TYPE = {kind: word for word, kinds in _OF_TYPES.items() for kind in kinds}


class Missed(NamedTuple):
    """A deciding rule that an answer failed; `unreadable`: its form could not be read."""

    rule: str
    type: str
    unreadable: bool = False


class Proposal(NamedTuple):
    primary: str
    secondary: tuple[str, ...]
    why: str


def proposed(status: str, cause: str, missed: Iterable[Missed]) -> Proposal | None:
    """By what kept an answer away, else by the types of the rules it failed; None if by none."""
    if status != "completed":
        return Proposal(taxonomy_label(status, cause), (), f"It ended with {cause or status}.")
    words: dict[str, list[str]] = {}
    for each in missed:
        word = FORMAT if each.unreadable else _OF_TYPE.get(each.type, OTHER)
        words.setdefault(word, []).append(each.rule)
    found = [word for word in (*_OF_TYPES, OTHER) if word in words]
    if not found:
        return None
    rules = [rule for word in found for rule in words[word]]
    return Proposal(found[0], tuple(found[1:]), f"It failed {', '.join(rules[:5])}.")


def taxonomy_label(status: str, cause: str) -> str:
    """The primary failure label of the evaluation specification for what kept a result away."""
    if status == "timeout":
        return LATENCY
    return FORMAT if cause == "invalid_response" else OTHER
