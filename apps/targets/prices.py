"""What a call costs."""

from .contracts import Usage

_MILLION = 1_000_000


def cost_of(usage: Usage, price_input: float | None, price_output: float | None) -> float | None:
    """Tokens times prices per million tokens; None where a price or a count is not known."""
    if price_input is None or price_output is None:
        return None
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return (usage.input_tokens * price_input + usage.output_tokens * price_output) / _MILLION
