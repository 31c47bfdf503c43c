"""The question that the people of a campaign agree on least: all that a list tells of agreement."""

from collections.abc import Collection

from apps.contract import Contract
from apps.labeling.models import Report
from apps.metrics.contracts import TOO_FEW, Interval

from .contracts import CampaignAgreement, QuestionAgreement

WORST = "worst"
"""The kind of its report: the whole agreement of fifty campaigns is too much to read for a list."""


ONLY_WORDS = "only free words were asked for"


class Worst(Contract):
    """By alpha over all shared items, or why there is none; `question` is '' where none has any."""

    question: str
    alpha: Interval

    @property
    def too_few(self) -> bool:
        return self.alpha.n < TOO_FEW


def worst_of(agreement: CampaignAgreement) -> Worst:
    shared = [scope for scope in agreement.scopes if scope.scope == "overlap"]
    asked = [question for scope in shared for question in scope.questions]
    found = [each for each in asked if each.agreement.alpha.point is not None] or asked[:1]
    if not found:
        nothing = Interval(point=None, low=None, high=None, n=0, method="none", reason=ONLY_WORDS)
        return Worst(question="", alpha=nothing)
    worst = min(found, key=_alpha)
    return Worst(question=worst.asked.label, alpha=worst.agreement.alpha)


def worst_in(campaigns: Collection[str]) -> dict[str, Worst]:
    """By campaign, of those that were analysed; one query."""
    rows = Report.objects.filter(campaign__in=campaigns, kind=WORST)
    return {key: Worst.model_validate(body) for key, body in rows.values_list("campaign", "body")}


def _alpha(one: QuestionAgreement) -> float:
    return one.agreement.alpha.point or 0.0
