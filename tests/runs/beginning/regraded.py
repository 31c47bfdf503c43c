"""Runs that are graded again."""

from django.utils import timezone

from apps.grading.models import ContractVersion
from apps.runs.beginning.regrading import Regrade, regrade
from apps.runs.models import Run
from apps.targets.models import Target
from tests.runs.conftest import drain

NEVER = {"type": "contains", "name": "never", "value": "not in any answer"}


def graded(
    parent: Run, contract: ContractVersion | None, judge: Target | None = None, *, end: bool = True
) -> Run:
    child = regrade(Regrade(parent=parent, contract=contract, judge=judge), now=timezone.now())
    return drain(child) if end else child
