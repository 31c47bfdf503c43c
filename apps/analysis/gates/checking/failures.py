"""What must not happen: a run without its end, a failure of a blocking rule, more errors. Pure."""

from collections.abc import Iterator
from dataclasses import replace

from apps.analysis.gates.checking.grounds import Grounds, Verdicts
from apps.analysis.gates.checking.judged import not_calibrated, uncorrected
from apps.analysis.gates.checking.limits import MISSED
from apps.analysis.gates.checking.standing import UNFINISHED, lacks_baseline
from apps.analysis.gates.contracts import Check, DecidedRun, Evidence
from apps.analysis.gates.policies.spec import FAILURE_RATE
from apps.metrics.contracts import Interval
from apps.metrics.gated import Finding
from apps.metrics.gating import critical, failure_regression, rate_difference, weighed


def run_check(grounds: Grounds) -> Check:
    """Whether the run asked every record: what was skipped is on no side of a rate.

    A run without one answer is not measured, whatever else the policy asks.
    """
    return Check(
        key="run:complete",
        title="Every record was asked",
        what="run",
        finding=_complete(grounds.run),
        evidence=(Evidence(kind="run"),),
    )


def of_a_part(run: DecidedRun, check: Check) -> Check:
    """What holds of a run that did not ask everything says of how much it holds."""
    if check.answer != "pass" or run.asked == run.whole:
        return check
    told = f"{check.finding.reason} It is of {run.asked:,} of {run.whole:,} {run.counted_in} alone."
    return check.model_copy(update={"finding": check.finding.model_copy(update={"reason": told})})


def blocking_checks(grounds: Grounds) -> Iterator[Check]:
    """One for each rule of which nothing may fail."""
    for rule in grounds.spec.blocking_rules:
        metric = f"rule:{rule}:pass_rate"
        finding = not_calibrated(grounds, metric) or _critical(grounds, rule)
        yield Check(
            key=f"blocking:{rule}",
            title=f"No answer fails rule {rule}",
            what="rule",
            finding=finding,
            metric=metric,
            observed=grounds.figures.get(metric),
            correction=uncorrected(grounds, metric, finding),
            evidence=(Evidence(kind="results", parameters={"rule": f"{rule}:{MISSED}"}),),
        )


def budget_check(grounds: Grounds) -> Iterator[Check]:
    """The rise of the share of results that failed with an error, where there is a budget."""
    budget = grounds.spec.failure_budget
    if budget is None:
        return
    before = grounds.baseline_figures.get(FAILURE_RATE)
    now = grounds.figures.get(FAILURE_RATE)
    both = before is not None and now is not None
    yield Check(
        key="failures:budget",
        title=f"The failure rate rises by no more than {budget * 100:g} points",
        what="failures",
        finding=_regression(grounds, before, now, budget),
        metric=FAILURE_RATE,
        limit=budget,
        observed=now,
        baseline=before,
        difference=rate_difference(before, now) if before and now and both else None,
        evidence=(Evidence(kind="results", parameters={"outcome": "failed"}),),
    )


def _complete(run: DecidedRun) -> Finding:
    skipped, valid, unit = run.counts.skipped, run.counts.valid, run.counted_in
    if not run.counts.evaluated:
        return _unanswered(run)
    if run.left_out:
        return _of_a_pilot(run)
    if not skipped and run.state not in UNFINISHED:
        return Finding(
            answer="pass", code="holds", reason=f"All {valid:,} valid {unit} were asked."
        )
    asked = f"{skipped:,} of {valid:,} valid {unit} were never asked" if skipped else ""
    told = " and ".join(filter(None, (f"the run is {run.state}", asked)))
    return Finding(
        answer="inconclusive",
        code="not_measured",
        reason=f"{told[:1].upper()}{told[1:]}.",
        evidence="A run that asks every record: resume this one, and decide on that.",
    )


def _of_a_pilot(run: DecidedRun) -> Finding:
    """The denominator is what the dataset has: the run left records out by its plan."""
    ended = f", and the run is {run.state}" if run.state in UNFINISHED else ""
    return Finding(
        answer="inconclusive",
        code="not_measured",
        reason=f"{run.asked:,} of {run.whole:,} valid {run.counted_in} were asked{ended}: a pilot "
        "says nothing of the others.",
        evidence=f"A run of the whole dataset, which asks the other {run.whole - run.asked:,} too: "
        "start one, and decide on that.",
    )


def _unanswered(run: DecidedRun) -> Finding:
    counts = run.counts
    return Finding(
        answer="inconclusive",
        code="not_measured",
        reason=f"Not one of {counts.valid:,} valid {run.counted_in} has an answer: "
        f"{counts.failed:,} ended with an error and {counts.skipped:,} were never asked.",
        evidence="A run with answers: see why they failed, retry, and decide on that.",
    )


def _critical(grounds: Grounds, rule: str) -> Finding:
    if rule not in grounds.verdicts and rule not in grounds.contract_rules:
        return _unknown(grounds.run, rule)
    found, errors = grounds.verdicts.get(rule) or Verdicts(), grounds.run.counts.failed
    if found.imported and not found.judged:
        return Finding(
            answer="inconclusive",
            code="not_measured",
            reason=f"The scores of rule {rule} were imported without verdicts: nothing says from "
            "which score on an answer passes.",
            evidence=f"A limit for rule:{rule}:mean in the policy, or a run that judges by {rule}.",
        )
    finding = _held(grounds, rule, found)
    if not errors:
        return finding
    told = f"{finding.reason} {errors:,} more ended with an error."
    with_errors = replace(found, failed=found.failed + errors, judged=found.judged + errors)
    return weighed(
        finding.model_copy(update={"reason": told}),
        _held(grounds, rule, with_errors),
        limited=grounds.limits_failures,
    )


def _unknown(run: DecidedRun, rule: str) -> Finding:
    """Nothing was judged by a name that the run does not have, whatever ended with an error."""
    contract = f", {run.contract}" if run.contract else ""
    return Finding(
        answer="inconclusive",
        code="not_measured",
        reason=f"There is no rule named {rule} in the run's contract{contract}, and its records "
        "brought none.",
        evidence=f"A run whose contract has rule {rule}, or a policy that names a rule it has.",
    )


def _held(grounds: Grounds, rule: str, found: Verdicts) -> Finding:
    return critical(
        found.failed,
        found.judged,
        found.unscored,
        minimum=grounds.spec.minimum_n * grounds.trials,
        name=f"rule {rule}",
    )


def _regression(
    grounds: Grounds, before: Interval | None, now: Interval | None, budget: float
) -> Finding:
    if lacks := lacks_baseline(grounds):
        return lacks
    if before is None or now is None:
        which = "baseline" if before is None else "run"
        return Finding(
            answer="inconclusive",
            code="not_measured",
            reason=f"The {which} has no failure rate.",
            evidence="A run whose results were counted.",
        )
    return failure_regression(
        before,
        now,
        budget=budget,
        minimum=grounds.spec.minimum_n,
        trials=(grounds.baseline_trials, grounds.trials),
    )
