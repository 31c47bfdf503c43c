"""The whole of the run held against its baseline. Pure."""

from collections.abc import Iterator

from apps.analysis.gates.checking.erring import corrected_with_errors
from apps.analysis.gates.checking.grounds import Grounds
from apps.analysis.gates.checking.judged import (
    corrected_difference,
    correction_of_both,
    rests_on_judge,
    sides_of,
)
from apps.analysis.gates.checking.standing import NO_BASELINE, lacks_baseline
from apps.analysis.gates.contracts import Check, Evidence
from apps.analysis.gates.policies.spec import higher_is_better
from apps.analysis.gates.telling.wording import margin_title, name_of, unit_of
from apps.metrics.compared import Difference
from apps.metrics.contracts import Interval, at_most
from apps.metrics.gated import Finding
from apps.metrics.gating import non_inferiority, nothing_differs, rate_difference, weighed
from apps.metrics.gating.words import amount


def margin_checks(grounds: Grounds) -> Iterator[Check]:
    """One for each metric that may not get worse by more than a margin."""
    for each in grounds.spec.metrics:
        if each.margin is not None:
            yield _margin(grounds, each.metric, each.margin)


def nothing(grounds: Grounds, metric: str) -> Finding:
    """Why there is no difference to hold."""
    if grounds.paired is None:
        return NO_BASELINE
    name, shared = name_of(metric), grounds.paired.shared.shared
    why = "one of the runs does not have it" if shared else "the runs have no record in common"
    return Finding(
        answer="inconclusive",
        code="not_measured",
        reason=f"The runs cannot be compared by {name}: {why}.",
        evidence=f"Two runs over the same records that both measure {name}.",
    )


def _margin(grounds: Grounds, metric: str, margin: float) -> Check:
    found = grounds.paired.of(metric) if grounds.paired else None
    finding = _finding(grounds, metric, margin, found)
    check = Check(
        key=f"{metric}:margin",
        title=margin_title(metric, margin),
        what="difference",
        finding=finding,
        metric=metric,
        limit=margin,
        observed=found.candidate if found else None,
        baseline=found.baseline if found else None,
        difference=found.difference if found else None,
        correction=correction_of_both(grounds, metric, finding),
        evidence=(Evidence(kind="comparison", parameters={"metric": metric}),) if found else (),
    )
    return _with_both_corrected(grounds, check) if rests_on_judge(grounds, metric) else check


def _with_both_corrected(grounds: Grounds, check: Check) -> Check:
    """What people make of both sides, and the difference that was held where they count alone."""
    sides = (grounds.baseline_judged.get(check.metric), grounds.judged.get(check.metric))
    before, now = (each.corrected if each else None for each in sides)
    told = {"raw": check.observed, "corrected": now, "baseline_corrected": before}
    held = corrected_difference(grounds, check.metric)
    if isinstance(held, Interval):
        old, new = sides_of(grounds, check.metric)
        told |= {"difference": held, "baseline": old, "observed": new}
    return check.model_copy(update=told)


def _finding(grounds: Grounds, metric: str, margin: float, found: Difference | None) -> Finding:
    if lacks := lacks_baseline(grounds):
        return lacks
    if found is None:
        return nothing(grounds, metric)
    corrected = corrected_difference(grounds, metric)
    if isinstance(corrected, Finding):
        return corrected
    if corrected is not None:
        return _by_corrected(grounds, metric, margin, corrected)
    finding = _non_inferior(grounds, metric, margin, found)
    if found.errors_as_fails is None:
        return finding
    strict = found.model_copy(update={"difference": found.errors_as_fails})
    other = _non_inferior(grounds, metric, margin, strict)
    return weighed(finding, other, limited=grounds.limits_failures)


def _by_corrected(grounds: Grounds, metric: str, margin: float, difference: Interval) -> Finding:
    finding = _held(grounds, metric, margin, difference)
    strict = _corrected_with_errors(grounds, metric)
    if strict is None:
        return finding
    other = _held(grounds, metric, margin, strict)
    return weighed(finding, other, limited=grounds.limits_failures)


def _corrected_with_errors(grounds: Grounds, metric: str) -> Interval | None:
    """The difference of the corrected rates with errors as fails; None where a side has none."""
    runs = (
        (grounds.baseline, grounds.baseline_figures, grounds.baseline_trials),
        (grounds.run, grounds.figures, grounds.trials),
    )
    sides = []
    for held, (run, figures, trials) in zip(sides_of(grounds, metric), runs, strict=True):
        raw = figures.get(metric)
        if held is None or raw is None or run is None:
            return None
        sides.append(corrected_with_errors(metric, held, raw, run.counts, trials=trials))
    return rate_difference(*sides)


def _non_inferior(grounds: Grounds, metric: str, margin: float, found: Difference) -> Finding:
    if nothing_differs(found) and found.n >= grounds.spec.minimum_n:
        return _same(metric, found.n)
    return _held(grounds, metric, margin, found.difference)


def _held(grounds: Grounds, metric: str, margin: float, difference: Interval) -> Finding:
    return non_inferiority(
        difference,
        margin=margin,
        higher_is_better=higher_is_better(metric),
        minimum=grounds.spec.minimum_n,
        name=name_of(metric),
        unit=unit_of(metric),
    )


def _same(metric: str, n: int) -> Finding:
    bound = amount(at_most(n) or 1.0, "percent")
    return Finding(
        answer="pass",
        code="holds",
        reason=f"None of {n:,} records differs in {name_of(metric)}, so at most about {bound} "
        f"would (3/{n:,}, 95 %).",
    )
