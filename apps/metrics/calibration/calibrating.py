"""All that is said of a judge with labels: confusion, rates, raw and corrected pass rate."""

from typing import NamedTuple

import numpy as np

from apps.metrics import intervals
from apps.metrics.agreement.pairs import kappa_of
from apps.metrics.arrays import Booleans, Floats
from apps.metrics.contracts import TOO_FEW, Interval
from apps.metrics.labels import Calibration, Method, Sample
from apps.metrics.results import Frame
from apps.metrics.words import in_percent

from .ppi import ppi
from .rates import effective_size, rate
from .rogan_gladen import Share, rogan_gladen
from .verdicts import Verdicts, confusion_of, left_out, verdicts_of

DRAWN: tuple[Sample, ...] = ("random", "separate")
FEWEST = TOO_FEW
"""Labels, below which no pass rate is corrected."""
FEWEST_OF_A_CLASS = 10
"""Labels of pass and of fail, below which sensitivity and specificity say too little."""


def calibrate(frame: Frame, *, sample: Sample, seed: int = 0) -> Calibration:
    """The judge against the people, unit by unit; see `verdicts_of` for the columns.

    `sample` says how the labelled units came about. `random`: drawn from the judged ones, with
    the column `probability` where that was not the same for all; the rate is corrected by PPI++.
    `separate`: a set beside those whose rate is corrected, by Rogan-Gladen; all other judged
    units are those. `chosen`: nothing is corrected. `unknown`: only where everything that was
    judged has been put to people.
    """
    verdicts = verdicts_of(frame)
    judge, human = verdicts.judge[verdicts.both] == 1, verdicts.human[verdicts.both] == 1
    weights = verdicts.weights if sample in DRAWN else np.ones(len(judge))
    corrected = _corrected(verdicts, weights, sample)
    return Calibration(
        sample=sample,
        units=len(verdicts.judge),
        judged=int(verdicts.judged.sum()),
        labelled=int(verdicts.labelled.sum()),
        confusion=confusion_of(verdicts),
        left_out=tuple(left_out(verdicts)),
        sensitivity=rate(judge[human], weights[human], nothing=_none("people passed")),
        specificity=rate(~judge[~human], weights[~human], nothing=_none("people failed")),
        precision=rate(human[judge], weights[judge], nothing=_none("the judge passed")),
        accuracy=rate(judge == human, weights, nothing="no unit has both"),
        kappa=kappa_of(judge.astype(np.int64), human.astype(np.int64), seed=seed),
        raw=_raw(verdicts, verdicts.beside if sample == "separate" else verdicts.judged),
        human=rate(human, weights, nothing="no unit has both"),
        corrected=corrected.interval,
        method=corrected.method,
        why=corrected.why,
    )


class _Corrected(NamedTuple):
    interval: Interval
    method: Method
    why: str


def _raw(verdicts: Verdicts, of: Booleans) -> Interval:
    passed = int((verdicts.judge[of] == 1).sum())
    return intervals.rates([passed], [int(of.sum())], nothing="the judge judged no such unit")[0]


def _corrected(verdicts: Verdicts, weights: Floats, sample: Sample) -> _Corrected:
    n = int(verdicts.both.sum())
    if not n:
        return _refused("nobody has labelled what this judge judged: it is uncalibrated")
    if sample == "chosen":
        return _refused(
            f"the labelled units ({n:,}) were chosen because they are interesting, not drawn: they "
            "say nothing of the others, and the rates of error beside are of such units only"
        )
    if sample == "unknown" and not verdicts.complete:
        return _refused(
            "nobody has said how the labelled units were drawn: only where they are a random part "
            "of those that were judged, or a set beside them, do they say something of the others"
        )
    if n < FEWEST:
        return _refused(
            f"{n:,} {'label is' if n == 1 else 'labels are'} too few: it takes {FEWEST}"
        )
    if sample == "separate":
        return _by_rogan_gladen(verdicts, weights)
    return _by_ppi(verdicts, weights)


def _by_ppi(verdicts: Verdicts, weights: Floats) -> _Corrected:
    both, judged = verdicts.both, verdicts.judge[verdicts.judged]
    interval, power = ppi(verdicts.human[both], verdicts.judge[both], weights, judged)
    return _Corrected(interval, "ppi++", _said_of_ppi(verdicts, power))


def _said_of_ppi(verdicts: Verdicts, power: float) -> str:
    judged, labelled = int(verdicts.judged.sum()), int(verdicts.both.sum())
    aside = int((verdicts.judged & verdicts.set_aside).sum())
    if labelled == judged:
        return f"all {judged:,} judged units have been put to people: this is their own rate"
    counted = f"the judge's verdicts on all count with weight {power:.2f}"
    if verdicts.complete:
        return (
            f"all {judged:,} judged units have been put to people, and {labelled:,} have a label "
            f"that counts; {counted}, so that the other {aside:,} {_is(aside)} not left out"
        )
    why = f"people labelled {labelled:,} of {judged:,} judged units drawn at random; {counted}"
    if aside:
        why += f"; {aside:,} without a label that counts {_is(aside)} taken to be like the others"
    return why


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def _by_rogan_gladen(verdicts: Verdicts, weights: Floats) -> _Corrected:
    both = verdicts.both
    judge, human = verdicts.judge[both] == 1, verdicts.human[both] == 1
    passes, fails = int(human.sum()), int((~human).sum())
    if min(passes, fails) < FEWEST_OF_A_CLASS:
        return _refused(
            f"people passed {passes:,} and failed {fails:,} of the labelled units: it takes "
            f"{FEWEST_OF_A_CLASS} of each to know the judge's rates of error"
        )
    target = verdicts.beside
    if not target.any():
        return _refused("the judge judged nothing besides the labelled units")
    sensitivity = _rate_of(judge[human], weights[human])
    specificity = _rate_of(~judge[~human], weights[~human])
    if sensitivity.rate + specificity.rate <= 1:
        return _refused(
            f"sensitivity {in_percent(sensitivity.rate)} and specificity "
            f"{in_percent(specificity.rate)} are together not above 100 %: "
            f"{_of_no_use(judge, human, weights)}"
        )
    raw = Share(float(verdicts.judge[target].mean()), int(target.sum()))
    why = (
        f"people labelled {len(judge):,} other units; the judge's rates of error on them are "
        f"taken to hold on the {int(raw.n):,} units here"
    )
    return _Corrected(rogan_gladen(raw, sensitivity, specificity), "rogan-gladen", why)


def _of_no_use(judge: Booleans, human: Booleans, weights: Floats) -> str:
    """A judge that is wrong more often than by chance knows something: the opposite."""
    right = (
        rate(judge[human], weights[human], nothing=""),
        rate(~judge[~human], weights[~human], nothing=""),
    )
    if sum(each.high or 0 for each in right) < 1:
        return (
            "this judge says the opposite of people. Likely true and false, or the side of the "
            "threshold that passes, are swapped"
        )
    return "this judge knows no more than a coin"


def _rate_of(hits: Booleans, weights: Floats) -> Share:
    return Share(float(np.average(hits, weights=weights)), effective_size(hits, weights))


def _refused(why: str) -> _Corrected:
    interval = Interval(point=None, low=None, high=None, n=0, method="none", reason=why)
    return _Corrected(interval, "none", why)


def _none(what: str) -> str:
    return f"{what} none of the labelled units"
