"""Whether there is a baseline that can be compared with. Pure."""

from apps.analysis.gates.checking.grounds import Grounds
from apps.analysis.gates.contracts import DecidedRun
from apps.metrics.gated import Finding

UNFINISHED = ("failed", "cancelled")
"""States of a run that did not reach its end."""

NO_BASELINE = Finding(
    answer="inconclusive",
    code="no_baseline",
    reason="There is no baseline to compare with.",
    evidence="A baseline: approve a run as the policy's, or name one.",
)


def lacks_baseline(grounds: Grounds) -> Finding | None:
    """Why nothing can be compared; None where it can."""
    run = grounds.baseline
    if run is None:
        return NO_BASELINE
    if not (why := _unfit(run)):
        return None
    return Finding(
        answer="inconclusive",
        code="no_baseline",
        reason=f"{run.title} is no baseline to compare with: {why}.",
        evidence="A baseline that answered every record: approve one as the policy's, or name one.",
    )


def _unfit(run: DecidedRun) -> str:
    """In words; nothing where it is fit to be compared with."""
    counts, unit = run.counts, run.counted_in
    reasons = (
        f"it is {run.state}" if run.state in UNFINISHED else "",
        f"as a pilot it left out {run.left_out:,} of {run.whole:,} valid {unit}"
        if run.left_out
        else "",
        f"{counts.skipped:,} of its {counts.valid:,} valid {unit} were never asked"
        if counts.skipped
        else "",
        f"{counts.failed:,} of its {counts.valid:,} valid {unit} ended with an error"
        if counts.failed * 2 > counts.valid
        else "",
    )
    return " and ".join(filter(None, reasons))
