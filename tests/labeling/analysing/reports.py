"""What the analysis of a campaign has stored, and labels to analyse."""

from collections.abc import Sequence
from typing import TypeVar

from apps.contract import Contract
from apps.labeling.analysing.contracts import CampaignAgreement, QuestionAgreement
from apps.labeling.models import Campaign, Question, Report
from tests.labeling.labelled import say

AnyContract = TypeVar("AnyContract", bound=Contract)


def report(campaign: Campaign, contract: type[AnyContract], kind: str) -> AnyContract:
    return contract.model_validate(Report.objects.get(campaign=campaign, kind=kind).body)


def found(campaign: Campaign, scope: int = 0, question: int = 0) -> QuestionAgreement:
    agreement = report(campaign, CampaignAgreement, "agreement")
    return agreement.scopes[scope].questions[question]


def labelled(campaign: Campaign, **said: Sequence[str]) -> Question:
    question = campaign.questions.get()
    for name, labels in said.items():
        say(question, name, labels)
    return question
