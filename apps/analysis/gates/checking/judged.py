"""What becomes of a check whose metric rests on a judge. Pure."""

from collections.abc import Iterator, Mapping

from apps.analysis.gates.checking.grounds import Grounds, Judged
from apps.analysis.gates.telling.wording import name_of, unit_of
from apps.metrics.contracts import TOO_FEW, Interval
from apps.metrics.gated import Finding
from apps.metrics.gating import rate_difference
from apps.metrics.gating.words import capital, counted, estimate

UNCORRECTED = (
    "people's labels correct the rate of a whole run, not a difference of runs record by record, "
    "a slice or a single verdict."
)
NOT_HELD = ("not_calibrated", "not_measured", "no_baseline")
"""Codes of checks that held no number of a judge."""


def not_calibrated(grounds: Grounds, metric: str, *, both: bool = False) -> Finding | None:
    """Why the metric does not count; None where it does. `both`: the baseline's judge is asked."""
    if not grounds.spec.calibrated_only:
        return None
    sides: list[tuple[str, Mapping[str, Judged]]] = [("", grounds.judged)]
    if both:
        sides.append((" of the baseline", grounds.baseline_judged))
    for whose, judged in sides:
        found = judged.get(metric)
        if found and not found.is_calibrated:
            return _lacks(whose, metric, found)
    return None


def slices_not_calibrated(grounds: Grounds, metric: str) -> Finding | None:
    """No slice of a judged metric has a corrected rate."""
    if not grounds.spec.calibrated_only or not rests_on_judge(grounds, metric):
        return None
    return not_calibrated(grounds, metric, both=True) or _unheld(
        f"{capital(name_of(metric))} rests on a judge, and the policy counts judges only as people "
        f"correct them: {UNCORRECTED}"
    )


def corrected_difference(grounds: Grounds, metric: str) -> Interval | Finding | None:
    """candidate - baseline of the rates as people correct them, where the policy goes by these.

    None where it does not; a finding where a side has none, or the runs asked different records.
    """
    if not grounds.spec.calibrated_only or not rests_on_judge(grounds, metric):
        return None
    if lacks := not_calibrated(grounds, metric, both=True):
        return lacks
    shared = grounds.paired.shared if grounds.paired else None
    if shared and (shared.only_baseline or shared.only_candidate):
        return _unheld(
            f"{capital(name_of(metric))} rests on a judge, and people correct the rates of whole "
            f"runs: these share {counted(shared.shared, 'record')} only, "
            f"{shared.only_baseline:,} more are the baseline's alone and "
            f"{shared.only_candidate:,} this run's."
        )
    before, now = sides_of(grounds, metric)
    return rate_difference(before, now) if before and now else None


def sides_of(grounds: Grounds, metric: str) -> tuple[Interval | None, Interval | None]:
    """What counts of the baseline and of the run where only corrected numbers do."""
    sides = (
        (grounds.baseline_judged, grounds.baseline_figures),
        (grounds.judged, grounds.figures),
    )
    before, now = (
        judged[metric].corrected if metric in judged else figures.get(metric)
        for judged, figures in sides
    )
    return before, now


def rests_on_judge(grounds: Grounds, metric: str) -> bool:
    """In the run, or in its baseline."""
    return metric in grounds.judged or metric in grounds.baseline_judged


def corrected_where_asked(grounds: Grounds, metric: str) -> Interval | None:
    """The corrected number where the policy goes by it; None where the measured one counts."""
    judged = grounds.judged.get(metric)
    return judged.corrected if judged and grounds.spec.calibrated_only else None


def correction(grounds: Grounds, metric: str, finding: Finding) -> str:
    """Which number was held, and why; '' for what rests on no judge."""
    judged = grounds.judged.get(metric)
    if judged is None:
        return ""
    if finding.code in NOT_HELD:
        return judged.why
    held = "corrected" if corrected_where_asked(grounds, metric) else "judge's own"
    return f"The {held} number was held. {judged.why}".strip()


def uncorrected(grounds: Grounds, metric: str, finding: Finding) -> str:
    """Of single verdicts and slices, which labels cannot correct; '' for what rests on no judge."""
    if not rests_on_judge(grounds, metric):
        return ""
    held = "The judge's own verdicts were held: " if finding.code not in NOT_HELD else ""
    told = f"{held}{UNCORRECTED}"
    return told[:1].upper() + told[1:]


def correction_of_both(grounds: Grounds, metric: str, finding: Finding) -> str:
    """Which difference a margin was held against, and both sides as people correct them."""
    if not rests_on_judge(grounds, metric):
        return ""
    sides = " ".join(_sides_told(grounds, metric))
    if finding.code in NOT_HELD:
        return sides
    if grounds.spec.calibrated_only:
        return f"The difference of the corrected rates of both runs was held. {sides}".strip()
    return f"{uncorrected(grounds, metric, finding)} {sides}".strip()


def _sides_told(grounds: Grounds, metric: str) -> Iterator[str]:
    for whose, judged in (("baseline", grounds.baseline_judged), ("run", grounds.judged)):
        found = judged.get(metric)
        if found and found.corrected and found.corrected.point is not None:
            told = estimate(found.corrected, unit_of(metric))
            yield f"Corrected by people the {whose}'s is {told}."
        elif found:
            yield f"The {whose}'s is not corrected. {found.why}".strip()


def _lacks(whose: str, metric: str, judged: Judged) -> Finding:
    name = capital(f"{name_of(metric)}{whose}")
    if judged.labels < TOO_FEW:
        held = f"held against people on {counted(judged.labels, 'answer')} only"
        how = held if judged.labels else "held against nobody"
        return Finding(
            answer="inconclusive",
            code="not_calibrated",
            reason=f"{name} rests on a judge that was {how}, and the policy counts only judges "
            f"that people's labels of {TOO_FEW} answers or more were held against.",
            evidence=f"Label {counted(TOO_FEW - judged.labels, 'more answer')} that it judged, in "
            f"a campaign about {'the baseline' if whose else 'this run'}.",
        )
    why = judged.why or "Correction does not apply."
    return _unheld(
        f"{name} rests on a judge, and the policy counts judges only as people correct them. {why}"
    )


def _unheld(reason: str) -> Finding:
    return Finding(
        answer="inconclusive",
        code="not_calibrated",
        reason=reason,
        evidence="A pass rate that people's labels of a random sample of the run's own answers "
        "correct, or a policy that lets judges count uncorrected.",
    )
