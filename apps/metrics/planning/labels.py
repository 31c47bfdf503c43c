"""What the next labels would make of a judge's calibration: half widths of its intervals.

The corrected rate's by the variance of PPI++ (see `calibration.ppi`) or the interval of Rogan and
Gladen at the larger size, relative to the interval that is known; rates of error by Wilson's at
their present values. Where nothing is known yet, by the worst case: half of the answers pass.
"""

import math
from typing import NamedTuple

from apps.metrics import wilson
from apps.metrics.contracts import TOO_FEW, Interval, at_most
from apps.metrics.labels import Calibration, Confusion
from apps.metrics.planned import Bought, LabelsPlan
from apps.metrics.words import in_percent

NEXT = 100
_WORST = 0.5


def next_labels(calibration: Calibration, *, more: int = NEXT) -> LabelsPlan:
    """Half widths now and with `more` labels of answers drawn at random, in the rates' units."""
    n, judged = calibration.confusion.n, calibration.judged
    if calibration.sample == "separate" and n:
        return _separate(calibration, more)
    if not judged:
        return _nothing(calibration, "the judge has judged nothing yet: there is nothing to label")
    if _is_drawn(calibration):
        return _drawn(calibration, min(more, judged - n))
    return _first(calibration, min(more, judged if not n else judged - n))


def unlabelled(raw: Interval, judged: int) -> Calibration:
    """A judge that nobody has looked at; `raw` is its pass rate where it has one."""
    nothing = Interval(
        point=None, low=None, high=None, n=0, method="none", reason="no unit has both"
    )
    return Calibration(
        sample="unknown",
        units=judged,
        judged=judged,
        labelled=0,
        confusion=Confusion(true_pass=0, false_pass=0, false_fail=0, true_fail=0),
        left_out=(),
        sensitivity=nothing,
        specificity=nothing,
        precision=nothing,
        accuracy=nothing,
        kappa=nothing,
        raw=raw,
        human=nothing,
        corrected=nothing,
        method="none",
        why="nobody has labelled what this judge judged: it is uncalibrated",
    )


def _is_drawn(calibration: Calibration) -> bool:
    """Whether labels that are there count with further ones of a random sample."""
    drawn = calibration.sample == "random" or calibration.method == "ppi++"
    return drawn and calibration.confusion.n > 0


def _drawn(calibration: Calibration, labels: int) -> LabelsPlan:
    n, judged = calibration.confusion.n, calibration.judged
    if labels <= 0:
        return _all_labelled(calibration)
    why = f"with {n + labels:,} of {judged:,} judged answers labelled, drawn at random"
    return _plan(calibration, labels, _corrected(calibration, labels), why)


def _separate(calibration: Calibration, labels: int) -> LabelsPlan:
    why = f"with {calibration.confusion.n + labels:,} labels of a set beside"
    return _plan(calibration, labels, _by_rogan_gladen(calibration, labels), why)


def _plan(calibration: Calibration, labels: int, corrected: Bought, why: str) -> LabelsPlan:
    growth = 1 + labels / calibration.confusion.n
    return LabelsPlan(
        labels=labels,
        labelled=calibration.confusion.n,
        judged=calibration.judged,
        corrected=corrected,
        agreement=_grown(calibration.accuracy, growth, labels),
        sensitivity=_grown(calibration.sensitivity, growth, labels),
        specificity=_grown(calibration.specificity, growth, labels),
        why=f"{why}, if people and judge go on to agree as often as so far",
    )


def _first(calibration: Calibration, labels: int) -> LabelsPlan:
    """From nothing, or from labels that say nothing of the other answers."""
    if labels <= 0:
        return _all_labelled(calibration)
    if labels < TOO_FEW:
        return _nothing(
            calibration, f"{labels:,} answers can be labelled, and it takes {TOO_FEW} labels"
        )
    known = calibration.confusion.n
    aside = f"the {known:,} labels so far were not drawn at random and do not count; "
    passing = calibration.raw.point
    return LabelsPlan(
        labels=labels,
        labelled=known,
        judged=calibration.judged,
        corrected=_bought(labels, _worst(labels)),
        agreement=_bought(labels, wilson.half_width(_WORST, labels)),
        sensitivity=_of_a_part(labels, passing),
        specificity=_of_a_part(labels, None if passing is None else 1 - passing),
        why=f"{aside if known else ''}{labels:,} labels of answers drawn at random give at most "
        "this half width, whatever people say",
    )


def _worst(labels: int) -> float:
    """Of a rate that the judge says nothing about: λ = 0 in PPI++."""
    return wilson.Z * math.sqrt(_WORST * (1 - _WORST) / labels)


def _of_a_part(labels: int, share: float | None) -> Bought:
    """A rate of what people pass, or fail, taken to be as much as the judge does."""
    if share is None:
        return _bought(labels, None, "from which score on the judge passes is not known")
    reason = f"if that is {in_percent(share)} of the answers, as the judge says"
    part = labels * share
    return _bought(labels, wilson.half_width(_WORST, part) if part >= 1 else None, reason)


def _bought(labels: int, then: float | None, reason: str = "") -> Bought:
    return Bought(labels=labels, now=None, then=then, reason=reason)


def _grown(rate: Interval, growth: float, labels: int) -> Bought:
    if rate.point is None or rate.low is None or rate.high is None:
        return Bought(labels=labels, now=None, then=None, reason=rate.reason)
    then = wilson.half_width(rate.point, wilson.worth(rate) * growth)
    return Bought(labels=labels, now=_half(rate), then=then)


def _corrected(calibration: Calibration, labels: int) -> Bought:
    interval, confusion = calibration.corrected, calibration.confusion
    if interval.low is None or interval.high is None:
        return _too_few_so_far(calibration, labels)
    spread = _spread(confusion, calibration.raw.point or 0.0)
    now, then = (
        spread.half_width(n, calibration.judged) for n in (confusion.n, confusion.n + labels)
    )
    known = _half(interval)
    return Bought(labels=labels, now=known, then=known * then / now if now else None)


def _too_few_so_far(calibration: Calibration, labels: int) -> Bought:
    n = calibration.confusion.n + labels
    if n < TOO_FEW:
        return _bought(labels, None, f"{n:,} labels are too few: it takes {TOO_FEW}")
    return _bought(labels, _worst(n), "at most, whatever people say")


class _Spread(NamedTuple):
    """Of what people say less λ times what the judge says, per label, and what all verdicts add."""

    own: float
    common: float
    seen: bool

    def half_width(self, n: int, judged: int) -> float:
        half = wilson.Z * math.sqrt(max(0.0, self.own / n + self.common / judged))
        return half if self.seen else half + (at_most(n) or 0.0)


def _spread(confusion: Confusion, raw: float) -> _Spread:
    """The parts of `calibration.ppi`'s variance, from counts and the judge's rate over all."""
    n, agree = confusion.n, confusion.true_pass
    human, judge = (agree + confusion.false_fail) / n, (agree + confusion.false_pass) / n
    covariance = agree / n - human * judge
    verdicts = raw * (1 - raw)
    power = min(1.0, max(0.0, covariance / verdicts)) if verdicts else 0.0
    labelled = judge * (1 - judge)
    residual = human * (1 - human) - 2 * power * covariance + power**2 * labelled
    common = power**2 * verdicts + 2 * power * (covariance - power * labelled)
    differs = confusion.false_pass + confusion.false_fail > 0
    return _Spread(residual * n / max(1, n - 1), common, differs and 0 < human < 1)


def _by_rogan_gladen(calibration: Calibration, labels: int) -> Bought:
    if calibration.corrected.low is None:
        return Bought(labels=labels, now=None, then=None, reason=calibration.why)
    growth = 1 + labels / calibration.confusion.n
    now, then = (_rogan_gladen(calibration, times) for times in (1.0, growth))
    known = _half(calibration.corrected)
    return Bought(labels=labels, now=known, then=known * then / now if now else None)


def _rogan_gladen(calibration: Calibration, growth: float) -> float:
    from apps.metrics.calibration.rogan_gladen import Share, rogan_gladen

    errors = [
        Share(rate.point or 0.0, wilson.worth(rate) * growth)
        for rate in (calibration.sensitivity, calibration.specificity)
    ]
    raw = Share(calibration.raw.point or 0.0, calibration.raw.n)
    return _half(rogan_gladen(raw, *errors))


def _all_labelled(calibration: Calibration) -> LabelsPlan:
    return _nothing(
        calibration,
        f"all {calibration.judged:,} judged answers are labelled: further labels buy nothing, only "
        "more records do",
    )


def _nothing(calibration: Calibration, why: str) -> LabelsPlan:
    """No label can be bought: what is known stays as it is."""

    def stays(rate: Interval) -> Bought:
        half = None if rate.low is None or rate.high is None else _half(rate)
        return Bought(labels=0, now=half, then=half, reason="" if half is not None else rate.reason)

    return LabelsPlan(
        labels=0,
        labelled=calibration.confusion.n,
        judged=calibration.judged,
        corrected=stays(calibration.corrected),
        agreement=stays(calibration.accuracy),
        sensitivity=stays(calibration.sensitivity),
        specificity=stays(calibration.specificity),
        why=why,
    )


def _half(interval: Interval) -> float:
    return ((interval.high or 0.0) - (interval.low or 0.0)) / 2
