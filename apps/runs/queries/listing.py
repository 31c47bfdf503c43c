"""Runs of a workspace: all of them by filter, one to show, and what a line of the table says."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef

from apps.accounts.models import User, Workspace
from apps.contract import Contract
from apps.metrics.contracts import Interval
from apps.runs.contracts import TargetPlan
from apps.runs.later.calibrated import Held, verdicts_held
from apps.runs.models import Result, ResultStatus, Run, RunQuerySet, RunTarget, Summary
from apps.targets.models import Target

from .figures import NOT_YET, interval_of, missing

UNDER_WAY = "open"
SORTS = {"time": "pk", "-time": "-pk"}
"""A run's key is a ULID: its order is the order of time."""
_LISTED = ("pass_rate", "latency_p95", "cost_sum", "evaluated", "failed")


class RunFilter(Contract):
    """Empty means any; `state` is a state or `open`."""

    state: str = ""
    dataset: str = ""
    target: str = ""
    mine: bool = False
    archived: bool = False

    @property
    def narrows(self) -> bool:
        return self != RunFilter()


@dataclass(frozen=True)
class RunRow:
    """A line of the runs table; `done` of `run.planned` tries have an answer or failed.

    `held` is what people's labels make of its pass rate; None where no judge has a part in it.
    """

    run: Run
    target: TargetPlan
    done: int
    metrics: Mapping[str, Interval]
    held: Held | None = None

    @property
    def state(self) -> str:
        return "cancelling" if self.run.is_open and self.run.cancel_requested_at else self.run.state

    @property
    def share(self) -> float:
        return 100 * self.done / self.run.planned if self.run.planned else 100.0

    @property
    def scripted(self) -> bool:
        return self.target.kind == "scripted"

    @property
    def about(self) -> str:
        """What it asked whom and by which contract; a run without a name is called by its data."""
        run = self.run
        parts = (run.name and run.dataset_version, self.target.name, run.contract_version)
        return " · ".join(str(part) for part in parts if part)

    def of(self, metric: str) -> Interval:
        return self.metrics.get(metric) or missing(NOT_YET)

    @property
    def pass_rate(self) -> Interval:
        return self.of("pass_rate")

    @property
    def latency_p95(self) -> Interval:
        return self.of("latency_p95")

    @property
    def cost(self) -> Interval:
        return self.of("cost_sum")


def runs(user: User, workspace: Workspace) -> RunQuerySet:
    """With all that a line needs of other tables; keys are ULIDs, so their order is time's."""
    visible = Run.objects.visible_to(user).filter(workspace=workspace)
    return visible.select_related(
        "dataset_version__dataset", "contract_version__contract", "created_by"
    )


def concealed(user: User, workspace: Workspace) -> int:
    """How many runs the list leaves out while this person labels blind."""
    return Run.objects.concealed_from(user).filter(workspace=workspace).active().count()


def filtered(queryset: RunQuerySet, wanted: RunFilter, user: User) -> RunQuerySet:
    found = queryset.exclude(archived_at=None) if wanted.archived else queryset.active()
    if wanted.state == UNDER_WAY:
        found = found.open()
    elif wanted.state:
        found = found.filter(state=wanted.state)
    if wanted.dataset:
        found = found.filter(dataset_version__dataset=wanted.dataset)
    if wanted.target:
        found = found.filter(_asks(wanted.target))
    return found.filter(created_by=user) if wanted.mine else found


def run_to_show(user: User, workspace: Workspace) -> RunQuerySet:
    """What the pages of one run need beside the row itself, in one query."""
    return runs(user, workspace).select_related("parent", "bundle", "workspace", "answers")


def rows_of(found: Iterable[Run]) -> list[RunRow]:
    """The lines of some runs, in their order; as many queries however many they are."""
    listed = list(found)
    metrics = _metrics_of(listed)
    live = _answered(run.pk for run in listed if run.is_open)
    held = verdicts_held(listed)
    return [
        _row(run, metrics.get(run.pk, {}), live.get(run.pk, 0), held.get(run.pk)) for run in listed
    ]


def targets_that_ran(user: User, workspace: Workspace) -> list[tuple[str, str]]:
    """Key and name of every target that a run of the workspace asked; one query."""
    asked = RunTarget.objects.filter(
        target_version__target=OuterRef("pk"), role=RunTarget.Role.TARGET
    )
    targets = Target.objects.visible_to(user).filter(Exists(asked), workspace=workspace)
    return list(targets.order_by("name").values_list("pk", "name"))


def target_of(run: Run) -> TargetPlan:
    """Who answers in this run, from its frozen plan."""
    party = next(party for party in run.plan["targets"] if party["role"] == "target")
    return TargetPlan.model_validate(party)


def _asks(target: str) -> Exists:
    parties = RunTarget.objects.filter(
        run=OuterRef("pk"), role=RunTarget.Role.TARGET, target_version__target=target
    )
    return Exists(parties)


def _metrics_of(listed: list[Run]) -> dict[str, dict[str, Interval]]:
    keys = [run.pk for run in listed]
    found: dict[str, dict[str, Interval]] = {}
    for row in Summary.objects.filter(run__in=keys, family="", value="", metric__in=_LISTED):
        found.setdefault(row.run_id, {})[row.metric] = interval_of(row)
    return found


def _answered(keys: Iterable[str]) -> dict[str, int]:
    results = Result.objects.filter(run__in=list(keys)).exclude(status=ResultStatus.CANCELLED)
    return dict(results.values("run").annotate(n=Count("pk")).values_list("run", "n"))


def _row(run: Run, metrics: dict[str, Interval], live: int, held: Held | None) -> RunRow:
    counted = sum(
        int(metrics[name].point or 0) for name in ("evaluated", "failed") if name in metrics
    )
    return RunRow(run, target_of(run), live if run.is_open else counted, metrics, held)
