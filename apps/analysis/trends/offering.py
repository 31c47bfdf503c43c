"""What may be chosen of trends, and the runs that a choice leaves."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

from django.db.models import Count, Exists, OuterRef, Q

from apps.accounts.models import User, Workspace
from apps.analysis.calibration.judging import Judges, named, who_judged
from apps.analysis.showing import words
from apps.datasets.models import Facet
from apps.runs.models import Run, RunQuerySet, RunTarget, Summary
from apps.runs.queries.figures import family_label

from .choosing import (
    A_PICTURE,
    LOOKED_AT,
    NO_CONTRACT,
    Choice,
    Counted,
    comparable,
    contract_names,
    counted_by_dataset,
    judged_by,
)
from .parts import key_of
from .wanted import TrendWanted

METRICS = ("pass_rate", "score_mean", "failure_rate", "latency_p50", "latency_p95", "cost_mean")
SLICES = 300
FEWEST = 3
"""Runs with a value: two always lie on a line."""
ALWAYS = "pass^"
_RULE = "rule:"
_ENDING = ":pass_rate"


class Found(NamedTuple):
    """The runs of a picture, the newest first, and how many older ones there are.

    `judges`: who judged in each, by its id; also of runs that other judges than those that are
    wanted judged.
    """

    runs: Sequence[Run]
    older: int
    judges: Mapping[str, Judges]

    @property
    def choices(self) -> list[Choice]:
        """The sets of judges, by name."""
        found = {key_of(each): named(each) or "No judge" for each in self.judges.values()}
        return sorted(found.items(), key=itemgetter(1))


@dataclass(frozen=True)
class Offered:
    """What may be chosen for these runs: metrics and slices with what they are called.

    `usual`: the first metric of which enough runs for a trend have a value. `left_out`: why pass^k
    is not offered, or not further.
    """

    metrics: Sequence[Choice]
    slices: Sequence[Choice]
    usual: str
    left_out: str


def counted(user: User, workspace: Workspace, wanted: TrendWanted) -> list[Counted]:
    """Datasets and how many runs each has, without a filter: the fullest trend first; one query."""
    return counted_by_dataset(_of_kinds(user, workspace, wanted))


def grounds(
    user: User, workspace: Workspace, wanted: TrendWanted
) -> tuple[list[Choice], list[Choice]]:
    """The versions and the contracts that the runs of the dataset have, each the newest first (keys
    are ULIDs), the rules of the data alone last; two queries."""
    found = _of_kinds(user, workspace, wanted).filter(dataset_version__dataset=wanted.dataset)
    fields = ("dataset_version", "dataset_version__label", "contract_version")
    rows = set(found.order_by().values_list(*fields))
    versions = sorted({(version, label) for version, label, _ in rows}, reverse=True)
    contracts = sorted({contract or "" for *_, contract in rows}, reverse=True)
    names = contract_names(user, [contract or NO_CONTRACT for contract in contracts])
    return versions, list(names.items())


def found_for(user: User, workspace: Workspace, wanted: TrendWanted) -> Found:
    """The newest runs of the dataset by filter; of certain judges, out of the newest few hundred.

    A few queries.
    """
    found = _of_kinds(user, workspace, wanted).filter(dataset_version__dataset=wanted.dataset)
    if wanted.target:
        found = found.filter(_asks(wanted.target))
    if wanted.version:
        found = found.filter(dataset_version=wanted.version)
    if wanted.contract:
        found = judged_by(found, wanted.contract)
    if wanted.moment:
        found = found.filter(completed_at__gte=wanted.moment)
    if wanted.judges:
        return _of_judges(list(found[:LOOKED_AT]), wanted.judges)
    newest = list(found[:A_PICTURE])
    older = found.count() - A_PICTURE if len(newest) == A_PICTURE else 0
    return Found(newest, older, who_judged(newest))


def offered(found: Sequence[Run]) -> Offered:
    """The rules that judged these runs, and the slices of the newest one's data; two queries."""
    whole = Summary.objects.filter(run__in=found, family="", value="")
    named = whole.filter(
        Q(metric__in=METRICS) | Q(metric__startswith=_RULE, metric__endswith=_ENDING)
    )
    known = dict(named.values_list("metric").annotate(n=Count("point")).order_by("metric"))
    rules = (metric for metric in known if metric.startswith(_RULE))
    most = max((known.get(metric, 0) for metric in METRICS), default=0)
    return Offered(
        metrics=[(each, _spelled(each)) for each in (*METRICS, *_of_trials(found), *rules)],
        slices=list(_slices(found)),
        usual=next(each for each in METRICS if known.get(each, 0) >= min(most, FEWEST)),
        left_out=_left_out(found),
    )


def _of_judges(looked_at: Sequence[Run], wanted: str) -> Found:
    """All of these where none of them has the judges that are wanted."""
    judges = who_judged(looked_at)
    kept = [run for run in looked_at if key_of(judges[run.pk]) == wanted] or looked_at
    return Found(kept[:A_PICTURE], max(0, len(kept) - A_PICTURE), judges)


def _of_kinds(user: User, workspace: Workspace, wanted: TrendWanted) -> RunQuerySet:
    found = comparable(user, workspace)
    return found if wanted.regrades else found.exclude(kind=Run.Kind.REGRADE)


def _asks(target: str) -> Exists:
    asked = RunTarget.objects.filter(run=OuterRef("pk"), role=RunTarget.Role.TARGET)
    return Exists(asked.filter(target_version__target=target))


def _of_trials(found: Sequence[Run]) -> list[str]:
    """pass^k from 2 on, as far as every run has so many trials: pass^1 is the pass rate."""
    fewest = min((run.trials for run in found), default=1)
    return [f"{ALWAYS}{k}" for k in range(2, fewest + 1)]


def _left_out(found: Sequence[Run]) -> str:
    tries = [run.trials for run in found] or [1]
    fewest, most = min(tries), max(tries)
    if fewest == most:
        return ""
    offer = f"is offered up to k = {fewest}" if fewest > 1 else "is not offered"
    fewer = sum(each < most for each in tries)
    return (
        f"pass^k {offer}: it takes k trials of each record in every run, and {fewer:,} of these "
        f"{len(tries):,} runs have fewer than {most}."
    )


def _spelled(metric: str) -> str:
    name = words.name_of(metric)
    if metric.startswith(ALWAYS):
        return f"{name.title}, {name.of}"
    return f"Rule {name.title}" if metric.startswith(_RULE) else name.title


def _slices(found: Sequence[Run]) -> Iterator[Choice]:
    """The largest, by family."""
    if not found:
        return
    facets = Facet.objects.filter(version=found[0].dataset_version_id).order_by("-n")[:SLICES]
    for facet in sorted(facets, key=lambda each: (each.family, -each.n, each.value)):
        yield facet.spelled, f"{family_label(facet.family)}: {facet.value} ({facet.n:,})"
