"""Findings where there is nothing to judge by, or too little."""

from apps.metrics.contracts import Interval
from apps.metrics.gated import Finding

from .words import capital


def not_measured(interval: Interval, name: str) -> Finding:
    """No estimate, or none of the bounds that the check goes by."""
    why = interval.reason or "its interval is not known"
    return Finding(
        answer="inconclusive",
        code="not_measured",
        reason=f"{capital(name)} was not measured: {why}.",
        evidence=f"A run that measures {name}.",
    )


def too_few(told: str, n: int, minimum: int, noun: str) -> Finding:
    """`told` is what was seen, without its full stop; the minimum is the policy's."""
    return Finding(
        answer="inconclusive",
        code="insufficient_samples",
        reason=f"{capital(told)}: too few {noun} to judge by, {n:,} where the policy asks for "
        f"{minimum:,}.",
        evidence=f"It takes {minimum:,} {noun}; here are {n:,}.",
    )
