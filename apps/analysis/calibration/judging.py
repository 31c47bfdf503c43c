"""Who judged in runs: the judges that a rule asked, not those that one might have asked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, Q, prefetch_related_objects

from apps.grading.spec import ContractSpec
from apps.runs.beginning.judging import DEFAULT
from apps.runs.contracts import Plan, TargetPlan
from apps.runs.models import Run, Score
from apps.runs.recorded.imported import NO_VERDICT

Specs = Mapping[str, ContractSpec]
"""By the version of the contract."""


@dataclass(frozen=True, order=True)
class Judge:
    """The version of a target, with the name that the frozen plan has for it: scripted-judge v1."""

    version: str
    name: str = field(compare=False)

    def __str__(self) -> str:
        return self.name


Judges = tuple[Judge, ...]
"""Sorted, so that the same judges are equal."""


def who_judged(runs: Sequence[Run]) -> dict[str, Judges]:
    """By the run's id; two queries however many runs, none where nobody chose a judge."""
    seated = [run for run in runs if _seated(run)]
    specs = specs_of(seated)
    by_data = judged_by_data(seated, specs)
    return {run.pk: _judges(run, _names(run, specs), by_data=run.pk in by_data) for run in runs}


def named(judges: Judges) -> str:
    """In words, by name; empty without any."""
    return ", ".join(sorted({judge.name for judge in judges}))


def specs_of(runs: Sequence[Run]) -> Specs:
    """Read once for all runs with the same contract."""
    prefetch_related_objects(list(runs), "contract_version")
    versions = {run.contract_version_id: run.contract_version for run in runs}
    return {key: version.parsed for key, version in versions.items() if key and version}


def judged_by_data(runs: Iterable[Run], specs: Specs) -> set[str]:
    """The ended runs that a judge judged by rules which came with the data: by their scores.

    Such rules ask the judge that was chosen for the run.
    """
    asked = [run.pk for run in runs if _data_may_ask(run, _names(run, specs))]
    if not asked:
        return set()
    of_contract = Q(source="contract", run__contract_version__in=_asking(specs))
    scores = Score.objects.filter(run=OuterRef("pk"), method="judge").exclude(verdict=NO_VERDICT)
    found = Run.objects.filter(Exists(scores.exclude(of_contract)), pk__in=asked)
    return set(found.values_list("pk", flat=True))


def _asking(specs: Specs) -> list[str]:
    return [key for key, spec in specs.items() if spec.judge_rules]


def _names(run: Run, specs: Specs) -> set[str]:
    """What the rules of the contract call their judges."""
    spec = specs.get(run.contract_version_id or "")
    return {name for rule in (spec.judge_rules if spec else ()) for name in rule.judge_names}


def _data_may_ask(run: Run, names: set[str]) -> bool:
    """A judge was chosen for the run that no rule of the contract asks."""
    is_chosen = DEFAULT not in names and any(each.name not in names for each in _seated(run))
    data_rules = bool(run.plan["settings"].get("data_rules"))
    return run.completed_at is not None and is_chosen and data_rules


def _judges(run: Run, names: set[str], *, by_data: bool) -> Judges:
    """The one that was chosen for the run goes in its plan by its own name."""
    asks_chosen = by_data or DEFAULT in names
    asked = [each for each in _seated(run) if asks_chosen or each.name in names]
    return tuple(sorted({Judge(each.version, f"{each.name} v{each.number}") for each in asked}))


def _seated(run: Run) -> list[TargetPlan]:
    targets = Plan.model_validate(run.plan).targets
    return [each for each in targets if each.role == "judge"]
