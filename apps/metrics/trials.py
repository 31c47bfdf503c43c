"""What several trials of each record add to the summary of a run.

`record_pass_rate` and `record_score_mean`: of records, each by what its trials make of it.
`flaky_records`: how many passed some of their judged trials and not all, among those with at
least two. `pass@<k>` and `pass^<k>` for each k up to the number of trials: means over records,
their intervals by the bootstrap of records or of their groups. A trial counts where it passed or
failed the contract, so a record needs k such; in `…:errors_as_fails` a trial that failed with an
error counts as not passed.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from apps.metrics.arrays import Floats
from apps.metrics.cells import Averaged
from apps.metrics.contracts import Metric, counted
from apps.metrics.pass_at_k import pass_at_k, pass_hat_k
from apps.metrics.results import Results
from apps.metrics.scopes import Average, Scope

ERRORS_AS_FAILS = ":errors_as_fails"
_ESTIMATORS = (("pass@", pass_at_k), ("pass^", pass_hat_k))


@dataclass(frozen=True)
class Trials:
    """How many trials each record has, and what those that are known make of it.

    `score` makes one score of several from 0 to 1, `passes` one verdict of several; both say None
    where there is none.
    """

    planned: int
    score: Callable[[Sequence[float]], float | None]
    passes: Callable[[Sequence[bool]], bool | None]


def trial_metrics(run: Scope, trials: Trials) -> Iterator[Metric]:
    results = run.results
    tries, passed = _judged(results)
    verdicts = _verdicts(tries, passed, trials)
    nothing = "no trial passed or failed the contract"
    known = ~np.isnan(verdicts)
    yield from run.rates(
        "record_pass_rate", np.nan_to_num(verdicts), known.astype(np.float64), nothing
    )
    flaky = (passed > 0) & (passed < tries)
    yield from run.metrics("flaky_records", [counted(int(flaky.sum()), int((tries > 1).sum()))])


def trial_averages(run: Scope, trials: Trials) -> Iterator[Average]:
    results = run.results
    scores = np.where(results.evaluated, results.columns["score"], np.nan)
    made = _made_of(results, scores, trials)
    yield Average(
        run, "record_score_mean", Averaged(run.cells, made, "no evaluated result has a score")
    )
    tries, passed = _judged(results)
    failed = results.tally(results.failed)
    for k in range(1, trials.planned + 1):
        for name, estimate in _ESTIMATORS:
            for ending, n in (("", tries), (ERRORS_AS_FAILS, tries + failed)):
                values = estimate(n, passed, k)
                nothing = f"no record has {k} judged trials" + (" or errors" if ending else "")
                yield Average(run, f"{name}{k}{ending}", Averaged(run.cells, values, nothing))


def _judged(results: Results) -> tuple[Floats, Floats]:
    """Per record: trials that passed or failed the contract, and those that passed."""
    judged = results.tally(results.passed | results.failed_contract)
    return judged, results.tally(results.passed)


def _verdicts(tries: Floats, passed: Floats, trials: Trials) -> Floats:
    """1 where the record passes by its judged trials, 0 where it does not, NaN without any."""
    pairs, place = np.unique(np.column_stack([tries, passed]), axis=0, return_inverse=True)
    made = [trials.passes([True] * int(c) + [False] * int(n - c)) for n, c in pairs]
    values = np.array([np.nan if each is None else float(each) for each in made], np.float64)
    return values[place.reshape(-1)]


def _made_of(results: Results, values: Floats, trials: Trials) -> Floats:
    """What the known values of each record's trials make; NaN where there is none."""
    known = ~np.isnan(values)
    record, listed = results.record[known], values[known].tolist()
    starts = np.flatnonzero(np.diff(record, prepend=-1))
    made = np.full(len(results.ordinals), np.nan)
    if not listed:
        return made
    ends = [*starts[1:].tolist(), len(listed)]
    for start, end in zip(starts.tolist(), ends, strict=True):
        one = trials.score(listed[start:end])
        made[record[start]] = np.nan if one is None else one
    return made
