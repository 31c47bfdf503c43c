"""The stored numbers of a campaign, as the page and the API read them."""

from dataclasses import dataclass
from datetime import datetime

from apps.labeling.models import Campaign, CampaignStep, Report

from .contracts import Measured


@dataclass(frozen=True)
class Standing:
    """What is known now: None before the first analysis. `is_computing` says more is on its way."""

    measured: Measured | None
    as_of: datetime | None
    is_computing: bool
    error: str = ""


def standing_of(campaign: Campaign) -> Standing:
    """Two queries."""
    kinds = list(Measured.model_fields)
    rows = {row.kind: row for row in Report.objects.filter(campaign=campaign, kind__in=kinds)}
    complete = len(rows) == len(kinds)
    bodies = {kind: row.body for kind, row in rows.items()}
    step = campaign.steps.filter(name=CampaignStep.Name.ANALYSE).first()
    return Standing(
        measured=Measured.model_validate(bodies) if complete else None,
        as_of=min((row.as_of for row in rows.values()), default=None) if complete else None,
        is_computing=step is not None and step.is_open,
        error=step.error if step else "",
    )
