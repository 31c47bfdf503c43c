"""What a policy asks, in sentences for people, and what one version asks differently. Pure."""

from collections.abc import Iterator

from apps.analysis.gates.policies.spec import MetricCheck, PolicySpec, SliceCheck
from apps.analysis.gates.telling.wording import limit_title, margin_title, slices_title
from apps.contract import Contract
from apps.metrics.contracts import TOO_FEW
from apps.metrics.gating.words import counted


class Asked(Contract):
    """One thing that a run is held to, and how it is looked at."""

    sentence: str
    how: str = ""


class Changed(Contract):
    """What a version no longer asks, and what it asks beside what the one before did."""

    gone: tuple[Asked, ...]
    new: tuple[Asked, ...]


_BY = {
    "bound": "The whole 95 % interval must lie on that side.",
    "point": "The measured value counts, whatever its interval.",
}
_MARGIN = "The whole 95 % interval of the difference must lie within it, over shared records."
_PROOF = {
    "no_harm_seen": "Fails where a slice is shown to be worse, by Holm over all of them.",
    "non_inferior": "Each slice must be shown to be no worse: this takes many records.",
}


_SMALL_SLICES = (
    f" A slice takes {TOO_FEW} in any case: one of fewer is too few to say, and where none has as "
    "many, the check of slices is inconclusive."
)


def asked_by(spec: PolicySpec) -> tuple[Asked, ...]:
    """In the order in which a decision tells its checks."""
    return (
        *(Asked(sentence=f"No answer fails rule {rule}.") for rule in spec.blocking_rules),
        *(asked for check in spec.metrics for asked in _limits(check)),
        *(asked for check in spec.metrics for asked in _margin(check)),
        *(_slices(check) for check in spec.slices),
        *_failures(spec),
        *_evidence(spec),
    )


def changed_between(before: PolicySpec, after: PolicySpec) -> Changed:
    """Sentences that only one of them has."""
    old, new = asked_by(before), asked_by(after)
    return Changed(
        gone=tuple(each for each in old if each not in new),
        new=tuple(each for each in new if each not in old),
    )


def _limits(check: MetricCheck) -> Iterator[Asked]:
    for side, limit in (("at_least", check.at_least), ("at_most", check.at_most)):
        if limit is not None:
            title = limit_title(check.metric, side, limit)
            yield Asked(sentence=f"{title}.", how=_BY[check.by])


def _margin(check: MetricCheck) -> Iterator[Asked]:
    if check.margin is not None:
        yield Asked(sentence=f"{margin_title(check.metric, check.margin)}.", how=_MARGIN)


def _slices(check: SliceCheck) -> Asked:
    title = slices_title(check.metric, check.margin, check.proof, check.families)
    return Asked(sentence=f"{title}.", how=_PROOF[check.proof])


def _failures(spec: PolicySpec) -> Iterator[Asked]:
    if spec.failure_rate_at_most is not None:
        title = limit_title("failure_rate", "at_most", spec.failure_rate_at_most)
        yield Asked(sentence=f"{title}.", how=_BY["bound"])
    if spec.failure_budget is not None:
        points = f"{100 * spec.failure_budget:.6g}"
        yield Asked(
            sentence=f"The failure rate rises over the baseline's by no more than {points} points.",
            how="Results that ended with an error, whatever the answers say.",
        )


def _evidence(spec: PolicySpec) -> Iterator[Asked]:
    records = counted(spec.minimum_n, "record")
    stands = "stands" if spec.minimum_n == 1 else "stand"
    yield Asked(
        sentence=f"At least {records} {stands} behind each number.",
        how="With fewer the check is inconclusive."
        + (_SMALL_SLICES if any(each.proof == "no_harm_seen" for each in spec.slices) else ""),
    )
    if spec.calibrated_only:
        yield Asked(
            sentence="A judge's numbers count only as people's labels correct them.",
            how="What has no corrected number is inconclusive.",
        )
