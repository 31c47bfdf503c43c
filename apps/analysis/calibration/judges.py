"""Who judges by a rule in a run, so that the same judges are known again in another run."""

from collections.abc import Iterable, Mapping

from apps.grading.spec import ContractSpec
from apps.runs.beginning.judging import DEFAULT
from apps.runs.models import Run, RunTarget

Judges = Mapping[tuple[str, str], list[str]]
"""By a rule's name and verifier: the versions of the targets that it asks, in their order."""

Seats = Mapping[str, str]
"""By a judge's name in the contract: the version of its target."""


def judges_of(run: Run) -> Judges:
    """The rules of the contract; those that came with the data name no judge that lasts."""
    spec = run.contract_version.parsed if run.contract_version else None
    return judges_in(spec, seats_of([run.pk])[run.pk]) if spec and spec.judge_rules else {}


def judges_in(spec: ContractSpec, seats: Seats) -> Judges:
    return {
        (rule.name, rule.verifier): [seats[name] for name in rule.judge_names]
        for rule in spec.judge_rules
        if seats.keys() >= set(rule.judge_names)
    }


def seats_of(runs: Iterable[str]) -> dict[str, dict[str, str]]:
    """By the run's id; one query."""
    found: dict[str, dict[str, str]] = {run: {} for run in runs}
    rows = RunTarget.objects.filter(run__in=found, role=RunTarget.Role.JUDGE)
    for seat in rows:
        name = DEFAULT if seat.is_default else seat.name
        found[seat.run_id][name] = seat.target_version_id
    return found
