"""What a gate says; nothing here computes."""

from typing import Literal

from apps.contract import Contract

Answer = Literal["pass", "fail", "inconclusive"]

Code = Literal[
    "holds",
    "no_harm_seen",
    "below_threshold",
    "worse_than_baseline",
    "slice_worse",
    "critical_violation",
    "rate_regression",
    "insufficient_samples",
    "insufficient_statistical_support",
    "within_regression_budget",
    "not_calibrated",
    "not_measured",
    "no_baseline",
]
"""Why a check came out as it did, for programs; `reason` is the same for people.

`no_harm_seen` passes by the policy's rule, though a loss beyond the margin is not excluded.
"""


class Finding(Contract):
    """The answer of one check: why, and where it is inconclusive, what evidence would settle it."""

    answer: Answer
    code: Code
    reason: str
    evidence: str = ""
