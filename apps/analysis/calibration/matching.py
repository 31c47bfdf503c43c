"""Which judges ask what people are asked, by their names. Pure."""

from apps.grading.rules import Rule
from apps.grading.rules.agents.behaviour import MaxToolCalls
from apps.grading.rules.effort import limits, usage

FAMILIES = {
    "retrieval": ("retrieval", "topically_relevant", "retrieval_judge"),
    "grounding": ("grounding", "support_present", "grounding_judge"),
    "relevance": ("relevance", "generation", "response_on_topic", "relevance_judge"),
}
"""The families of the package contracts, by the names of tasks, questions and rule types."""


_MEASURES: tuple[type[Rule], ...] = (*limits.RULES, *usage.RULES, MaxToolCalls)
OF_EFFORT = {str(rule.model_fields["type"].default) for rule in _MEASURES}
"""Rules on what an answer took: no question that people were asked of it is theirs."""


def judges_content(verifier: str) -> bool:
    return verifier.partition("@")[0] not in OF_EFFORT


def same_question(task_type: str, question: str, *, rule: str, verifier: str) -> bool:
    """Whether a rule (or imported family) of this name asks what people were asked."""
    asked = question or task_type
    told = {rule, verifier.partition("@")[0]}
    if asked in told:
        return True
    return any(asked in names and told & set(names) for names in FAMILIES.values())
