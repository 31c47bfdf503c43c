"""What a failure may be put down to: the words that verifiers, rules and people share."""

ATTRIBUTIONS = (
    "prompt_routing",
    "policy_gate",
    "tool_adapter",
    "verifier_gap",
    "external_system",
    "uncontrollable_environment",
)


def in_words(attribution: str) -> str:
    """As people read it: `verifier gap`."""
    return attribution.replace("_", " ")
