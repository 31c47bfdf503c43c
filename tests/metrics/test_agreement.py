"""Percent, alpha and AC1: conformance, textbook values and the edges of what can be computed."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from apps.metrics.agreement import of_question
from apps.metrics.agreement.alpha import alpha
from apps.metrics.agreement.labelled import counts_of, table_of
from apps.metrics.intervals import rate
from apps.metrics.labels import Agreement, Level, Marginal
from tests.metrics.labellers import (
    Distance,
    Frame,
    by_item,
    interval,
    nominal,
    of_grid,
    of_rows,
    ordinal,
    slow_ac1,
    slow_alpha,
    slow_percent,
)

CHECKOUT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
FILE = SHARED / "conformance" / "agreement_and_intervals.json"
CASES: dict[str, Any] = json.loads(FILE.read_text()) if FILE.is_file() else {}
BOOT: dict[str, list[float | None]] = CASES.get("boot", {})
here = pytest.mark.skipif(
    not CASES, reason=f"{FILE.name} is not here: set EVALHUB_SHARED to the shared folder"
)

# Krippendorff 2011, "Computing Krippendorff's alpha-reliability", example C: four observers,
# twelve units, and the same data in Gwet's handbook and in irrCAC as cac.raw4raters.
FOUR_OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def table_of_two(both: int, first_only: int, second_only: int, neither: int) -> Frame:
    first = ["yes"] * (both + first_only) + ["no"] * (second_only + neither)
    second = ["yes"] * both + ["no"] * first_only + ["yes"] * second_only + ["no"] * neither
    return of_grid([first, second])


@here
@pytest.mark.parametrize("name", CASES.get("alpha", []))
def test_alpha_and_percent_are_those_of_the_conformance_file(name: str) -> None:
    case = CASES["alpha"][name]

    found = of_question(of_grid(case["data"]))

    for interval_, expected in ((found.alpha, case["alpha"]), (found.percent, case["pct"])):
        assert interval_.point == (None if expected is None else pytest.approx(expected))
        assert bool(interval_.reason) or expected is not None


# What the file says of intervals was drawn 200 times with seed 7, over all items.
@here
@pytest.mark.parametrize("name", [name for name, (low, _) in BOOT.items() if low is not None])
def test_the_same_resamples_give_the_intervals_of_the_conformance_file(name: str) -> None:
    grid = CASES["alpha"][name]["data"]
    table = table_of(of_grid(grid))
    counts = counts_of(table)
    items, rng = len(grid[0]), np.random.default_rng(7)
    drawn = [rng.integers(0, items, items) for _ in range(200)]
    kinds = {item: kind_of(counts, labels) for item, labels in labels_by_place(grid).items()}
    weights = np.zeros((200, len(counts.items)))
    for row, places in enumerate(drawn):
        for place in places:
            if place in kinds:
                weights[row, kinds[place]] += 1

    values = alpha(counts, weights, "nominal")

    bounds = np.nanpercentile(values, [2.5, 97.5])
    assert bounds.tolist() == pytest.approx(BOOT[name])


def labels_by_place(grid: list[list[Any]]) -> dict[int, list[str]]:
    columns = enumerate(zip(*grid, strict=True))
    found = {place: [str(each) for each in column if each is not None] for place, column in columns}
    return {place: labels for place, labels in found.items() if labels}


def kind_of(counts: Any, labels: list[str]) -> int:
    row = [labels.count(name) for name in counts.names]
    return int(np.flatnonzero((counts.matrix.toarray() == row).all(axis=1))[0])


@here
@pytest.mark.parametrize(("hits", "n", "low", "high"), CASES.get("wilson", []))
def test_rates_have_the_intervals_of_the_conformance_file(
    hits: int, n: int, low: float | None, high: float | None
) -> None:
    found = rate(hits, n)

    assert found.low == (None if low is None else pytest.approx(low, abs=1e-12))
    assert found.high == (None if high is None else pytest.approx(high, abs=1e-12))


@pytest.mark.parametrize(
    ("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_alpha_of_four_observers_is_krippendorffs(level: Level, expected: float) -> None:
    found = of_question(of_grid(FOUR_OBSERVERS), level=level)

    assert found.alpha.point == pytest.approx(expected, abs=5e-4)
    assert found.level == level


def test_ac1_of_four_observers_is_gwets() -> None:
    found = of_question(of_grid(FOUR_OBSERVERS))

    assert found.ac1.point == pytest.approx(0.77544, abs=5e-6)
    assert found.percent.point == pytest.approx(0.81818, abs=5e-6)


# Gwet 2002, "Kappa statistic is not satisfactory": 118, 5, 2 and 0 of 125.
def test_ac1_stays_near_the_agreement_where_nearly_all_labels_are_the_same() -> None:
    found = of_question(table_of_two(118, 5, 2, 0))

    assert found.percent.point == pytest.approx(0.944)
    assert found.ac1.point == pytest.approx(0.9408, abs=5e-5)
    assert found.alpha.point == pytest.approx(-0.0247, abs=5e-4)


def test_the_counts_behind_the_figures_add_up() -> None:
    found = of_question(of_grid(FOUR_OBSERVERS))

    assert (found.items, found.alone, found.raters) == (11, 1, 4)
    assert found.pairs == 8 * 6 + 2 * 3 + 1
    assert found.labels == 41 == sum(each.count for each in found.marginals)
    assert found.marginals[0] == Marginal(label="1", count=9)
    assert (found.percent.n, found.alpha.n, found.ac1.n) == (11, 11, 11)


def test_constant_labels_agree_entirely() -> None:
    found = of_question(of_grid([["yes"] * 5, ["yes"] * 5]))

    for each in (found.percent, found.alpha, found.ac1):
        assert (each.point, each.low, each.high) == (1, 1, 1)
    assert "at most 60.0 %" in found.percent.reason


@pytest.mark.parametrize("grid", [[], [["yes", "no"]], [["yes", None], [None, "no"]]])
def test_without_two_people_on_an_item_nothing_is_computed(grid: list[list[str | None]]) -> None:
    found = of_question(of_grid(grid))

    for each in (found.percent, found.alpha, found.ac1):
        assert (each.point, each.low, each.high, each.n) == (None, None, None, 0)
        assert each.reason == "no item has labels of two people"


def test_one_item_has_figures_but_no_interval() -> None:
    found = of_question(of_grid([["yes", "no"], ["no", None]]))

    assert (found.alpha.point, found.alpha.low, found.alpha.n) == (0, None, 1)
    assert found.alpha.reason == "one item has no interval"


@pytest.mark.parametrize("level", ["ordinal", "interval"])
def test_an_order_of_labels_that_are_not_numbers_is_refused(level: Level) -> None:
    found = of_question(of_grid([["good", "4"], ["good", "4"]]), level=level)

    assert found.alpha.point is None
    assert found.alpha.reason == f"{level} needs labels that are numbers"
    assert found.percent.point == 1


def test_numbers_are_the_same_label_however_they_are_written() -> None:
    grid = [["1", "2.0", "10"], ["1.0", "2", "3"]]

    ordered, named = of_question(of_grid(grid), level="ordinal"), of_question(of_grid(grid))

    assert ordered.percent.point == pytest.approx(2 / 3)
    assert [each.label for each in ordered.marginals] == ["1", "2.0", "3", "10"]
    assert named.percent.point == 0


def test_empty_labels_do_not_count() -> None:
    frame = of_grid([["yes", "no"], ["yes", "no"]])
    more = {
        "item": [*frame["item"], "item 0", "item 1"],
        "annotator": [*frame["annotator"], "Bob", "Bob"],
        "label": [*frame["label"], "", None],
    }

    assert of_question(more) == of_question(frame)


def test_two_labels_of_one_person_on_an_item_are_refused() -> None:
    with pytest.raises(ValueError, match="Bob has two labels on item 1"):
        of_question(of_rows([("item 1", "Bob", "yes"), ("item 1", "Bob", "no")]))


def test_a_frame_without_its_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="lacks the columns annotator, label"):
        of_question({"item": []})


def test_ac1_counts_the_labels_that_nobody_gave() -> None:
    grid = of_grid([["1", "1", "2", "2"], ["1", "2", "2", "2"]])

    given_ones = of_question(grid)
    possible = of_question(grid, options=["1", "2", "3", "4"])

    assert given_ones.ac1.point == pytest.approx(slow_ac1(by_item(grid), "12"))
    assert possible.ac1.point == pytest.approx(slow_ac1(by_item(grid), "1234"))
    assert possible.alpha == given_ones.alpha


def test_the_same_seed_gives_the_same_intervals_and_another_seed_others() -> None:
    frame = of_grid(np.random.default_rng(1).integers(1, 4, (3, 40)).tolist())

    assert of_question(frame, seed=7) == of_question(frame, seed=7)
    assert of_question(frame, seed=7) != of_question(frame, seed=8)


def test_it_goes_to_json_and_back() -> None:
    found = of_question(of_grid(FOUR_OBSERVERS), level="ordinal")

    assert Agreement.model_validate_json(found.model_dump_json()) == found


grids = st.integers(2, 4).flatmap(
    lambda people: st.lists(
        st.lists(
            st.none() | st.integers(1, 4).map(str), min_size=people, max_size=people
        ),
        min_size=1,
        max_size=12,
    )
).map(lambda columns: [list(row) for row in zip(*columns, strict=True)])  # fmt: skip


@given(grids)
def test_every_figure_is_that_of_the_slow_way(grid: list[list[str | None]]) -> None:
    frame = of_grid(grid)
    items = by_item(frame)
    paired = [each for labels in items if len(labels) > 1 for each in labels]
    assume(len(set(paired)) > 1)
    distances: list[tuple[Level, Distance]] = [
        ("nominal", nominal),
        ("ordinal", ordinal),
        ("interval", interval),
    ]

    for level, distance in distances:
        found = of_question(frame, level=level)

        paired_items = [labels for labels in items if len(labels) > 1]
        assert found.alpha.point == pytest.approx(slow_alpha(paired_items, distance), abs=1e-9)
        assert found.percent.point == pytest.approx(slow_percent(items))
        assert found.ac1.point == pytest.approx(slow_ac1(items, sorted(set(frame["label"]))))


@given(st.lists(st.sampled_from("abc"), min_size=2, max_size=12), st.integers(2, 4))
def test_perfect_agreement_is_one_by_every_measure(labels: list[str], people: int) -> None:
    found = of_question(of_grid([labels] * people))

    for each in (found.percent, found.alpha, found.ac1):
        assert (each.point, each.low, each.high) == (1, 1, 1)


@given(grids, st.randoms())
def test_order_and_names_of_items_people_and_labels_do_not_matter(
    grid: list[list[str | None]], random: Any
) -> None:
    rows = list(zip(*of_grid(grid).values(), strict=True))
    renamed = [(f"x{item}", f"z{person}", f"label {label}") for item, person, label in rows]
    random.shuffle(renamed)

    one, other = of_question(of_rows(rows)), of_question(of_rows(renamed))

    for a, b in ((one.percent, other.percent), (one.alpha, other.alpha), (one.ac1, other.ac1)):
        assert a.point == (None if b.point is None else pytest.approx(b.point))


@given(grids)
def test_bounds_are_in_order_and_end_at_one(grid: list[list[str | None]]) -> None:
    found = of_question(of_grid(grid))

    for each in (found.percent, found.alpha, found.ac1):
        if each.low is not None and each.high is not None:
            assert each.low <= each.high <= 1 + 1e-12
