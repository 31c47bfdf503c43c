"""What happens once in a run: preparing, summarising, finalising."""

from collections.abc import Callable
from importlib import import_module

from apps.jobs.leases import Lease

from .advancing import begin_finalising
from .finalising import finalise
from .models import RunState, RunStep
from .preparing import prepare
from .states import move
from .summaries import summarise

BEFORE = (RunState.QUEUED, RunState.VALIDATING)

_WORK: dict[str, Callable[[RunStep, Lease], None]] = {
    RunStep.Name.PREPARE: prepare,
    RunStep.Name.SUMMARISE: summarise,
    RunStep.Name.FINALISE: finalise,
}


def perform(step: RunStep, lease: Lease) -> None:
    _WORK[step.name](step, lease)


def warm_up() -> None:
    """The statistics take a second or two to import."""
    import_module("apps.metrics.summary")


def give_up(step: RunStep, error: str) -> None:
    """A run that cannot be prepared or finalised has failed; a missing summary stops nothing."""
    reason = f"Could not {step.name} the run: {error}"
    if step.name == RunStep.Name.PREPARE:
        begin_finalising(step.run_id, since=BEFORE, reason=reason)
    elif step.name == RunStep.Name.FINALISE:
        move(step.run_id, RunState.FAILED, reason=reason)
