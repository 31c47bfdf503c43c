"""Agreement and calibration of files as lines of a terminal."""

from collections.abc import Iterator, Sequence

from apps.datasets import told
from apps.datasets.told import printable
from apps.metrics.contracts import Interval
from apps.metrics.labels import Calibration, Pairs, PersonAgreement

from .agreeing import FileAgreement, QuestionAgreement
from .calibrating import JudgeCalibration
from .reading import UnfitFile

SHOWN = 10
NAME_CLIP = 40
RATES = (
    "sensitivity", "specificity", "precision", "accuracy", "kappa", "raw", "human", "corrected",
)  # fmt: skip


def errors(unfit: UnfitFile) -> Iterator[str]:
    """With line and code, as `evalhub validate` tells them."""
    yield f"{printable(unfit.body['file'])}:"
    yield from told.lines(unfit.body)


def agreement(found: FileAgreement) -> Iterator[str]:
    yield (
        f"{found.labels:,} labels of {found.people:,} people on {found.items:,} items, "
        f"{found.discarded:,} discarded; alpha is {found.level}, intervals are 95 %."
    )
    for each in found.questions:
        yield ""
        yield from _question(each)


def calibration(found: JudgeCalibration) -> Iterator[str]:
    told_of = found.calibration
    yield f"{printable(str(found.judge))}: pass from {found.threshold:g}"
    yield from _matrix(told_of)
    for name in RATES:
        yield f"  {name:12} {_range(getattr(told_of, name))}"
    yield f"  {told_of.method}: {told_of.why}."


def _question(found: QuestionAgreement) -> Iterator[str]:
    agreement = found.agreement
    yield (
        f"{printable(found.question)}: {agreement.items:,} items with {agreement.pairs:,} pairs "
        f"of labels, {agreement.alone:,} with one label, {agreement.raters:,} people, "
        f"{found.discarded:,} discarded"
    )
    marginals = agreement.marginals[: 2 * SHOWN]
    labels = ", ".join(f"{_short(each.label)} {each.count:,}" for each in marginals)
    further = len(agreement.marginals) - len(marginals)
    yield f"  labels   {labels}{f', … and {further:,} more' if further else ''}"
    for name, interval in (
        ("percent", agreement.percent),
        ("alpha", agreement.alpha),
        ("AC1", agreement.ac1),
    ):
        yield f"  {name:8} {_range(interval)}"
    if agreement.explanation:
        yield f"  {agreement.explanation}"
    yield from _pairs(found.pairs)
    yield from _people(found.people)


def _pairs(found: Pairs) -> Iterator[str]:
    if not found.listed:
        return
    yield "  Cohen's kappa of two people on the items that both have:"
    rows = [("", "items", "percent", "kappa")]
    for each in found.listed[:SHOWN]:
        names = f"{_short(each.first)}, {_short(each.second)}"
        rows.append((names, f"{each.items:,}", _range(each.percent), _range(each.kappa)))
    yield from _table(rows)
    yield from _more(len(found.listed) - SHOWN, found.left_out)


def _people(people: Sequence[PersonAgreement]) -> Iterator[str]:
    if not people:
        return
    yield "  Each against the majority of the others, and against known labels:"
    heading = ("", "labels", "undecided", "alone", "n", "with the others", "n", "with the known")
    yield from _table([heading, *map(_person, people[:SHOWN])])
    yield from _more(len(people) - SHOWN, 0)


def _person(each: PersonAgreement) -> tuple[str, ...]:
    return (
        _short(each.annotator),
        *(f"{count:,}" for count in (each.labels, each.undecided, each.alone)),
        *(f"{each.consensus.n:,}", _range(each.consensus)),
        *(f"{each.gold.n:,}", _range(each.gold)),
    )


def _matrix(found: Calibration) -> Iterator[str]:
    counts = found.confusion
    yield (
        f"  {found.units:,} units: {counts.n:,} with both, {found.judged:,} judged, "
        f"{found.labelled:,} labelled"
    )
    for each in found.left_out:
        yield f"    left out: {each.count:,}, {printable(each.reason)}"
    yield from _table(
        [
            ("", "people pass", "people fail"),
            ("judge passes", f"{counts.true_pass:,}", f"{counts.false_pass:,}"),
            ("judge fails", f"{counts.false_fail:,}", f"{counts.true_fail:,}"),
        ]
    )


def _range(interval: Interval) -> str:
    reason = f"  ({printable(interval.reason)})" if interval.reason else ""
    if interval.point is None:
        return f"–{reason}"
    if interval.low is None or interval.high is None:
        return f"{interval.point:.3f}{reason}"
    return f"{interval.point:.3f}  {interval.low:.3f} to {interval.high:.3f}"


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The first row is the heading."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"    {'  '.join(cells)}".rstrip()


def _more(hidden: int, left_out: int) -> Iterator[str]:
    if hidden > 0:
        yield f"    … and {hidden:,} more: --json lists them."
    if left_out:
        yield f"    {left_out:,} further pairs of people are left out."


def _short(name: str) -> str:
    safe = printable(name)
    return safe if len(safe) <= NAME_CLIP else f"{safe[: NAME_CLIP - 1]}…"
