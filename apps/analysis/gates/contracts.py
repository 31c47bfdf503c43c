"""What a gate's decision says; nothing here computes."""

from datetime import datetime
from typing import Literal

from pydantic import FiniteFloat

from apps.contract import Contract
from apps.metrics.compared import Shared
from apps.metrics.contracts import Interval
from apps.metrics.gated import Answer, Code, Finding

What = Literal["run", "metric", "difference", "slices", "rule", "failures"]
"""What a check is about: the run as a whole, a limit of a metric, a metric against the baseline,
slices against the baseline, a rule that must never fail, results that failed with an error."""

Side = Literal["at_least", "at_most"]


class Evidence(Contract):
    """Where the records or numbers behind a check are; `gates.linking` knows the addresses.

    results: those of the run that pass the filter in `parameters` (`runs.ResultFilter`).
    comparison: the runs side by side, `parameters` say the metric and the slice. judges: a
    judge held against people, at the `address` in `parameters`. run: the run itself.
    """

    kind: Literal["run", "results", "comparison", "judges"]
    parameters: dict[str, str] = {}


class SeenSlice(Contract):
    """A slice that was looked at; `difference` is of the records that both runs have."""

    family: str
    value: str
    answer: Answer
    code: Code
    difference: Interval


class Check(Contract):
    """One thing that the policy asks for, and what came of it.

    `key` is unique in a decision and the same in every decision of a policy version. `observed` is
    what was held against the `limit`; of what asks for a baseline, `difference` was, and `limit` is
    the margin. Of a metric that rests on a judge `raw` is the number as the judge has it and
    `corrected` what people make of it, None where correction does not apply; `baseline_corrected`
    is the baseline's, of a margin. `correction` says why, and which of both was held. Units are the
    metric's. `family` and `value` name the slice of a check of one; a check of all slices has in
    `slices` each that was looked at, the worst first.
    """

    key: str
    title: str
    what: What
    finding: Finding
    metric: str = ""
    family: str = ""
    value: str = ""
    side: Side | None = None
    limit: FiniteFloat | None = None
    observed: Interval | None = None
    raw: Interval | None = None
    corrected: Interval | None = None
    correction: str = ""
    baseline: Interval | None = None
    baseline_corrected: Interval | None = None
    difference: Interval | None = None
    slices: tuple[SeenSlice, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    @property
    def answer(self) -> Answer:
        return self.finding.answer


class Judgment(Contract):
    """The release judgment; `blocking_reason` is None where the gate passes."""

    change_id: str
    gate: str
    verdict: Answer
    blocking_reason: str | None
    next_action: tuple[str, ...]


class DecidedCounts(Contract):
    """Results of a run; total = valid + invalid, valid = evaluated + failed + skipped,
    evaluated = passed + failed_contract + unjudged."""

    total: int
    valid: int
    invalid: int
    evaluated: int
    failed: int
    skipped: int
    passed: int
    failed_contract: int
    unjudged: int


class DecidedRun(Contract):
    """A run as it was when the gate looked.

    `left_out` is what the dataset version has beside the valid results of `counts`, counted alike:
    a pilot asks only the first records.
    """

    id: str
    title: str
    kind: str
    state: str
    dataset: str
    contract: str
    plan_sha256: str
    counted_in: str
    counts: DecidedCounts
    left_out: int = 0

    @property
    def whole(self) -> int:
        """All valid ones of the dataset version."""
        return self.counts.valid + self.left_out

    @property
    def asked(self) -> int:
        return self.counts.evaluated + self.counts.failed


class DecidedPolicy(Contract):
    id: str
    name: str
    version: int
    sha256: str


class Decided(Contract):
    """The whole answer of a gate about a run.

    `warnings` are sentences: how run and baseline differ beside their answers, and what else may
    mislead. `shared` counts the records that pair, None without a comparison.
    `baseline_is_approved`: whether the baseline was the policy's approved one, None without a
    baseline and in decisions from before that was kept; `approved_baseline` is the id of that one
    where another run was named, None where none was approved, and for whom it is hidden from.
    """

    answer: Answer
    judgment: Judgment
    checks: tuple[Check, ...]
    policy: DecidedPolicy
    run: DecidedRun
    baseline: DecidedRun | None = None
    baseline_is_approved: bool | None = None
    approved_baseline: str | None = None
    comparison: str | None = None
    shared: Shared | None = None
    warnings: tuple[str, ...] = ()
    decided_at: datetime

    def of(self, answer: Answer) -> tuple[Check, ...]:
        """The checks that came out so."""
        return tuple(check for check in self.checks if check.answer == answer)


class Link(Contract):
    """Where evidence is."""

    title: str
    page: str


class Overridden(Contract):
    """Who says something else in the gate's place, and why.

    `seq` is what the next one replaces. `takes_back`: an earlier one was taken back, and the
    gate's own answer counts.
    """

    seq: int
    takes_back: bool
    answer: Answer
    reason: str
    by: str
    at: datetime


class Report(Contract):
    """A decision as it is told: `answer` is what counts, the override's where there is one.

    `links` are by the key of the check; the pages of the comparison are None without a baseline.
    Addresses are whole where the server knows its own.
    """

    id: str
    answer: Answer
    decided: Decided
    overridden: Overridden | None = None
    decided_by: str | None = None
    page: str
    run_page: str
    baseline_page: str | None = None
    comparison_page: str | None = None
    worse_page: str | None = None
    links: dict[str, tuple[Link, ...]] = {}
