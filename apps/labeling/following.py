"""Waiting for a campaign: workers bring it to Argilla where some are up, else this process does."""

import time
from collections.abc import Callable

from apps.jobs import services as jobs
from apps.runs.following import LOOK_SECONDS, Pacer, workers_are_up

from .models import Campaign
from .progress import StepProgress, steps_under_way

Tell = Callable[[StepProgress], None]


def wait_for(campaign: Campaign, tell: Tell) -> None:
    """Return when everything is in Argilla, or when it failed; `tell` hears what it waits for."""
    while not _ended(campaign, tell):
        if workers_are_up():
            time.sleep(LOOK_SECONDS)
        else:
            jobs.work_here(Pacer(lambda: _ended(campaign, tell)))


def _ended(campaign: Campaign, tell: Tell) -> bool:
    campaign.refresh_from_db()
    steps = [step for step in steps_under_way(campaign) if step.is_open]
    for step in steps:
        tell(step)
    return campaign.state != Campaign.State.PREPARING and not steps
