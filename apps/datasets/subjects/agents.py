"""What scenarios and sessions have in common for graders: rules, outcomes, verifier outputs."""

from collections.abc import Mapping
from typing import Any

from apps.grading.combining import OwnRules
from apps.grading.dialects.scenarios import of_outcomes, of_rules
from apps.grading.subjects import VerifierOutput

Row = Mapping[str, Any]

MOST_OUTPUTS = 100
_TEXTS = ("verifier_id", "verifier_contract_version", "failure_attribution")
_NAMES = (*_TEXTS, "verifier_evidence_refs")


def rules_of(row: Row) -> OwnRules:
    """The grading rules, then one for each expected outcome; where both say the same, both stand.

    A scenario whose own `blocking` is false only warns of its outcomes.
    """
    outcomes = row.get("expected_outcomes") or {}
    blocking = row.get("blocking") is not False
    rules = of_rules(row.get("grading_rules") or ())
    return OwnRules(rules=(*rules, *of_outcomes(outcomes, blocking=blocking)))


def verifier_outputs_of(row: Row) -> tuple[VerifierOutput, ...]:
    """One output or a list of them; what the row itself says of its verifier is one too."""
    said = row.get("verifier_outputs") or ()
    outputs = said if isinstance(said, list) else (said,) if isinstance(said, Mapping) else ()
    own = {name: row[name] for name in _NAMES if name in row}
    found = [output for output in outputs if isinstance(output, Mapping)]
    return tuple(_output(output) for output in ([*found, own] if own else found)[:MOST_OUTPUTS])


def _output(said: Row) -> VerifierOutput:
    texts = {name: said[name] for name in _TEXTS if isinstance(said.get(name), str)}
    refs = said.get("verifier_evidence_refs")
    return VerifierOutput(
        **texts,
        process_score=_number(said.get("process_score")),
        outcome_score=_number(said.get("outcome_score")),
        verifier_evidence_refs=tuple(ref for ref in refs or () if isinstance(ref, str)),
    )


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number else None
