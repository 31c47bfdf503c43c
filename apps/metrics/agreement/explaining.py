"""Why alpha and AC1 say different things of the same labels."""

from apps.metrics.labels import Agreement
from apps.metrics.words import in_decimals, in_percent

APART = 0.1
"""Coefficients less far apart than this say the same."""


def why_they_differ(agreement: Agreement) -> str:
    """One sentence for people; '' where the two are close, or where one is not known."""
    alpha, ac1, percent = (
        each.point for each in (agreement.alpha, agreement.ac1, agreement.percent)
    )
    if alpha is None or ac1 is None or percent is None or abs(ac1 - alpha) < APART:
        return ""
    common = max(agreement.marginals, key=lambda marginal: marginal.count)
    share = common.count / agreement.labels
    if agreement.level != "nominal":
        return _by_distance(agreement, alpha, ac1)
    if ac1 < alpha:  # of many labels AC1 expects the less agreement by chance, whatever they are
        return (
            f"Of only {agreement.labels} labels alpha expects less agreement by chance "
            f"({in_decimals(alpha)}) than AC1, which takes them for many ({in_decimals(ac1)})."
        )
    chance = sum((each.count / agreement.labels) ** 2 for each in agreement.marginals)
    return (
        f"{in_percent(share)} of the labels are “{common.label}”, so alpha expects "
        f"{in_percent(chance)} agreement by chance alone and counts only what goes beyond it "
        f"({in_decimals(alpha)}); AC1 expects less where labels are skewed ({in_decimals(ac1)}). "
        f"People agree on {in_percent(percent)} of the pairs: alpha asks whether they tell "
        "the rare labels apart, AC1 how often they agree."
    )


def _by_distance(agreement: Agreement, alpha: float, ac1: float) -> str:
    return (
        f"Alpha is {agreement.level} here and counts a near miss as nearly agreed "
        f"({in_decimals(alpha)}); AC1 counts each different label as a disagreement, "
        f"and expects less agreement by chance where labels are skewed ({in_decimals(ac1)})."
    )
