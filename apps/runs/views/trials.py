"""Several trials of a record on the pages: their panel, and the links between a record's tries."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from apps.metrics.contracts import Interval
from apps.runs.models import Run
from apps.runs.queries import Figures
from apps.runs.queries.trials import OfRecord, Try, first_flaky
from apps.web.charts import AxisRange, axis_range
from apps.web.states import look_of

PASSES = {
    "mean": "most of {whose} judged trials pass",
    "pass_any": "one of {whose} trials passes",
    "pass_all": "all {whose} judged trials pass",
    "interval": "most of {whose} judged trials pass at the lower bound of their 95 % interval",
}
"""When a record (`its`) passes, or records (`their`), by the contract's setting."""
SCORES = {
    "mean": "mean of its trials",
    "pass_any": "best of its trials",
    "pass_all": "worst of its trials",
    "interval": "lower bound of the 95 % interval over its trials",
}


@dataclass(frozen=True)
class Line:
    """An estimate over records, and the same with errors counted as not passed."""

    name: str
    says: str
    rate: Interval
    errors_as_fails: Interval | None = None


@dataclass(frozen=True)
class TrialsPanel:
    lines: Sequence[Line]
    scale: AxisRange
    score_mean: Interval
    score_is: str
    flaky_count: int
    flaky: Sequence[OfRecord]


class TryLink(NamedTuple):
    """One try of a record as a badge that leads to it."""

    number: int
    tone: str
    label: str
    address: str
    current: bool


def trials(run: Run, figures: Figures) -> TrialsPanel | None:
    """Two queries where each record has several trials, none where it has one."""
    if run.trials == 1:
        return None
    where = PASSES[run.over_trials].format(whose="their")
    passes = Line("Records that pass", where, figures.of("record_pass_rate"))
    lines = [passes, *_estimates(run, figures)]
    known = [line.rate for line in lines if line.rate.point is not None]
    return TrialsPanel(
        lines=lines,
        scale=axis_range(known),
        score_mean=figures.of("record_score_mean"),
        score_is=SCORES[run.over_trials],
        flaky_count=int(figures.of("flaky_records").point or 0),
        flaky=first_flaky(run),
    )


def try_links(
    run: Run, ordinal: int, of: OfRecord, query: str = "", current: int | None = None
) -> list[TryLink]:
    """A link to each try of a record, inside the same filter."""
    address = reverse("runs:record", args=[run.workspace.slug, run.pk, ordinal])
    return [_link(each, address, query, each.trial == current) for each in of.tries]


def _estimates(run: Run, figures: Figures) -> Iterable[Line]:
    for sign, says in (("@", "at least one of {} tries passes"), ("^", "all of {} tries pass")):
        for k in range(1, run.trials + 1):
            name = f"pass{sign}{k}"
            yield Line(
                name,
                says.format(k) if k > 1 else "a try passes",
                figures.of(name),
                figures.of(f"{name}:errors_as_fails"),
            )


def _link(each: Try, address: str, query: str, current: bool) -> TryLink:
    look = look_of(each.state)
    trial = urlencode({"trial": each.trial}) if each.trial else ""
    asked = "&".join(part for part in (query, trial) if part)
    whole = f"{address}?{asked}" if asked else address
    label = f"Trial {each.number}: {look.label.lower()}"
    return TryLink(each.number, look.tone, label, whole, current)
