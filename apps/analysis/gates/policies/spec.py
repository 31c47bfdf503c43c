"""What a release is held to: metrics, slices, blocking rules and failures. Pure."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, Field, FiniteFloat, ValidationError, model_validator

from apps.artifacts.canonical import canonical, sha256_hex
from apps.contract import Contract
from apps.grading.complaints import findings, path, sentence_of, told
from apps.metrics.contracts import TOO_FEW

MOST_METRICS = 40
MOST_SLICES = 20
MOST_FAMILIES = 50
MOST_RULES = 50
LONGEST_NAME = 120
LARGEST = 1e12
MOST_RECORDS = 10_000_000

RATES = ("pass_rate", "score_mean", "record_pass_rate", "record_score_mean", "worst_slice")
"""From 0 to 1 and better when high; so are the numbers of rules and what trials pass."""
AMOUNTS = (
    "latency_p50",
    "latency_p95",
    "cost_mean",
    "input_tokens_mean",
    "output_tokens_mean",
    "total_tokens_mean",
)
"""Better when low; ms, the target's currency, tokens."""
FAILURE_RATE = "failure_rate"
"""From 0 to 1 and better when low."""
COMPARED = ("pass_rate", "score_mean", "latency_mean", "cost_mean", "total_tokens_mean")
"""What two runs can be compared by, beside the numbers of rules."""
RULE = re.compile(r"rule:(?P<rule>.{1,110}):(?P<number>pass_rate|mean)")
TRIALS = re.compile(r"(?P<kind>pass[@^])(?P<k>[1-9]\d?)(?P<errors>:errors_as_fails)?")

By = Literal["bound", "point"]
Proof = Literal["no_harm_seen", "non_inferior"]
Amount = Annotated[FiniteFloat, Field(strict=True, ge=0, le=LARGEST)]
Share = Annotated[FiniteFloat, Field(strict=True, ge=0, le=1)]


def _printable(name: str) -> str:
    if not name.isprintable() or name != name.strip():
        raise ValueError("a name has only printable characters, and no space around it")
    return name


Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME), AfterValidator(_printable)]


class MetricCheck(Contract):
    """A metric by its name in a run's summary: thresholds, and how much worse it may get.

    `by` bound: the whole 95 % interval must lie on the right side of the threshold, point: the
    measured value. `margin`: how much worse than the baseline's is still good enough, in the
    metric's unit; it holds where the interval of the difference lies within it.
    """

    metric: Name
    at_least: Share | None = None
    at_most: Amount | None = None
    by: By = "bound"
    margin: Amount | None = None

    @model_validator(mode="after")
    def _says_something(self) -> "MetricCheck":
        if problem := _problem(self):
            raise ValueError(f"{self.metric} {problem}")
        return self


class SliceCheck(Contract):
    """Every slice of these families (of all, where none is named) against the baseline's.

    `no_harm_seen`: fails where a slice is shown to be worse by more than the margin, and is
    inconclusive where no slice could be judged.
    `non_inferior`: each slice must be shown to be no worse than that.
    """

    families: tuple[Name, ...] = Field(default=(), max_length=MOST_FAMILIES)
    metric: Literal["pass_rate", "score_mean"] = "pass_rate"
    margin: Share = 0.0
    proof: Proof = "no_harm_seen"

    @model_validator(mode="after")
    def _once(self) -> "SliceCheck":
        if twice := _repeated(self.families):
            raise ValueError(f"the family {twice} is named twice")
        return self


class PolicySpec(Contract):
    """All of it must hold.

    `minimum_n`: with fewer records than this a check is inconclusive. `blocking_rules`: one failure
    of these rules, and the gate fails. `failure_budget`: how much the share of results that failed
    with an error may rise over the baseline's; `failure_rate_at_most` is a limit of its own.
    `calibrated_only`: numbers that rest on a judge count as people's labels correct them.
    """

    metrics: tuple[MetricCheck, ...] = Field(default=(), max_length=MOST_METRICS)
    slices: tuple[SliceCheck, ...] = Field(default=(), max_length=MOST_SLICES)
    minimum_n: int = Field(default=TOO_FEW, strict=True, ge=1, le=MOST_RECORDS)
    blocking_rules: tuple[Name, ...] = Field(default=(), max_length=MOST_RULES)
    failure_budget: Share | None = None
    failure_rate_at_most: Share | None = None
    calibrated_only: bool = False

    @model_validator(mode="after")
    def _holds_something(self) -> "PolicySpec":
        if twice := _repeated(check.metric for check in self.metrics):
            raise ValueError(f"metrics: {twice} is named twice; say all of it in one entry")
        if twice := _repeated((check.metric, check.proof, check.families) for check in self.slices):
            raise ValueError(f"slices: {twice[0]} is held twice to the same proof")
        if twice := _repeated(self.blocking_rules):
            raise ValueError(f"blocking_rules: {twice} is named twice")
        if not self._checks_something:
            raise ValueError("the policy holds a run to nothing: add a metric or another check")
        return self

    @property
    def needs_baseline(self) -> bool:
        """Whether a part of it is about another run."""
        margins = any(check.margin is not None for check in self.metrics)
        return margins or bool(self.slices) or self.failure_budget is not None

    @property
    def canonical(self) -> bytes:
        """Canonical JSON with every default written out: a new default changes no old policy."""
        return canonical(self.model_dump(mode="json"))

    @property
    def sha256(self) -> str:
        return sha256_hex(self.canonical)

    @property
    def _checks_something(self) -> bool:
        limits = (self.failure_budget, self.failure_rate_at_most)
        return bool(self.metrics or self.slices or self.blocking_rules) or limits != (None, None)


class PolicyError(ValueError):
    """A policy that cannot be; `problems` are sentences."""

    def __init__(self, *problems: str) -> None:
        super().__init__(*problems)
        self.problems = problems


def read_policy(given: Mapping[str, Any]) -> PolicySpec:
    """The policy in an object of JSON; PolicyError with every problem."""
    try:
        return PolicySpec.model_validate(given)
    except ValidationError as error:
        raise PolicyError(*(_sentence(each) for each in findings(error))) from error


def stored_policy(text: str | bytes) -> PolicySpec:
    """The policy that a version keeps."""
    return PolicySpec.model_validate(orjson.loads(text))


def rule_of(metric: str) -> str:
    """The rule whose number a metric is; '' where it is none of a rule."""
    found = RULE.fullmatch(metric)
    return found["rule"] if found else ""


def higher_is_better(metric: str) -> bool:
    return metric not in (*AMOUNTS, FAILURE_RATE, "latency_mean")


def is_compared(metric: str) -> bool:
    """Whether two runs can be compared by it, record by record."""
    return metric in COMPARED or bool(RULE.fullmatch(metric))


def is_rate(metric: str) -> bool:
    """Whether it lies between 0 and 1."""
    return metric in (*RATES, FAILURE_RATE) or bool(
        RULE.fullmatch(metric) or TRIALS.fullmatch(metric)
    )


def _problem(check: MetricCheck) -> str:
    """What is wrong with it, '' where nothing is."""
    metric, limits = check.metric, (check.at_least, check.at_most)
    if not is_rate(metric) and metric not in (*AMOUNTS, *COMPARED):
        return "is no metric of a run; rules are spelled rule:NAME:pass_rate or rule:NAME:mean"
    if limits == (None, None) and check.margin is None:
        return "is held to nothing: say at_least, at_most or margin"
    if check.margin is not None and not is_compared(metric):
        return f"has no margin: two runs are compared by {', '.join(COMPARED)} and rules"
    return _wrong_limit(check)


def _wrong_limit(check: MetricCheck) -> str:
    metric, at_least, at_most = check.metric, check.at_least, check.at_most
    if metric == "latency_mean" and (at_least, at_most) != (None, None):
        return "is known of two runs only: hold latency_p95 to the limit"
    if not higher_is_better(metric) and at_least is not None:
        return "is better when low: say at_most"
    if metric in RATES and at_most is not None:
        return "is better when high: say at_least"
    if is_rate(metric) and max(at_most or 0, check.margin or 0) > 1:
        return "lies between 0 and 1: so do its limit and its margin"
    if at_least is not None and at_most is not None and at_least > at_most:
        return f"cannot be at least {at_least:g} and at most {at_most:g}"
    return ""


def _sentence(problem: Any) -> str:
    return told(path(problem["loc"]).removeprefix("."), sentence_of(problem))


def _repeated(names: Iterable[Hashable]) -> Any:
    """The first that is there twice; None where each is there once."""
    return next((name for name, times in Counter(names).items() if times > 1), None)


STARTER = PolicySpec(
    metrics=(MetricCheck(metric="pass_rate", margin=0.03),),
    slices=(SliceCheck(metric="pass_rate", margin=0.05),),
    failure_budget=0.02,
)
"""No worse than the baseline by more than three points, no slice harmed, hardly more errors."""
