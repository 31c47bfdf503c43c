"""What happens once in a run: preparing, summarising, finalising."""

from collections.abc import Callable
from importlib import import_module

from apps.jobs.leases import Lease
from apps.runs.advancing import begin_finalising
from apps.runs.ending.finalising import finalise
from apps.runs.ending.summaries import summarise
from apps.runs.models import RunState, RunStep
from apps.runs.states import move

from .preparing import prepare

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
