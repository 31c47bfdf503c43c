"""What there is to say of the judges of some runs, gathered in a few queries."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_

from django.db.models import Q, prefetch_related_objects

from apps.analysis.models import Calibration
from apps.grading.spec import ContractSpec
from apps.runs.later.calibrated import VERDICT
from apps.runs.models import Run, Summary
from apps.runs.recorded.imported import BY_CODE, judged_labels, label_of

from .judges import Judges, judges_in, seats_of
from .judging import judged_by_data, specs_of
from .resting import OWN_METHODS, Resting, resting_on

Rows = Mapping[str, Sequence[Calibration]]
"""By the names of what was held against people: a rule, the label of imported scores, `VERDICT`."""


@dataclass(frozen=True)
class Ground:
    """A run, what of it rests on judges, and the calibrations that may speak for them.

    `own` are of its answers, `others` of answers of other runs that the same judge judged in the
    same words. `given` are the names of imported scores that were looked for. `clustered`: answers
    come in groups or tries that are alike.
    """

    run: Run
    resting: Resting
    own: Rows = field(default_factory=dict)
    others: Rows = field(default_factory=dict)
    given: frozenset[str] = frozenset()
    clustered: bool = False

    @property
    def judged(self) -> set[str]:
        """What rests on a judge."""
        verdict = {VERDICT} if self.resting.decides else set()
        return verdict | self.resting.rules.keys() | self.given | _named(self.own, but=BY_CODE)

    @property
    def names(self) -> set[str]:
        """With imported scores that rest on no judge and were held against people all the same."""
        return self.judged | _named(self.own, but=("code",))


def grounds_of(runs: Sequence[Run], *, only: str | None = None) -> dict[str, Ground]:
    """By the run's id; `only` one name is asked for. Six queries at most, none where no judge
    was named and nothing imported."""
    specs = specs_of(runs)
    by_data = judged_by_data(runs, specs)
    bare = {
        run.pk: Ground(run, resting_on(_spec(run, specs), judged_by_data=run.pk in by_data))
        for run in runs
    }
    staked = [run for run in runs if _may_be_judged(bare[run.pk], only)]
    if not staked:
        return bare
    prefetch_related_objects(staked, "workspace")
    given = judged_labels(staked, only) if only else {}
    judges = {} if only == VERDICT else _judges(staked, specs)
    rows = list(_rows(staked, judges, only))
    clustered = _clustered(staked) if rows else set()
    return bare | {
        run.pk: Ground(
            run=run,
            resting=bare[run.pk].resting,
            own=_own(run, rows, bare[run.pk].resting),
            others=_others(run, rows, judges.get(run.pk, {})),
            given=frozenset(given.get(run.pk, ())),
            clustered=run.pk in clustered,
        )
        for run in staked
    }


def _spec(run: Run, specs: Mapping[str, ContractSpec]) -> ContractSpec | None:
    return specs.get(run.contract_version_id or "")


def _may_be_judged(ground: Ground, only: str | None) -> bool:
    resting = ground.resting
    if only == VERDICT:
        return resting.decides or resting.weighs
    by_contract = bool(resting.rules) if only is None else only in resting.rules
    by_data = resting.weighs and not resting.rules
    return by_contract or by_data or may_be_given(ground.run)


def may_be_given(run: Run) -> bool:
    """Whether scores may have come along with its answers."""
    return run.kind in (Run.Kind.RECORDED, Run.Kind.REGRADE)


def _judges(runs: Sequence[Run], specs: Mapping[str, ContractSpec]) -> dict[str, Judges]:
    asking = {
        run.pk: spec
        for run in runs
        if (spec := specs.get(run.contract_version_id or "")) and spec.judge_rules
    }
    seats = seats_of(asking) if asking else {}
    return {run: judges_in(spec, seats[run]) for run, spec in asking.items()}


def _rows(
    runs: Sequence[Run], judges: Mapping[str, Judges], only: str | None
) -> Iterable[Calibration]:
    """Those of the runs' own answers, and those of the same judges elsewhere; the newest first."""
    workspaces = {run.workspace_id for run in runs}
    found = Calibration.objects.filter(
        campaign__workspace__in=workspaces, campaign__archived_at=None
    ).exclude(body=None)
    if only == VERDICT:
        found = found.filter(rule="")
    wanted = Q(campaign__run__in=[run.pk for run in runs]) | _same_judges(judges)
    return found.filter(wanted).select_related("campaign", "question").order_by("-as_of", "-pk")


def _same_judges(judges: Mapping[str, Judges]) -> Q:
    """The same versions of the targets, asked in the same words."""
    known = {
        (verifier, tuple(versions))
        for rules in judges.values()
        for (_rule, verifier), versions in rules.items()
    }
    same = (
        Q(matched=True, verifier=verifier, judge_versions=list(versions))
        for verifier, versions in sorted(known)
    )
    return reduce(or_, same, Q(pk=None))


def _clustered(runs: Sequence[Run]) -> set[str]:
    """As the interval of their pass rate says."""
    rows = Summary.objects.filter(run__in=runs, family="", value="", metric="pass_rate")
    return set(rows.filter(method__contains="clustered").values_list("run", flat=True))


def _own(run: Run, rows: Iterable[Calibration], resting: Resting) -> Rows:
    found: dict[str, list[Calibration]] = {}
    for row in rows:
        if row.campaign.run_id == run.pk:
            found.setdefault(_name_of(row, resting), []).append(row)
    return found


def _name_of(row: Calibration, resting: Resting) -> str:
    """Imported scores go by a label of their own, rules and the contract's verdict by their name.

    Imports may say "judge" too; those of a rule of the contract have its verifier.
    """
    if not row.rule or resting.rules.get(row.rule) == row.verifier:
        return row.rule
    given = label_of(row.rule, row.method, row.verifier)
    ours = row.method in OWN_METHODS and not row.verifier.startswith("import:")
    return row.rule if ours else given


def _others(run: Run, rows: Iterable[Calibration], judges: Judges) -> Rows:
    """By the names that this run has for the same judges."""
    found: dict[str, list[Calibration]] = {}
    elsewhere = [row for row in rows if row.matched and row.campaign.run_id != run.pk]
    for (rule, verifier), versions in judges.items():
        same = [r for r in elsewhere if (r.verifier, r.judge_versions) == (verifier, versions)]
        if same:
            found[rule] = same
    return found


def _named(rows: Rows, *, but: Sequence[str]) -> set[str]:
    return {name for name, held in rows.items() if name and held[0].method not in but}
