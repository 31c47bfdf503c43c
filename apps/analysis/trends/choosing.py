"""Which runs belong on a trend or a board: ended ones over all records, nothing counted twice."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, Q

from apps.accounts.models import User, Workspace
from apps.datasets.models import Dataset, DatasetVersion
from apps.grading.models import ContractVersion
from apps.runs.models import Run, RunQuerySet, RunState, RunTarget
from apps.runs.queries import runs
from apps.runs.queries.listing import target_of

ENDED = (RunState.COMPLETED, RunState.COMPLETED_WITH_FAILURES)
MOST = 12
"""Runs on a board: every two are tested."""
FEWEST = 2
A_PICTURE = 60
"""Runs on a trend."""
LOOKED_AT = 300
"""Runs among which some that only their plans tell apart are looked for, the newest first."""
OFFERED = 300
NO_CONTRACT = "none"
"""In an address: runs that only the rules of the data judged."""
RULES_OF_THE_DATA = "Rules of the data alone"

Choice = tuple[str, str]


class Match(NamedTuple):
    """A dataset version and a contract, the ground of one board: how many runs they have, and
    how many target versions ran."""

    version: str
    contract: str
    runs: int
    targets: int

    def on_board(self, *, every: bool) -> int:
        return self.runs if every else self.targets


class Counted(NamedTuple):
    """How many runs a dataset has; `alike` asked one target over the same data, by one contract."""

    dataset: str
    runs: int
    alike: int
    last: datetime


class Contenders(NamedTuple):
    """The runs of a board, the newest first; `left_out` counts those beyond the most.

    `version` and `contract` say which board it is, `matches` all that there are, `names` the
    contracts of these.
    """

    runs: Sequence[Run]
    version: str
    contract: str
    left_out: int
    matches: Sequence[Match]
    names: Mapping[str, str]

    @property
    def contracts(self) -> list[Choice]:
        """Of the version."""
        there = [match.contract for match in self.matches if match.version == self.version]
        return [(key, self.names[key]) for key in there]


def comparable(user: User, workspace: Workspace) -> RunQuerySet:
    """Those that this person sees, the one that ended last first.

    Without pilots, which asked other records than the rest; without those that were cancelled or
    failed, and without those that a retry or a resume replaced: its answers are in both.
    """
    replacing = Run.objects.filter(
        parent=OuterRef("pk"), kind__in=(Run.Kind.RETRY, Run.Kind.RESUME), state__in=ENDED
    )
    ended = runs(user, workspace).active().filter(state__in=ENDED, plan__settings__pilot=None)
    return ended.exclude(Exists(replacing)).order_by("-completed_at", "-pk")


def datasets_with_runs(user: User, workspace: Workspace) -> list[Choice]:
    """Key and name, by name; one query."""
    rows = comparable(user, workspace).order_by().values("dataset_version__dataset")
    found = Dataset.objects.visible_to(user).filter(workspace=workspace, pk__in=rows)
    return list(found.order_by("name").values_list("pk", "name")[:OFFERED])


def counted_by_dataset(runs: RunQuerySet) -> list[Counted]:
    """Those with most runs that are alike first, up to a picture full; of as many what ran last."""
    asked = runs.order_by().filter(targets__role=RunTarget.Role.TARGET)
    alike = ("dataset_version", "contract_version", "targets__target_version__target")
    rows = asked.values_list("dataset_version__dataset", *alike)
    counted = rows.annotate(n=Count("pk"), last=Max("completed_at"))
    found: dict[str, Counted] = {}
    for key, *_, n, last in counted:
        before = found.get(key, Counted(key, 0, 0, last))
        found[key] = Counted(key, before.runs + n, max(before.alike, n), max(before.last, last))
    newest = sorted(found.values(), key=lambda each: (each.last, each.dataset), reverse=True)
    return sorted(newest, key=lambda each: -min(each.alike, A_PICTURE))


def versions_with_runs(user: User, workspace: Workspace) -> list[Choice]:
    """Key and name, the newest first; one query."""
    rows = comparable(user, workspace).order_by().values("dataset_version")
    visible = DatasetVersion.objects.visible_to(user).filter(dataset__workspace=workspace)
    found = visible.filter(pk__in=rows).select_related("dataset").order_by("-pk")
    return [(version.pk, str(version)) for version in found[:OFFERED]]


def matches(user: User, workspace: Workspace, *, every: bool) -> list[Match]:
    """Those with most on their board first, and of as many the one that ran last; one query."""
    asked = Q(targets__role=RunTarget.Role.TARGET)
    rows = comparable(user, workspace).order_by().values_list("dataset_version", "contract_version")
    counted = rows.annotate(
        n=Count("pk", distinct=True),
        versions=Count("targets__target_version", distinct=True, filter=asked),
        last=Max("completed_at"),
    )
    newest = counted.order_by("-last", "-dataset_version")
    found = [Match(row[0], row[1] or NO_CONTRACT, *row[2:4]) for row in newest]
    return sorted(found, key=lambda match: -min(match.on_board(every=every), MOST))


def contenders(
    user: User, workspace: Workspace, version: str, *, contract: str, every: bool
) -> Contenders:
    """The runs of a version and a contract: without a wish, of the match that has most of them.

    The newest run of each target version, or `every` one. Three queries.
    """
    matched = matches(user, workspace, every=every)
    there = [match for match in matched if match.version == version] or matched
    if not there:
        return Contenders([], "", "", 0, [], {})
    chosen = next((match for match in there if match.contract == contract), there[0])
    alike = list(_of_match(user, workspace, chosen)[:LOOKED_AT])
    kept = alike if every else list(_newest_each(alike))
    return Contenders(
        runs=kept[:MOST],
        version=chosen.version,
        contract=chosen.contract,
        left_out=max(0, len(kept) - MOST),
        matches=matched,
        names=contract_names(user, {match.contract for match in matched}),
    )


def judged_by(found: RunQuerySet, contract: str) -> RunQuerySet:
    return found.filter(contract_version=None if contract == NO_CONTRACT else contract)


def _of_match(user: User, workspace: Workspace, match: Match) -> RunQuerySet:
    found = comparable(user, workspace).filter(dataset_version=match.version)
    return judged_by(found, match.contract)


def _newest_each(found: Iterable[Run]) -> Iterable[Run]:
    """By the target version, which the plan froze."""
    newest: dict[str, Run] = {}
    for run in found:
        newest.setdefault(target_of(run).version, run)
    return newest.values()


def contract_names(user: User, contracts: Collection[str]) -> dict[str, str]:
    versions = ContractVersion.objects.visible_to(user).select_related("contract")
    known = versions.in_bulk(list(contracts))
    return {key: str(known.get(key, RULES_OF_THE_DATA)) for key in contracts}
