"""Pictures of anything: well-formed, without a number that is none, told in words."""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.metrics.contracts import Interval
from apps.metrics.distributions import latencies
from apps.metrics.labels import Confusion
from apps.web.charts import (
    ForestRow,
    TrendPoint,
    confusion_matrix,
    distributions,
    forest,
    histogram,
    paired_scatter,
    trend_lines,
)
from apps.web.drawing import Unit

from .test_pictures import is_sound

UNITS: tuple[Unit, ...] = ("percent", "points", "score", "ms", "usd", "count")

numbers = st.floats(allow_nan=False, allow_infinity=False)
some_units = st.sampled_from(UNITS)


@st.composite
def intervals(draw: Callable[[st.SearchStrategy[float | None]], float | None]) -> Interval:
    point, low, high = (draw(st.none() | numbers) for _ in range(3))
    return Interval(point=point, low=low, high=high, n=3, method="m", reason="too few to say")


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.text(), intervals(), st.text()), max_size=5),
    some_units,
    numbers,
    st.text(),
)
def test_any_forest_is_sound(
    rows: list[tuple[str, Interval, str]], unit: Unit, reference: float, name: str
) -> None:
    lines = [ForestRow(label=label, interval=one, note=note) for label, one, note in rows]

    is_sound(forest(lines, unit=unit, reference=reference, name=name))


@settings(max_examples=60)
@given(st.lists(st.tuples(st.floats(), st.floats()), max_size=8), some_units, st.text())
def test_any_scatter_is_sound(pairs: list[tuple[float, float]], unit: Unit, name: str) -> None:
    before, after = [one for one, _ in pairs], [other for _, other in pairs]

    is_sound(paired_scatter(before, after, unit=unit, name=name))


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.text(), intervals()), max_size=6),
    st.none() | st.tuples(st.floats(), st.floats()),
    st.dictionaries(st.integers(-2, 9), st.text(), max_size=5),
    some_units,
)
def test_any_trend_is_sound(
    points: list[tuple[str, Interval]],
    line: tuple[float, float] | None,
    marks: dict[int, str],
    unit: Unit,
) -> None:
    told = [TrendPoint(label=label, interval=one) for label, one in points]

    is_sound(trend_lines(told, line=line, marks=marks, unit=unit, name="Metric"))


@settings(max_examples=60)
@given(st.dictionaries(st.text(), st.lists(st.floats(0, 1e9), max_size=9), max_size=10), some_units)
def test_any_distributions_are_sound(values: dict[str, list[float]], unit: Unit) -> None:
    shapes = {label: latencies(some) for label, some in values.items()}

    is_sound(distributions(shapes, unit=unit, name="Latency"))
    for label, shape in shapes.items():
        is_sound(histogram(shape, {label: shape.mean}, unit=unit, name=label))


@given(st.tuples(*[st.integers(0, 10**9)] * 4))
def test_any_matrix_is_sound(counts: tuple[int, int, int, int]) -> None:
    names = ("true_pass", "false_pass", "false_fail", "true_fail")

    is_sound(confusion_matrix(Confusion(**dict(zip(names, counts, strict=True))), name="Judge"))
