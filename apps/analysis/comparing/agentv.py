"""A comparison in the shape of agentv's `compare --json`. Pure."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

THRESHOLD = 0.1
"""From this change of the score on it is a win, or a loss."""

_DIGITS = 1_000


@dataclass(frozen=True)
class Paired:
    """The scores of two runs: of each matched test its id and both; how many others each has."""

    matched: Sequence[tuple[str, float, float]]
    only_baseline: int
    only_candidate: int


def compared(paired: Paired) -> dict[str, Any]:
    """`{matched, unmatched, summary}`; means are rounded to three digits, half up."""
    matched = [_matched(*each) for each in paired.matched]
    return {
        "matched": matched,
        "unmatched": {"file1": paired.only_baseline, "file2": paired.only_candidate},
        "summary": _summary(matched, paired),
    }


def compared_with_all(
    baseline: str,
    scores: Mapping[str, Mapping[str, float]],
    paired: Mapping[str, Paired],
) -> dict[str, Any]:
    """`{matrix, pairwise}` of several runs.

    `scores`: by test of the baseline what each run has. `paired`: the baseline against each other
    run, by their names.
    """
    pairwise = [
        {"baseline": baseline, "candidate": candidate, **compared(each)}
        for candidate, each in paired.items()
    ]
    matrix = [{"test_id": test, "scores": dict(each)} for test, each in scores.items()]
    return {
        "matrix": matrix,
        "pairwise": [{name: each[name] for name in each if name != "matched"} for each in pairwise],
    }


def _matched(test: str, before: float, after: float) -> dict[str, Any]:
    delta = after - before
    return {
        "test_id": test,
        "score1": before,
        "score2": after,
        "delta": delta,
        "normalized_gain": None if before == 1 else delta / (1 - before),
        "outcome": _outcome(delta),
    }


def _outcome(delta: float) -> str:
    if delta >= THRESHOLD:
        return "win"
    return "loss" if delta <= -THRESHOLD else "tie"


def _summary(matched: Sequence[Mapping[str, Any]], paired: Paired) -> dict[str, Any]:
    outcomes = [each["outcome"] for each in matched]
    return {
        "total": 2 * len(matched) + paired.only_baseline + paired.only_candidate,
        "matched": len(matched),
        "wins": outcomes.count("win"),
        "losses": outcomes.count("loss"),
        "ties": outcomes.count("tie"),
        "mean_delta": _mean(each["delta"] for each in matched) or 0,
        "mean_normalized_gain": _mean(
            each["normalized_gain"] for each in matched if each["normalized_gain"] is not None
        ),
    }


def _mean(values: Iterator[float]) -> float | None:
    found = list(values)
    return math.floor(fmean(found) * _DIGITS + 0.5) / _DIGITS if found else None
