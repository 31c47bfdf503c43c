"""What all slices of a check come to, in a sentence that many slices make no longer. Pure."""

from collections.abc import Iterator, Sequence

from apps.analysis.gates.checking.grounds import Grounds
from apps.analysis.gates.policies.spec import SliceCheck
from apps.analysis.gates.telling.wording import (
    NO_HARM_SEEN,
    TOO_FEW_TO_SAY,
    slice_name,
    unit_of,
    word_of,
)
from apps.metrics.compared import Difference
from apps.metrics.contracts import TOO_FEW
from apps.metrics.gated import Finding
from apps.metrics.gating import answer_of, too_small
from apps.metrics.gating.words import counted

Pair = tuple[Difference, Finding]

MOST_NAMED = 3
"""Slices that the sentence names of those that came out the same way; the list has all."""

_SAID = {
    "fail": ("fails", "fail"),
    "inconclusive": ("is inconclusive", "are inconclusive"),
    "pass": ("holds", "hold"),
    NO_HARM_SEEN: ("shows no harm", "show no harm"),
    TOO_FEW_TO_SAY: ("has too few records to say", "have too few records to say"),
}
_NAMED = ("fail", "inconclusive")


def together(grounds: Grounds, asked: SliceCheck, pairs: Sequence[Pair]) -> Finding:
    """All slices, the worst first, in one; the first of those that decide gives its code."""
    if not pairs:
        return _nothing_seen(grounds, "The runs share no slices, so no harm could be seen.")
    findings = [finding for _, finding in pairs]
    told, answer = " ".join(_sentences(grounds, asked, pairs)), answer_of(findings)
    if answer == "pass":
        return _passed(grounds, asked, findings, told)
    first = next(each for each in findings if each.answer == answer)
    evidence = first.evidence if answer == "inconclusive" else ""
    return Finding(answer=answer, code=first.code, reason=told, evidence=evidence)


def _passed(grounds: Grounds, asked: SliceCheck, findings: Sequence[Finding], told: str) -> Finding:
    """Slices that nobody looked at are not seen to be harmed, and not proven to be no worse."""
    words = {word_of(each) for each in findings}
    if words == {TOO_FEW_TO_SAY}:
        return _nothing_seen(grounds, told)
    left_out = bool(grounds.paired and grounds.paired.slices_left_out)
    if left_out and asked.proof == "non_inferior":
        return Finding(
            answer="inconclusive",
            code="not_measured",
            reason=told,
            evidence="A dataset with fewer slices: every slice is to be proven no worse.",
        )
    holds = words == {"pass"} and not left_out
    return Finding(answer="pass", code="holds" if holds else "no_harm_seen", reason=told)


def _nothing_seen(grounds: Grounds, told: str) -> Finding:
    enough = max(grounds.spec.minimum_n, TOO_FEW)
    return Finding(
        answer="inconclusive",
        code="insufficient_samples",
        reason=told,
        evidence=f"Slices of {enough:,} records or more that both runs answered.",
    )


def _sentences(grounds: Grounds, asked: SliceCheck, pairs: Sequence[Pair]) -> Iterator[str]:
    words = [word_of(finding) for _, finding in pairs]
    yield f"Of {counted(len(pairs), 'slice')} {', '.join(_counts(pairs))}."
    if NO_HARM_SEEN in words:
        yield f"Where no harm is seen, n {too_small(asked.margin, unit_of(asked.metric))}."
    if left := grounds.paired.slices_left_out if grounds.paired else 0:
        verb = "was" if left == 1 else "were"
        yield f"{counted(left, 'more slice')} of the dataset, the smallest, {verb} not compared."


def _counts(pairs: Sequence[Pair]) -> Iterator[str]:
    """1 fails (language “German”), 45 show no harm, 12 have too few records to say."""
    for word, (one, many) in _SAID.items():
        found = [difference for difference, finding in pairs if word_of(finding) == word]
        if found:
            named = f" ({_names(found)})" if word in _NAMED else ""
            yield f"{counted(len(found), one, many)}{named}"


def _names(found: Sequence[Difference]) -> str:
    """language “German”, language “Dutch” and 4 more"""
    named = ", ".join(slice_name(each.family, each.value) for each in found[:MOST_NAMED])
    left = len(found) - MOST_NAMED
    return f"{named} and {left:,} more" if left > 0 else named
