"""Distributions over each other, as outlines of steps."""

from collections.abc import Iterator, Mapping

from apps.metrics.contracts import Distribution
from apps.web.drawing import Unit, add, clipped, say, text_of, write

from .binning import bins_of, in_common_bins
from .histograms import round_values
from .pictures import Cell, Picture
from .plots import HEIGHT, Plot, nothing, plot, scale_below
from .whiskers import AxisRange, from_zero

_LINE = 18
_LABEL = 28
_FINE = 1000
"""Across the box that the outlines are drawn in, which is stretched to the width."""
_LOOKS = 8


def distributions(series: Mapping[str, Distribution], *, unit: Unit, name: str) -> Picture:
    """The share of each series in each bin; a dash pattern as well as a colour tells them apart.

    The bins are the same for all: what is higher in one holds more of its own results there.
    """
    series = in_common_bins(series)
    alt = _words(series, unit, name)
    return Picture(
        name=name,
        svg=_drawn(series, unit, alt),
        alt=alt,
        columns=("series", "from", "to", "count", "share"),
        rows=tuple(_numbers(series)),
    )


def _numbers(series: Mapping[str, Distribution]) -> Iterator[tuple[Cell, ...]]:
    for label, one in series.items():
        for start, end, count in bins_of(one):
            yield label, start, end, count, count / one.count if one.count else None
        if one.above:
            yield label, one.edges[-1], one.maximum, one.above, one.above / one.count


def _words(series: Mapping[str, Distribution], unit: Unit, name: str) -> str:
    told = [f"{label}: {_summed(one, unit)}" for label, one in series.items()]
    return f"{name}. {'; '.join(told)}" if told else f"{name}: no values yet"


def _summed(one: Distribution, unit: Unit) -> str:
    if one.mean is None or one.minimum is None or one.maximum is None:
        return "no values yet"
    ends = f"from {say(one.minimum, unit)} to {say(one.maximum, unit)}"
    above = f", {one.above:,} above {say(one.edges[-1], unit)}" if one.above else ""
    return f"n = {one.count:,}, mean {say(one.mean, unit)}, {ends}{above}"


def _drawn(series: Mapping[str, Distribution], unit: Unit, alt: str) -> str:
    known = {label: one for label, one in series.items() if any(one.counts)}
    if not known:
        return nothing("outlines", alt, "No values yet")
    shares = {label: [count / one.count for count in one.counts] for label, one in known.items()}
    x = AxisRange(
        low=min(one.edges[0] for one in known.values()),
        high=max(one.edges[-1] for one in known.values()),
        ticks=2,
    )
    y = from_zero(max(max(each) for each in shares.values()))
    drawn = plot("outlines", alt, x=x, y=y, y_unit="percent", top=18 + _LINE * len(series))
    scale_below(drawn, round_values(x), unit, x.high)
    for place, (label, one) in enumerate(series.items()):
        look = f"series s{place % _LOOKS}"
        _legend(drawn, place, look, f"{clipped(label, _LABEL)} · {_short(one, unit)}")
        if label in known:
            _outline(drawn, look, one, shares[label])
    return text_of(drawn.svg)


def _short(one: Distribution, unit: Unit) -> str:
    return f"mean {say(one.mean, unit)}, n = {one.count:,}" if one.mean is not None else "no values"


def _legend(drawn: Plot, place: int, look: str, text: str) -> None:
    y = 12 + _LINE * place
    add(drawn.svg, "line", cls=look, x1=-44, x2=-18, y1=y - 4, y2=y - 4)
    write(drawn.svg, "name", -10, y, "start", text)


def _outline(drawn: Plot, look: str, one: Distribution, shares: list[float]) -> None:
    box = {"viewBox": f"0 0 {_FINE} {HEIGHT}", "preserveAspectRatio": "none"}
    stretched = add(drawn.area, "svg", width="100%", height=HEIGHT, **box)
    steps = [f"M{_across(drawn, one.edges[0])} {HEIGHT}"]
    for (_start, end, _count), share in zip(bins_of(one), shares, strict=True):
        steps.append(f"V{drawn.down(share)}H{_across(drawn, end)}")
    add(stretched, "path", cls=look, d="".join([*steps, f"V{HEIGHT}"]))


def _across(drawn: Plot, value: float) -> float:
    return round(drawn.along(value) * _FINE / 100, 1)
