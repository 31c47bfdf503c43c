"""Which answers are in doubt by what a run's own scores say."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from apps.grading.rules import RULE_OF_TYPE
from apps.labeling.plans import How
from apps.runs.models import Run, Score

USUAL_THRESHOLD = 0.5
"""Of scores whose rule is in no contract: imported ones, and those of the data's own rules."""

_WARNED = ("fail", "warn")
_COLUMNS = ("result", "rule", "value", "verdict", "method", "verifier", "raw")
_AT_ONCE = 2_000


class _Said(NamedTuple):
    """What one rule says of one result."""

    result: int
    rule: str
    value: float | None
    verdict: str
    method: str
    verifier: str
    raw: dict[str, Any] | None


def doubts_about(run: Run, how: How) -> dict[int, float]:
    """By result: how near it is to doubt, 0 nearest; nothing for a sample drawn by chance.

    `disagreement`: a blocking judge and a rule in code that looks at the outcome say the opposite,
    or the judges of a panel differ. `low_confidence`: the smallest distance of a score from the
    threshold of its rule.
    """
    if how == "disagreement":
        return _disagreements(run)
    return _distances(run) if how == "low_confidence" else {}


def _disagreements(run: Run) -> dict[int, float]:
    rules = _rules_of(run)
    judges: dict[int, set[bool]] = {}
    codes: dict[int, set[bool]] = {}
    found: dict[int, float] = {}
    for said in _said(run):
        if said.method == "judge":
            if _is_divided(said.raw):
                found[said.result] = 0.0
            if rules.get(said.rule, (True, None))[0] and said.verdict in ("pass", "fail"):
                judges.setdefault(said.result, set()).add(said.verdict == "pass")
        elif said.verdict in ("pass", *_WARNED) and _looks_at_outcome(said.verifier):
            codes.setdefault(said.result, set()).add(said.verdict == "pass")
    for result, verdicts in judges.items():
        if {not verdict for verdict in verdicts} & codes.get(result, set()):
            found[result] = 0.0
    return found


def _distances(run: Run) -> dict[int, float]:
    rules = _rules_of(run)
    found: dict[int, float] = {}
    for said in _said(run):
        threshold = rules.get(said.rule, (True, USUAL_THRESHOLD))[1]
        if said.value is not None and threshold is not None:
            distance = abs(said.value - threshold)
            found[said.result] = min(distance, found.get(said.result, distance))
    return found


def _said(run: Run) -> Iterable[_Said]:
    rows = Score.objects.filter(run=run).order_by("pk").values_list(*_COLUMNS)
    return (_Said(*row) for row in rows.iterator(chunk_size=_AT_ONCE))


def _rules_of(run: Run) -> Mapping[str, tuple[bool, float | None]]:
    """By name: whether it is blocking, and its threshold where a value may come near it."""
    version = run.contract_version
    rules = version.parsed.rules if version else ()
    return {rule.name: (rule.decides, _approachable(rule.threshold)) for rule in rules}


def _approachable(threshold: float) -> float | None:
    """A rule that asks for all or for nothing says yes or no: no value is near its threshold."""
    return threshold if 0 < threshold < 1 else None


def _looks_at_outcome(verifier: str) -> bool:
    rule = RULE_OF_TYPE.get(verifier.partition("@")[0])
    return rule is not None and rule.aspect == "outcome"


def _is_divided(raw: Mapping[str, Any] | None) -> bool:
    """Whether the judges of a panel saw a criterion differently."""
    opinions = (raw or {}).get("opinions")
    sides: dict[str, set[bool]] = {}
    for opinion in opinions if isinstance(opinions, list) else ():
        if isinstance(opinion, dict) and isinstance(opinion.get("passed"), bool):
            sides.setdefault(str(opinion.get("criterion")), set()).add(opinion["passed"])
    return any(len(each) > 1 for each in sides.values())
