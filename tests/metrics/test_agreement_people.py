"""Cohen's kappa pair by pair, everybody against the others, and why coefficients differ."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.metrics.agreement import of_pairs, of_people, of_question, why_they_differ
from apps.metrics.agreement.pairs import kappa_of
from apps.metrics.consensus import settle
from apps.metrics.intervals import rate
from apps.metrics.labels import PersonAgreement
from apps.metrics.words import in_decimals
from tests.metrics.labellers import Frame, of_grid, of_rows

CHECKOUT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("EVALHUB_SHARED") or CHECKOUT.parent / "shared")
FILE = SHARED / "conformance" / "agreement_and_intervals.json"
KAPPA: dict[str, Any] = json.loads(FILE.read_text())["kappa"] if FILE.is_file() else {}


def of_table(both: int, first_only: int, second_only: int, neither: int) -> Frame:
    """Two people on yes and no."""
    first = ["yes"] * (both + first_only) + ["no"] * (second_only + neither)
    second = ["yes"] * both + ["no"] * first_only + ["yes"] * second_only + ["no"] * neither
    return of_grid([first, second])


def slow_kappa(first: list[str], second: list[str]) -> float:
    n = len(first)
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / n
    ours, theirs = Counter(first), Counter(second)
    expected = sum(ours[label] * theirs[label] for label in ours) / n**2
    return (observed - expected) / (1 - expected)


@pytest.mark.skipif(
    not KAPPA, reason=f"{FILE.name} is not here: set EVALHUB_SHARED to the shared folder"
)
@pytest.mark.parametrize("case", KAPPA)
def test_kappa_is_that_of_the_conformance_file(case: str) -> None:
    first, second = (np.array(codes, np.int64) for codes in json.loads(case))

    found = kappa_of(first, second, seed=0)

    expected = KAPPA[case]
    assert found.point == (None if expected is None else pytest.approx(expected))
    assert bool(found.reason) or expected is not None


# The textbook's grant proposals: both say yes to 20, one of them alone to 5 and 10, both no to 15.
def test_kappa_is_the_textbooks() -> None:
    (pair,) = of_pairs(of_table(20, 5, 10, 15)).listed

    assert pair.kappa.point == pytest.approx(0.4)
    assert pair.percent.point == pytest.approx(0.7)
    assert pair.items == pair.kappa.n == pair.percent.n == 50


def test_of_two_people_the_question_and_their_line_say_the_same_percent() -> None:
    said = (
        ("a", "a", 7),
        ("b", "b", 5),
        ("c", "c", 3),
        ("a", "b", 4),
        ("c", "b", 2),
        ("b", "c", 2),
    )
    first = [one for one, _, count in said for _ in range(count)]
    second = [other for _, other, count in said for _ in range(count)]
    frame = of_grid([[*first, "a", None], [*second, None, "b"]])

    question = of_question(frame)
    (pair,) = of_pairs(frame).listed

    assert question.percent.point == pytest.approx(15 / 23)
    assert question.percent == pair.percent


# The asymptotic standard error of that kappa is 0.128 (Fleiss, Cohen and Everitt 1969).
def test_the_bootstrap_of_kappa_is_near_its_normal_interval() -> None:
    (pair,) = of_pairs(of_table(200, 50, 100, 150)).listed

    assert pair.kappa.low == pytest.approx(0.4 - 1.96 * 0.0404, abs=0.012)
    assert pair.kappa.high == pytest.approx(0.4 + 1.96 * 0.0404, abs=0.012)


def test_two_people_without_a_common_item_have_no_kappa() -> None:
    (pair,) = of_pairs(of_grid([["yes", None], [None, "no"]])).listed

    assert (pair.items, pair.kappa.point, pair.percent.point) == (0, None, None)
    assert pair.kappa.reason == pair.percent.reason == "they have no item in common"


def test_kappa_of_one_label_throughout_is_null_with_a_reason() -> None:
    (pair,) = of_pairs(of_grid([["yes"] * 9, ["yes"] * 9])).listed

    assert (pair.kappa.point, pair.percent.point) == (None, 1)
    assert pair.kappa.reason.startswith("both gave the same one label")


def test_resamples_without_a_kappa_are_left_out_and_counted() -> None:
    (pair,) = of_pairs(of_table(30, 1, 0, 0)).listed

    assert pair.kappa.point == 0
    assert "of 1,000 resamples have no value and are left out" in pair.kappa.reason


@given(st.lists(st.tuples(*[st.sampled_from("abc")] * 2), min_size=2, max_size=30))
def test_kappa_is_that_of_the_slow_way(labels: list[tuple[str, str]]) -> None:
    first, second = ([pair[side] for pair in labels] for side in (0, 1))

    (pair,) = of_pairs(of_grid([first, second])).listed

    if set(first) == set(second) and len(set(first)) == 1:
        assert pair.kappa.point is None
    else:
        assert pair.kappa.point == pytest.approx(slow_kappa(first, second))


def test_the_pairs_that_share_most_are_listed_and_the_others_counted() -> None:
    rows = [(f"item {i}", f"person {p:02}", "yes") for p in range(20) for i in range(p + 1)]

    found = of_pairs(of_rows(rows))

    assert len(found.listed) == 100
    assert found.left_out == 20 * 19 // 2 - 100
    assert (found.listed[0].first, found.listed[0].second) == ("person 18", "person 19")
    assert found.listed[0].items == 19 > found.listed[-1].items


def test_everyone_is_held_against_the_majority_of_the_others() -> None:
    grid = [
        ["yes", "yes", "no", "yes", "no"],
        ["yes", "yes", "no", "no", None],
        ["yes", "no", "no", None, None],
    ]

    found = {person.annotator: person for person in of_people(of_grid(grid))}

    first, _, third = (found[f"person {each}"] for each in range(3))
    # Of the first, the others are tied on item 1, alone on item 4; one other decides item 3.
    assert (first.labels, first.undecided, first.alone) == (5, 1, 1)
    assert first.consensus == rate(2, 3)
    # The third disagrees where both others say yes.
    assert third.consensus == rate(2, 3)


def test_known_answers_are_counted_apart() -> None:
    grid = of_grid([["yes", "yes", "no"], ["no", "no", "no"]])

    first, second = of_people(grid, gold={"item 0": "yes", "item 2": "no", "item 9": "yes"})

    assert (first.gold, second.gold) == (rate(2, 2), rate(1, 2))


def test_what_somebody_made_known_says_nothing_of_them() -> None:
    grid = {"item": ["i", "i"], "annotator": ["a", "b"], "label": ["yes", "no"]}

    first, second = of_people(grid, gold={"i": "yes"}, own={("i", "a")})

    assert (first.gold.n, second.gold) == (0, rate(0, 1))


def test_without_known_answers_there_is_a_reason() -> None:
    (person,) = of_people(of_grid([["yes"]]))

    assert (person.gold.point, person.gold.reason) == (None, "no item has a known answer")
    assert person.consensus.reason == "on no item do the others agree on a label"
    assert of_people(of_grid([])) == ()


@given(
    st.lists(
        st.tuples(*[st.none() | st.sampled_from("abc")] * 5), min_size=1, max_size=8
    )
)  # fmt: skip
def test_the_others_decide_as_settling_their_labels_would(
    columns: list[tuple[str | None, ...]],
) -> None:
    found = of_people(of_grid(list(zip(*columns, strict=True))))

    for person in found:
        assert person == slow_person(columns, person.annotator, person)


def slow_person(
    columns: list[tuple[str | None, ...]], annotator: str, found: PersonAgreement
) -> PersonAgreement:
    place = int(annotator.split()[1])
    outcomes: Counter[str] = Counter()
    for column in columns:
        own = column[place]
        if own is None:
            continue
        others = [each for at, each in enumerate(column) if at != place and each is not None]
        settled = settle(others, "majority").label
        agrees = "agrees" if settled == own else "differs"
        outcomes["alone" if not others else "undecided" if settled is None else agrees] += 1
    decided = outcomes["agrees"] + outcomes["differs"]
    return found.model_copy(
        update={
            "labels": outcomes.total(),
            "undecided": outcomes["undecided"],
            "alone": outcomes["alone"],
            "consensus": rate(outcomes["agrees"], decided) if decided else found.consensus,
        }
    )


def test_skewed_labels_are_explained_in_a_sentence() -> None:
    found = of_question(of_table(93, 3, 2, 2))
    (pair,) = of_pairs(of_table(93, 3, 2, 2)).listed

    assert pair.kappa.point == pytest.approx(0.42, abs=0.005)
    assert found.ac1.point == pytest.approx(0.95, abs=0.006)
    assert "96 % of the labels are “yes”" in found.explanation
    assert "alpha expects 91 % agreement by chance alone" in found.explanation
    assert "agree on 95 % of the pairs" in found.explanation


def test_a_scale_is_explained_by_its_near_misses() -> None:
    found = of_question(
        of_grid([["1", "2", "3", "4"] * 10, ["1", "2", "3", "3"] * 10]), level="ordinal"
    )

    assert "counts a near miss as nearly agreed" in found.explanation


def test_few_labels_are_not_explained_by_skew() -> None:
    found = of_question(of_grid([["a", "b"], ["b", "a"]]))

    assert "Of only 4 labels" in found.explanation
    assert "skew" not in found.explanation


@pytest.mark.parametrize("grid", [[["a", "b"] * 20, ["a", "b"] * 20], [["a", "b"]], []])
def test_nothing_is_explained_where_nothing_differs(grid: list[list[str]]) -> None:
    assert why_they_differ(of_question(of_grid(grid))) == ""


def test_a_coefficient_below_chance_has_the_minus_of_pages() -> None:
    assert in_decimals(-0.123) == "−0.12"
    assert in_decimals(-0.001) == "0.00"
