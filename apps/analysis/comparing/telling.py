"""A comparison as lines for a terminal. Pure."""

from collections.abc import Iterable, Iterator, Sequence

from apps.metrics.compared import Difference, PairedRuns
from apps.metrics.contracts import Interval

from .unlike import Unlike

_HEADER = ("metric", "baseline", "candidate", "difference", "n", "p", "verdict", "moves")


def lines(body: PairedRuns, differs: Iterable[Unlike], metric: str | None) -> Iterator[str]:
    """What pairs, in what the runs differ beside, then every metric, or one with its slices."""
    shared = body.shared
    yield (
        f"  {shared.shared:,} records in both, {shared.only_baseline:,} only in the baseline, "
        f"{shared.only_candidate:,} only in the candidate"
    )
    for other in differs:
        sign = "!" if other.is_warning else "-"
        yield f"  {sign} {other.says}"
    if slices_left := body.slices_left_out:
        yield f"  - {slices_left:,} of the smallest slices are left out"
    chosen = [each for each in body.whole if metric in (None, each.metric)]
    slices = [each for each in body.slices if metric == each.metric]
    yield from _table([*chosen, *slices])
    if (tested := sum(each.p_adjusted is not None for each in slices)) > 1:
        yield (
            f"  - p of a slice is after Holm's correction for {tested:,} slices, and so is its "
            "verdict; its interval is of the slice by itself"
        )
    yield from (f"  {each.metric}: {each.reason}" for each in chosen if each.reason)


def _table(rows: Sequence[Difference]) -> Iterator[str]:
    cells = [_HEADER, *map(_row, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield f"  {'  '.join(padded)}".rstrip()


def _row(found: Difference) -> tuple[str, ...]:
    moves = found.moves
    return (
        f"{found.family}={found.value}" if found.family else found.metric,
        _point(found.baseline),
        _point(found.candidate),
        _interval(found.difference),
        f"{found.n:,}",
        _p(found),
        found.verdict,
        f"{moves.better:,} better, {moves.worse:,} worse, {moves.same:,} same, "
        f"{moves.error:,} errors, {moves.unscored:,} unscored",
    )


def _point(found: Interval) -> str:
    return "not known" if found.point is None else f"{found.point:.4g}"


def _p(found: Difference) -> str:
    if not found.family:
        return "none" if found.p is None else f"{found.p:.3g}"
    return "too few" if found.p_adjusted is None else f"{found.p_adjusted:.3g}"


def _interval(found: Interval) -> str:
    if found.point is None:
        return "not known"
    if found.low is None or found.high is None:
        return f"{found.point:+.4g}"
    return f"{found.point:+.4g} [{found.low:+.4g}, {found.high:+.4g}]"
