"""Which numbers of a run rest on judges, by their names."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from apps.grading.spec import ContractSpec
from apps.runs.later.calibrated import VERDICT

OWN_METHODS = ("code", "judge")
"""Those of rules that were carried out here."""

Kind = Literal["rate", "mean", "derived"]
"""A share that passes, a mean of scores, or what is made of verdicts in another way."""

_OF_VERDICTS = ("record_pass_rate", "worst_slice", "pass@", "pass^")
_OF_SCORES = ("score_mean", "record_score_mean")


class Asked(NamedTuple):
    """What a metric tells, and of which rule (`VERDICT` of none alone)."""

    kind: Kind
    of: str


@dataclass(frozen=True)
class Resting:
    """The judge rules of a contract by name, with their verifiers, and what they have a part in.

    `decides`: an answer may fail by a judge. `weighs`: a judge's value is in the weighted score.
    """

    rules: Mapping[str, str] = field(default_factory=dict)
    decides: bool = False
    weighs: bool = False


def resting_on(spec: ContractSpec | None, *, judged_by_data: bool) -> Resting:
    """`judged_by_data`: a judge gave scores by rules that came with the data."""
    rules = spec.judge_rules if spec else ()
    weighs = judged_by_data or any(rule.weight for rule in rules)
    by_score = spec is not None and spec.passing_score is not None
    return Resting(
        rules={rule.name: rule.verifier for rule in rules},
        decides=judged_by_data or any(rule.decides for rule in rules) or (by_score and weighs),
        weighs=weighs,
    )


def asked_of(metric: str) -> Asked | None:
    """Read from the metric's name in the summary of a run; None where no judge can stand behind
    it."""
    if metric.startswith("rule:"):
        name, _, end = metric.removeprefix("rule:").rpartition(":")
        kinds: Mapping[str, Kind] = {"pass_rate": "rate", "mean": "mean"}
        return Asked(kinds[end], name) if name and end in kinds else None
    if metric == "pass_rate":
        return Asked("rate", VERDICT)
    if metric.startswith(_OF_VERDICTS):
        return Asked("derived", VERDICT)
    return Asked("mean", VERDICT) if metric in _OF_SCORES else None
