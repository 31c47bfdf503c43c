"""What a policy's form offers: metrics, rules, slices and runs that are there."""

from collections.abc import Iterable

from apps.accounts.models import User, Workspace
from apps.analysis.gates.policies.spec import (
    AMOUNTS,
    FAILURE_RATE,
    RATES,
    rule_of,
)
from apps.analysis.gates.telling.wording import name_of, unit_of
from apps.datasets.models import Dataset, Facet
from apps.metrics.gating.words import capital
from apps.runs.models import Run, RunQuerySet, Summary
from apps.runs.queries.figures import family_label

MOST = 60
RUNS = 200
_LOOKED_AT = 50
"""Runs whose rules are offered, the newest."""
_UNITS = {"percent": "%", "score": "0 to 1", "ms": "ms", "usd": "$", "count": "number"}

Choice = tuple[str, str]
Grouped = tuple[str, list[Choice]]


def metric_choices(rules: Iterable[str], trials: int, kept: Iterable[str]) -> list[Grouped]:
    """Under headings; what a policy has already stays on offer."""
    whole = [*RATES, FAILURE_RATE, "latency_mean", *AMOUNTS]
    of_rules = [f"rule:{rule}:{number}" for rule in rules for number in ("pass_rate", "mean")]
    over_trials = [f"pass^{k}" for k in range(1, trials + 1)] if trials > 1 else []
    known = {*whole, *of_rules, *over_trials}
    groups = {
        "Of the whole run": whole,
        "Of a rule": of_rules,
        "Over trials": over_trials,
        "Others": [each for each in dict.fromkeys(kept) if each not in known],
    }
    return [(title, [*map(_choice, names)]) for title, names in groups.items() if names]


def rules_of(user: User, workspace: Workspace, dataset: Dataset | None) -> list[str]:
    """What judged in the newest runs that the person may see, imported scores too."""
    runs = _runs(user, workspace, dataset)[:_LOOKED_AT]
    rows = Summary.objects.filter(run__in=[run.pk for run in runs], family="")
    names = rows.filter(metric__startswith="rule:").values_list("metric", flat=True)
    return sorted(filter(None, {rule_of(metric) for metric in names.distinct()}))[:MOST]


def trials_of(user: User, workspace: Workspace, dataset: Dataset | None) -> int:
    """The most trials that one of the newest runs has."""
    runs = _runs(user, workspace, dataset)[:_LOOKED_AT]
    return max((run.trials for run in runs), default=1)


def families_of(workspace: Workspace, dataset: Dataset | None, kept: Iterable[str]) -> list[Choice]:
    rows = Facet.objects.filter(version__dataset__workspace=workspace)
    if dataset is not None:
        rows = rows.filter(version__dataset=dataset)
    found = rows.order_by("family").values_list("family", flat=True).distinct()[:MOST]
    return [(name, family_label(name)) for name in dict.fromkeys([*found, *kept])]


def ended_runs(user: User, workspace: Workspace, dataset: Dataset | None) -> list[Run]:
    """What a gate can look at, the newest first."""
    return list(_runs(user, workspace, dataset)[:RUNS])


def run_choices(runs: Iterable[Run]) -> list[Choice]:
    return [(run.pk, _told(run)) for run in runs]


def _runs(user: User, workspace: Workspace, dataset: Dataset | None) -> RunQuerySet:
    seen = Run.objects.visible_to(user).filter(workspace=workspace, archived_at=None)
    ended = seen.exclude(completed_at=None)
    if dataset is not None:
        ended = ended.filter(dataset_version__dataset=dataset)
    return ended.select_related("dataset_version__dataset").order_by("-pk")


def _told(run: Run) -> str:
    return f"{run.title[:60]} · {run.dataset_version} · {run.created_at:%-d %b %Y %H:%M} · {run.pk}"


def _choice(metric: str) -> Choice:
    return metric, f"{capital(name_of(metric).removeprefix('the '))} ({_UNITS[unit_of(metric)]})"
