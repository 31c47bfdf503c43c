"""What holds of every comparison, whatever the values, groups, errors and slices."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.metrics.arrays import Floats, Integers
from apps.metrics.compared import Difference
from apps.metrics.comparing import Measure, Pairs, compare
from apps.metrics.contracts import Interval

from .two_runs import whole

NAN = float("nan")
UNITS = st.sampled_from([0.0, 1.0, 0.5, 1 / 3, NAN])
ANYTHING = st.one_of(UNITS, st.floats(-1e6, 1e6), st.floats())
OPPOSITE = {"better": "worse", "worse": "better"}


class Drawn(NamedTuple):
    pairs: Pairs
    measures: list[Measure]
    slices: dict[tuple[str, str], Integers]


@st.composite
def comparisons(draw: st.DrawFn) -> Drawn:
    n = draw(st.integers(0, 40))
    failed = [draw(_column(st.booleans(), n)).astype(np.bool_) for _ in range(2)]
    width = draw(st.sampled_from([1, 3, 10, 10_000]))
    clusters = draw(_column(st.integers(0, width), n)).astype(np.int64)
    positions = draw(_column(st.integers(0, 2), n))
    return Drawn(
        Pairs(failed[0], failed[1], clusters),
        [draw(_measure(n, name)) for name in ("one", "two")],
        {("part", str(i)): np.flatnonzero(positions == i) for i in range(4)},
    )


@st.composite
def _measure(draw: st.DrawFn, n: int, name: str) -> Measure:
    binary = draw(st.booleans())
    values = st.sampled_from([0.0, 1.0, NAN]) if binary else ANYTHING
    before, after = (draw(_column(values, n)).astype(float) for _ in range(2))
    zeros = tuple(np.where(np.isnan(side), 0, side) for side in (before, after))
    with_errors = (zeros[0], zeros[1]) if draw(st.booleans()) else None
    return Measure(name, before, after, binary, draw(st.booleans()), with_errors)


def _column(values: st.SearchStrategy[object], n: int) -> st.SearchStrategy[Floats]:
    return st.lists(values, min_size=n, max_size=n).map(np.array)


def compared(drawn: Drawn) -> list[Difference]:
    whole, slices = compare(
        drawn.pairs, drawn.measures, drawn.slices, seed=3, sliced=["one", "two"]
    )
    return [*whole, *slices]


@settings(deadline=None, max_examples=60)
@given(comparisons())
def test_every_comparison_has_an_answer_whose_numbers_add_up(drawn: Drawn) -> None:
    found = compared(drawn)

    sizes = [len(drawn.pairs.clusters)] * 2 + [len(each) for each in drawn.slices.values()] * 2
    assert [one.moves.shared for one in found] == sizes
    for one in found:
        assert one.difference.n == one.baseline.n == one.candidate.n == one.n
        assert one.reason
        assert one.p is None or 0 <= one.p <= 1
        assert one.p_adjusted is None or one.p is not None
        _in_order(one.difference)
        _in_order(one.baseline)


def _in_order(interval: Interval) -> None:
    if interval.low is None or interval.high is None or interval.point is None:
        return
    slack = 1e-6 * max(abs(interval.low), abs(interval.high), abs(interval.point))
    assert interval.low - slack <= interval.point <= interval.high + slack


@settings(deadline=None, max_examples=60)
@given(comparisons())
def test_a_verdict_points_where_the_difference_does(drawn: Drawn) -> None:
    for one in compared(drawn):
        if one.verdict == "inconclusive":
            continue
        assert one.difference.point
        assert (one.difference.point > 0) == ((one.verdict == "better") == one.higher_is_better)
        assert one.n >= 20
        assert one.difference.low is not None
        assert (one.p_adjusted if one.family else one.p or 0) <= 0.05


@settings(deadline=None, max_examples=60)
@given(comparisons())
def test_swapped_runs_give_the_mirror_image(drawn: Drawn) -> None:
    pairs = Pairs(drawn.pairs.candidate_failed, drawn.pairs.baseline_failed, drawn.pairs.clusters)
    swapped = [_swapped(measure) for measure in drawn.measures]

    there, back = compared(drawn), compared(drawn._replace(pairs=pairs, measures=swapped))

    for one, other in zip(there, back, strict=True):
        assert (one.moves.better, one.moves.worse) == (other.moves.worse, other.moves.better)
        assert OPPOSITE.get(one.verdict, one.verdict) == other.verdict
        assert (one.p, one.p_adjusted) == (near(other.p), near(other.p_adjusted))
        assert (one.baseline, one.candidate) == (other.candidate, other.baseline)
        mirrored = other.difference
        assert one.difference.low == near(None if mirrored.high is None else -mirrored.high)
        assert one.difference.high == near(None if mirrored.low is None else -mirrored.low)


def _swapped(measure: Measure) -> Measure:
    turned = None if measure.with_errors is None else measure.with_errors[::-1]
    return Measure(
        measure.metric,
        measure.candidate,
        measure.baseline,
        measure.binary,
        measure.higher_is_better,
        turned,
    )


@settings(deadline=None, max_examples=60)
@given(comparisons(), st.integers(0, 1000))
def test_the_order_of_the_pairs_does_not_matter(drawn: Drawn, shuffle: int) -> None:
    n = len(drawn.pairs.clusters)
    order = np.random.default_rng(shuffle).permutation(n)
    place = np.argsort(order)
    pairs = Pairs(
        drawn.pairs.baseline_failed[order],
        drawn.pairs.candidate_failed[order],
        _renumbered(drawn.pairs.clusters[order]),
    )
    moved = [_moved(measure, order) for measure in drawn.measures]
    slices = {key: place[held] for key, held in drawn.slices.items()}

    there, here = compared(drawn), compared(Drawn(pairs, moved, slices))

    for one, other in zip(there, here, strict=True):
        assert one.moves == other.moves
        assert (one.p, one.detectable) == (near(other.p), near(other.detectable))
        for name in ("baseline", "candidate", "difference"):
            first, second = getattr(one, name), getattr(other, name)
            assert (first.low, first.high) == (near(second.low), near(second.high))


def _moved(measure: Measure, order: Integers) -> Measure:
    errors = measure.with_errors
    return Measure(
        measure.metric,
        measure.baseline[order],
        measure.candidate[order],
        measure.binary,
        measure.higher_is_better,
        None if errors is None else (errors[0][order], errors[1][order]),
    )


def _renumbered(clusters: Integers) -> Integers:
    """Numbers by first appearance: another order, other numbers."""
    _, first, names = np.unique(clusters, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[names] if len(clusters) else clusters


def near(value: float | None) -> object:
    if value is None or math.isinf(value):
        return value
    return pytest.approx(value, rel=1e-6, abs=1e-9)


def test_the_same_seed_gives_the_same_answer_and_another_seed_hardly_another() -> None:
    before, after = np.random.default_rng(1).normal(0, 1, (2, 60))
    measure = Measure("score", before, after)
    nobody = np.zeros(60, dtype=np.bool_)
    pairs = Pairs(nobody, nobody, np.arange(60))

    first, again, other = (
        compare(pairs, [measure], {}, seed=seed, sliced=())[0][0] for seed in (1, 1, 2)
    )

    assert first == again
    assert first.difference != other.difference
    assert first.p == pytest.approx(other.p, abs=0.02)


def test_random_patterns_mirror_and_do_not_mind_the_order_either() -> None:
    rng = np.random.default_rng(2)
    before, after, order = rng.random(90), rng.random(90) + 0.1, rng.permutation(90)
    clusters = np.arange(90) // 3

    straight = whole(Measure("score", before, after), clusters)
    mirrored = whole(Measure("score", after, before), clusters)
    shuffled = whole(Measure("score", before[order], after[order]), _renumbered(clusters[order]))

    assert straight.test == "sign flip of groups, random patterns"
    assert straight.p == near(mirrored.p) == near(shuffled.p)
    assert straight.difference.low == near(-(mirrored.difference.high or 0))
    assert straight.difference.low == near(shuffled.difference.low)


def test_no_p_is_zero_however_large_the_difference() -> None:
    before = np.random.default_rng(3).random(50)

    found = whole(Measure("score", before, before + np.linspace(1, 2, 50)))

    # Hoeffding: 2 exp(-z² / 2), z² here 48.2, where 10,000 patterns alone would say .0002.
    assert found.p is not None
    assert 1e-12 < found.p < 1e-9
