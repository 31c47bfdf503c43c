"""What a gate looks at, gathered once; the checks themselves ask no database."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from apps.analysis.gates.contracts import DecidedRun
from apps.analysis.gates.policies.spec import FAILURE_RATE, PolicySpec
from apps.metrics.compared import PairedRuns
from apps.metrics.contracts import TOO_FEW, Interval

Figures = Mapping[str, Interval]
"""The stored numbers of a whole run, by the names of its summary."""


@dataclass(frozen=True)
class Verdicts:
    """What a rule said of the answers of a run, counted in results.

    `unscored` should have been judged and were not; `imported` have scores without a verdict.
    """

    failed: int = 0
    judged: int = 0
    unscored: int = 0
    imported: int = 0


@dataclass(frozen=True)
class Judged:
    """A metric that rests on a judge: how many labels people gave, and what these make of it.

    `corrected` is None where correction does not apply, and `why` says why, or how it was done;
    `address` leads to what is known of the judge, '' where nobody has looked.
    """

    labels: int
    corrected: Interval | None = None
    why: str = ""
    address: str = ""

    @property
    def is_calibrated(self) -> bool:
        """Whether people's labels correct it."""
        return self.labels >= TOO_FEW and self.corrected is not None


@dataclass(frozen=True)
class Grounds:
    """A run with its numbers, and the baseline's where the policy needs one.

    `strict` has those of the policy's metrics that would be others with errors as fails. `paired`
    is None without a baseline. `contract_rules` are the names in the run's contract. `judged` and
    `baseline_judged` have an entry for each metric of the policy that rests on a judge there.
    """

    spec: PolicySpec
    run: DecidedRun
    figures: Figures
    trials: int
    strict: Figures = field(default_factory=dict)
    baseline: DecidedRun | None = None
    baseline_figures: Figures = field(default_factory=dict)
    baseline_trials: int = 1
    paired: PairedRuns | None = None
    contract_rules: frozenset[str] = frozenset()
    verdicts: Mapping[str, Verdicts] = field(default_factory=dict)
    judged: Mapping[str, Judged] = field(default_factory=dict)
    baseline_judged: Mapping[str, Judged] = field(default_factory=dict)

    @property
    def limits_failures(self) -> bool:
        """Whether the policy says how many errors are too many."""
        spec = self.spec
        limits = (spec.failure_budget, spec.failure_rate_at_most)
        return limits != (None, None) or any(each.metric == FAILURE_RATE for each in spec.metrics)
