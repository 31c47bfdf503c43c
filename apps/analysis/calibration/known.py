"""What people's labels make of the numbers that judges gave to a run."""

from collections.abc import Iterable, Mapping, Sequence

from apps.contract import Contract
from apps.metrics.contracts import Interval
from apps.runs.later.calibrated import VERDICT, Held
from apps.runs.models import Run

from .grounds import Ground, grounds_of, may_be_given
from .resting import Asked, asked_of
from .telling import told_of

_MEAN = (
    "This is a mean of scores, not a pass rate: people say whether an answer passes, so only "
    "pass rates are corrected."
)
_DERIVED = (
    "This is made of several verdicts: people say whether one answer passes, so only the pass "
    "rate itself is corrected."
)


class Corrected(Contract):
    """What people's labels make of a number that a judge gave.

    Without an `interval` correction does not apply, and `why` says why; with one, how it was done.
    `labels`: answers that people and judge both decided, of this run or of another one that the
    same judge judged; 0 where nobody has looked. `address` leads to what is known of the judge, ''
    where there is nothing.
    """

    interval: Interval | None
    why: str
    labels: int
    address: str


def corrected_of(run: Run, metric: str) -> Corrected | None:
    """None where the metric (a name of the run's summary) rests on no judge.

    Judges are those of the contract's rules, and who gave imported scores that were not counted
    by code or taken from a reference.
    """
    return corrected_of_many([run], metric)[run.pk]


def corrected_of_many(runs: Sequence[Run], metric: str) -> dict[str, Corrected | None]:
    """By the run's id; as many queries for a hundred runs as for one."""
    asked = asked_of(metric)
    if asked is None:
        return {run.pk: None for run in runs}
    return _corrected_each(grounds_of(runs, only=asked.of), asked)


def corrected_of_metrics(
    runs: Sequence[Run], metrics: Iterable[str]
) -> dict[str, dict[str, Corrected | None]]:
    """By metric, then by the run's id; metrics that can rest on no judge are left out.

    As many queries for many metrics as for one, unless scores came along with the answers: these
    are looked for by name.
    """
    asked = {metric: found for metric in metrics if (found := asked_of(metric))}
    grounds = _grounds_by_name(runs, {each.of for each in asked.values()})
    return {metric: _corrected_each(grounds[each.of], each) for metric, each in asked.items()}


def _grounds_by_name(runs: Sequence[Run], names: set[str]) -> dict[str, dict[str, Ground]]:
    if any(may_be_given(run) for run in runs):
        return {name: grounds_of(runs, only=name) for name in sorted(names)}
    return dict.fromkeys(names, grounds_of(runs))


def held_of(runs: Sequence[Run], only: str | None = None) -> dict[str, dict[str, Held]]:
    """By the run's id, then by the name of each rule and imported score that rests on a judge;
    `VERDICT` is the contract's. `only` one of these names is looked for."""
    grounds = grounds_of(runs, only=only)
    return {
        key: {name: told_of(ground, name) for name in ground.names if only in (None, name)}
        for key, ground in grounds.items()
    }


def held_against_people(run: Run) -> Mapping[str, Held]:
    return held_of([run])[run.pk]


def _corrected_each(grounds: Mapping[str, Ground], asked: Asked) -> dict[str, Corrected | None]:
    return {run: _corrected(ground, asked) for run, ground in grounds.items()}


def _corrected(ground: Ground, asked: Asked) -> Corrected | None:
    weighed = asked == Asked("mean", VERDICT)
    rests = ground.resting.weighs if weighed else asked.of in ground.judged
    if not rests:
        return None
    held = told_of(ground, asked.of)
    whys = {"mean": _MEAN, "derived": _DERIVED}
    if asked.kind in whys:
        return Corrected(
            interval=None, why=whys[asked.kind], labels=held.labels, address=held.address
        )
    return Corrected(
        interval=held.corrected, why=held.why, labels=held.labels, address=held.address
    )
