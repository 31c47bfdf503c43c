"""What may never happen."""

from apps.metrics.contracts import at_most
from apps.metrics.gated import Finding

from .missing import too_few
from .words import amount, capital, counted


def critical(
    failed: int,
    judged: int,
    unscored: int = 0,
    *,
    minimum: int = 1,
    name: str,
    noun: str = "answer",
) -> Finding:
    """A blocking rule: none of the `judged` answers may fail, and each must have been judged.

    `unscored` answers are those that the rule should have judged and has no verdict on; they are
    not among `judged`. One failure fails however few there are; without any, fewer than `minimum`
    are too few to say.
    """
    if failed:
        return Finding(
            answer="fail",
            code="critical_violation",
            reason=f"{capital(name)}: {counted(failed, noun)} of {judged:,} failed, and none may.",
        )
    if unscored or not judged:
        return _not_all_judged(judged, unscored, name, noun)
    if judged < minimum:
        told = f"{name}: none of {counted(judged, noun)} failed"
        return too_few(told, judged, minimum, f"{noun}s")
    bound = amount(at_most(judged) or 1.0, "percent")
    return Finding(
        answer="pass",
        code="holds",
        reason=f"{capital(name)}: none of {counted(judged, noun)} failed, so at most about "
        f"{bound} would (3/{judged:,}, 95 %).",
    )


def _not_all_judged(judged: int, unscored: int, name: str, noun: str) -> Finding:
    if not judged:
        reason = f"{capital(name)}: no {noun} was judged."
        return Finding(
            answer="inconclusive",
            code="not_measured",
            reason=reason,
            evidence=f"A run in which {name} judges every {noun}.",
        )
    return Finding(
        answer="inconclusive",
        code="not_measured",
        reason=f"{capital(name)}: none of {counted(judged, noun)} failed, but {unscored:,} more "
        f"{'has' if unscored == 1 else 'have'} no verdict.",
        evidence=f"A verdict on {counted(unscored, noun)}: retry what failed, or regrade the run.",
    )
