"""What several findings come to."""

from collections.abc import Iterable

from apps.metrics.gated import Answer, Finding


def answer_of(findings: Iterable[Finding]) -> Answer:
    """Fail if any fails, else inconclusive if any is; without any finding nothing is known.

    It passes only where every check does, so a release that is inferior in one of them passes no
    more often than that check alone lets it (Berger 1982, intersection-union test): 2.5 %. It fails
    where any check does, so its false fails add up: with k checks at most k times 2.5 %.
    """
    answers = {finding.answer for finding in findings}
    if "fail" in answers:
        return "fail"
    return "pass" if answers == {"pass"} else "inconclusive"
