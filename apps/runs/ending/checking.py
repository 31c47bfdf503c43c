"""The thresholds of a run's contract, held against what the run measured."""

from collections.abc import Mapping

from apps.grading.checks import Check, check_thresholds
from apps.metrics.contracts import Interval
from apps.runs.models import Run


def checks_of(run: Run, measured: Mapping[str, Interval]) -> tuple[Check, ...]:
    """One of each threshold, `measured` by the names of the summary; none without a contract."""
    version = run.contract_version
    return check_thresholds(version.parsed.thresholds, measured) if version else ()
