"""What people read for metrics and checks. Pure."""

from collections.abc import Sequence

from apps.analysis.gates.contracts import SeenSlice
from apps.analysis.gates.policies.spec import RULE, TRIALS, is_rate
from apps.metrics.gated import Finding
from apps.metrics.gating import Unit
from apps.metrics.gating.words import amount, capital, points
from apps.metrics.words import family_name

_NAMES = {
    "pass_rate": "the pass rate",
    "failure_rate": "the failure rate",
    "score_mean": "the mean score",
    "record_pass_rate": "the pass rate of records",
    "record_score_mean": "the mean score of records",
    "worst_slice": "the pass rate of the worst slice",
    "latency_p50": "the median latency",
    "latency_p95": "the 95th percentile of latency",
    "latency_mean": "the mean latency",
    "cost_mean": "the mean cost",
    "input_tokens_mean": "the mean of input tokens",
    "output_tokens_mean": "the mean of output tokens",
    "total_tokens_mean": "the mean of tokens",
}
NO_HARM_SEEN = "no harm seen"
TOO_FEW_TO_SAY = "too few to say"
LONGEST_VALUE = 60
"""Of a slice's value, in a sentence that names several."""

_SCORES = ("score_mean", "record_score_mean")
_BY_TRY = ("pass_rate", "failure_rate", "latency_p50", "latency_p95")


def name_of(metric: str) -> str:
    """As a noun in a sentence: the pass rate of rule exact."""
    if found := RULE.fullmatch(metric):
        kind = "pass rate" if found["number"] == "pass_rate" else "mean score"
        return f"the {kind} of rule {found['rule']}"
    if found := TRIALS.fullmatch(metric):
        errors = " with errors as fails" if found["errors"] else ""
        return f"{found['kind']}{found['k']}{errors}"
    return _NAMES.get(metric, metric)


def unit_of(metric: str) -> Unit:
    if metric in _SCORES or metric.endswith(":mean"):
        return "score"
    if is_rate(metric):
        return "percent"
    if metric.startswith("latency"):
        return "ms"
    return "usd" if metric.startswith("cost") else "count"


def counts_tries(metric: str) -> bool:
    """Whether its n counts tries rather than records, where records have several trials."""
    return metric in _BY_TRY or (metric.startswith("rule:") and metric.endswith(":pass_rate"))


def limit_title(metric: str, side: str, limit: float) -> str:
    """The mean cost is at most $0.01."""
    words = side.replace("_", " ")
    return capital(f"{name_of(metric)} is {words} {amount(limit, unit_of(metric))}")


def margin_title(metric: str, margin: float) -> str:
    """The pass rate is no worse than the baseline's by more than 3 points."""
    return capital(f"{name_of(metric)} is {_no_worse(metric, margin)}")


def slices_title(metric: str, margin: float, proof: str, families: tuple[str, ...]) -> str:
    name = name_of(metric)
    if proof == "no_harm_seen":
        return capital(f"{name} of no slice{_of(families)} is seen to be {_worse(metric, margin)}")
    return capital(f"{name} of each slice{_of(families)} is {_no_worse(metric, margin)}")


def slice_name(family: str, value: str) -> str:
    """language “German”, of a long value its beginning."""
    shown = value if len(value) <= LONGEST_VALUE else f"{value[: LONGEST_VALUE - 1]}…"
    return f"{family_name(family)} “{shown}”"


def word_of(said: Finding | SeenSlice) -> str:
    """The answer as people read it: what passes unproven, or for want of records, is no pass."""
    if said.code == "no_harm_seen":
        return NO_HARM_SEEN
    too_few = said.answer == "pass" and said.code == "insufficient_samples"
    return TOO_FEW_TO_SAY if too_few else said.answer


def slice_title(metric: str, family: str, value: str) -> str:
    return capital(f"{name_of(metric)} of {family_name(family)} “{value}”")


def said_families(families: Sequence[str]) -> str:
    """task type, language"""
    return ", ".join(family_name(each) for each in families)


def _of(families: tuple[str, ...]) -> str:
    return f" by {said_families(families)}" if families else ""


def _no_worse(metric: str, margin: float) -> str:
    return f"no worse than the baseline's{_by(metric, margin)}"


def _worse(metric: str, margin: float) -> str:
    return f"worse than the baseline's{_by(metric, margin)}"


def _by(metric: str, margin: float) -> str:
    if not margin:
        return ""
    return f" by more than {points(margin, unit_of(metric))}"
