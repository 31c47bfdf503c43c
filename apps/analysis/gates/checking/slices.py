"""Slices of the run held against the same slices of its baseline. Pure."""

import math
from collections.abc import Iterator, Sequence

from apps.analysis.gates.checking.grounds import Grounds
from apps.analysis.gates.checking.judged import (
    rests_on_judge,
    slices_not_calibrated,
    uncorrected,
)
from apps.analysis.gates.checking.margins import nothing
from apps.analysis.gates.checking.standing import lacks_baseline
from apps.analysis.gates.checking.together import Pair, together
from apps.analysis.gates.contracts import Check, Evidence, SeenSlice
from apps.analysis.gates.policies.spec import SliceCheck
from apps.analysis.gates.telling.wording import (
    name_of,
    said_families,
    slice_title,
    slices_title,
    unit_of,
)
from apps.metrics.compared import Difference
from apps.metrics.gated import Answer, Finding
from apps.metrics.gating import slice_harm, weighed

MOST_LISTED = 8
"""Slices that are a check of their own: the worst that do not hold. The list has all of them."""

ANSWERS: tuple[Answer, ...] = ("fail", "inconclusive", "pass")
"""The worst first."""


def slice_checks(grounds: Grounds) -> Iterator[Check]:
    """For each entry of the policy one check of all its slices, then one each that is not held."""
    for each in grounds.spec.slices:
        yield from _slices(grounds, each)


def _slices(grounds: Grounds, asked: SliceCheck) -> Iterator[Check]:
    key = ":".join(("slices", asked.metric, asked.proof, *asked.families))
    found = _differences(grounds, asked)
    findings = _findings(grounds, asked, found)
    if lacks := _lacks_slices(grounds, asked, found):
        yield _all_slices(grounds, key, asked, lacks)
        return
    pairs = sorted(zip(found, findings, strict=True), key=_worst_first)
    finding = together(grounds, asked, pairs)
    yield _all_slices(grounds, key, asked, finding, tuple(_seen(*pair) for pair in pairs))
    unheld = [pair for pair in pairs if pair[1].answer != "pass"]
    for difference, finding in unheld[:MOST_LISTED]:
        yield _one_slice(grounds, key, asked, difference, finding)


def _worst_first(pair: Pair) -> tuple[int, bool, float]:
    """By what they lost, of both metrics the lower the worse; last what nothing can be said of."""
    found, finding = pair
    lost = math.inf if found.difference.point is None else found.difference.point
    return ANSWERS.index(finding.answer), finding.code == "insufficient_samples", lost


def _seen(found: Difference, finding: Finding) -> SeenSlice:
    return SeenSlice(
        family=found.family,
        value=found.value,
        answer=finding.answer,
        code=finding.code,
        difference=found.difference,
    )


def _findings(
    grounds: Grounds, asked: SliceCheck, found: Sequence[Difference]
) -> Sequence[Finding]:
    """One a slice, weighed against what it would be with errors as fails."""
    findings = _harm(grounds, asked, found)
    if not any(each.moves.error for each in found):
        return findings
    others = _harm(grounds, asked, [_with_errors(each) for each in found])
    limited = grounds.limits_failures
    return [weighed(*pair, limited=limited) for pair in zip(findings, others, strict=True)]


def _harm(grounds: Grounds, asked: SliceCheck, found: Sequence[Difference]) -> list[Finding]:
    return slice_harm(
        found,
        margin=asked.margin,
        proof=asked.proof,
        minimum=grounds.spec.minimum_n,
        name=name_of(asked.metric),
        unit=unit_of(asked.metric),
    )


def _with_errors(found: Difference) -> Difference:
    if found.errors_as_fails is None or found.verdict_with_errors is None:
        return found
    strict = {"difference": found.errors_as_fails, "verdict": found.verdict_with_errors}
    return found.model_copy(update=strict)


def _differences(grounds: Grounds, asked: SliceCheck) -> list[Difference]:
    rows = grounds.paired.slices if grounds.paired else ()
    return [
        row
        for row in rows
        if row.metric == asked.metric and (not asked.families or row.family in asked.families)
    ]


def _lacks_slices(
    grounds: Grounds, asked: SliceCheck, found: Sequence[Difference]
) -> Finding | None:
    if lacks := lacks_baseline(grounds):
        return lacks
    if grounds.paired is None or grounds.paired.of(asked.metric) is None:
        return nothing(grounds, asked.metric)
    if lacks := slices_not_calibrated(grounds, asked.metric):
        return lacks
    missing = sorted(set(asked.families) - {row.family for row in found})
    if not missing:
        return None
    return Finding(
        answer="inconclusive",
        code="not_measured",
        reason=f"The runs share no slice by {said_families(missing)}.",
        evidence=f"Records that say their {said_families(missing)}.",
    )


def _all_slices(
    grounds: Grounds,
    key: str,
    asked: SliceCheck,
    finding: Finding,
    seen: tuple[SeenSlice, ...] = (),
) -> Check:
    whole = grounds.paired.of(asked.metric) if grounds.paired else None
    judged = grounds.judged.get(asked.metric)
    return Check(
        key=key,
        title=slices_title(asked.metric, asked.margin, asked.proof, asked.families),
        what="slices",
        finding=finding,
        metric=asked.metric,
        limit=asked.margin,
        raw=whole.candidate if whole and rests_on_judge(grounds, asked.metric) else None,
        corrected=judged.corrected if judged else None,
        correction=uncorrected(grounds, asked.metric, finding),
        slices=seen,
        evidence=(Evidence(kind="comparison", parameters={"metric": asked.metric}),)
        if finding.code != "no_baseline"
        else (),
    )


def _one_slice(
    grounds: Grounds, key: str, asked: SliceCheck, found: Difference, finding: Finding
) -> Check:
    where = {"metric": found.metric, "family": found.family, "value": found.value}
    return Check(
        key=f"{key}:{found.family}={found.value}",
        title=slice_title(found.metric, found.family, found.value),
        what="slices",
        finding=finding,
        metric=found.metric,
        family=found.family,
        value=found.value,
        limit=asked.margin,
        observed=found.candidate,
        raw=found.candidate if rests_on_judge(grounds, asked.metric) else None,
        correction=uncorrected(grounds, asked.metric, finding),
        baseline=found.baseline,
        difference=found.difference,
        evidence=(Evidence(kind="comparison", parameters=where),),
    )
