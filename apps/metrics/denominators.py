"""The counts that every other number of a run stands on."""

from apps.contract import Contract
from apps.metrics.results import Results


class Denominators(Contract):
    """Counted in results (record × trial), of records that validation rejected as of the others.

    total = valid + invalid; valid = evaluated + failed + skipped;
    evaluated = passed + failed_contract + unjudged.
    """

    total: int
    valid: int
    invalid: int
    evaluated: int
    failed: int
    skipped: int
    passed: int
    failed_contract: int
    unjudged: int


def denominators(results: Results, *, invalid: int) -> Denominators:
    """A timeout or an evaluation error failed; a cancelled result was skipped."""
    valid = len(results.record)
    return Denominators(
        total=valid + invalid,
        valid=valid,
        invalid=invalid,
        evaluated=int(results.evaluated.sum()),
        failed=int(results.failed.sum()),
        skipped=int(results.skipped.sum()),
        passed=int(results.passed.sum()),
        failed_contract=int(results.failed_contract.sum()),
        unjudged=int(results.unjudged.sum()),
    )
