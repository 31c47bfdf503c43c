"""What leads say about judges and questions."""

from typing import Any, Unpack

from django.db import transaction

from apps.accounts.models import User
from apps.accounts.services import record as audit
from apps.accounts.services.audit import Door
from apps.analysis.models import Calibration

from .alone import verdict_made_by
from .computing import ask_again


def declare(
    calibration: Calibration, said: dict[str, Any], *, by: User, **door: Unpack[Door]
) -> None:
    """Keep what somebody says of the two, and have their numbers computed again.

    `said`: matched, yes_fails, passes_from and threshold. Of a rule that alone makes the verdict of
    its contract it holds for the verdict too, but for the threshold of its scores.
    """
    with transaction.atomic():
        _keep(calibration, said, by, door)
        if verdict := verdict_made_by(calibration):
            _keep(verdict, {k: v for k, v in said.items() if k != "threshold"}, by, door)
        ask_again(calibration.campaign_id)


def _keep(calibration: Calibration, said: dict[str, Any], by: User, door: Door) -> None:
    before = {name: getattr(calibration, name) for name in said}
    changes = {name: [before[name], value] for name, value in said.items() if value != before[name]}
    Calibration.objects.filter(pk=calibration.pk).update(**said, declared_by=by)
    audit(
        workspace=calibration.campaign.workspace,
        actor=by,
        verb="calibration.declared",
        obj=calibration,
        changes=changes,
        **door,
    )
