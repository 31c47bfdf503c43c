"""Records that pass in some runs and fail in others: of which kind, and counts that add up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.metrics.flickering import Asked, Flickering, flickering
from apps.metrics.ranked import Flicker

NAN = float("nan")
MARKS = {"+": 1.0, "-": 0.0, "?": NAN}


def one_record(verdicts: str, *asked: str) -> Flickering:
    """A mark a run, the oldest first; `a1` is version 1 of the target a."""
    passes = np.array([[MARKS[mark]] for mark in verdicts])
    return flickering(passes, [Asked(each[0], each) for each in asked], [7])


def same_version(runs: int) -> list[Asked]:
    return [Asked("a", "a1")] * runs


@pytest.mark.parametrize(
    ("verdicts", "asked", "kind"),
    [
        ("++--", ["a1", "a2", "a3", "a4"], "changed"),
        ("--?+", ["a1", "a2", "a3", "a4"], "changed"),
        ("++-+", ["a1", "a2", "a3", "a4"], "flickers"),
        ("+-", ["a1", "a1"], "flickers"),
        ("++--", ["a1", "a2", "a2", "a3"], "flickers"),
        ("+-+-", ["a1", "b1", "a2", "b2"], "differs"),
        ("+--", ["a1", "b1", "a2"], "changed"),
        ("+-+?", ["a1", "b1", "c1", "d1"], "differs"),
    ],
)
def test_a_regression_is_no_flicker_and_neither_are_targets_that_differ(
    verdicts: str, asked: list[str], kind: str
) -> None:
    found = one_record(verdicts, *asked)

    assert [each.kind for each in found.listed] == [kind]
    counts = {
        "flickers": found.flickering,
        "changed": found.changed,
        "differs": found.differing,
    }
    assert counts == {each: int(each == kind) for each in counts}


def test_those_come_first_of_which_half_passed() -> None:
    passes = np.array(
        [
            [1.0, 1.0, 0.0, 1.0, NAN, 1.0],
            [1.0, 0.0, 0.0, 1.0, 1.0, NAN],
            [1.0, 1.0, 0.0, 0.0, NAN, 0.0],
            [1.0, 1.0, 0.0, 0.0, NAN, NAN],
        ]
    )

    found = flickering(passes, same_version(4), [10, 11, 12, 13, 14, 15])

    assert found.listed == (
        Flicker(kind="flickers", ordinal=13, passed=2, judged=4),
        Flicker(kind="flickers", ordinal=15, passed=1, judged=2),
        Flicker(kind="flickers", ordinal=11, passed=3, judged=4),
    )
    assert (found.flickering, found.passed, found.failed, found.judged) == (3, 1, 1, 5)


def test_the_list_of_a_kind_is_bounded_and_its_count_is_not() -> None:
    passes = np.array([np.ones(500), np.zeros(500)])

    found = flickering(passes, same_version(2), np.arange(500), most=20)

    assert len(found.listed) == 20
    assert found.flickering == 500


def test_nothing_changes_without_runs_or_records() -> None:
    for passes in (np.empty((0, 4)), np.empty((3, 0)), np.ones((1, 4))):
        found = flickering(passes, same_version(len(passes)), np.arange(passes.shape[1]))
        assert (found.listed, found.flickering, found.judged) == ((), 0, 0)


@given(st.integers(0, 5), st.integers(0, 8), st.integers(0, 2**32 - 1))
def test_the_counts_add_up(runs: int, records: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    passes = random.choice([0.0, 1.0, NAN], size=(runs, records))
    asked = [Asked(name[0], name) for name in random.choice(["a1", "a2", "b1"], size=runs)]

    found = flickering(passes, asked, np.arange(records))

    mixed = found.flickering + found.changed + found.differing
    assert mixed + found.passed + found.failed == found.judged
    assert found.judged == ((~np.isnan(passes)).sum(axis=0) >= 2).sum()
    assert all(0 < each.passed < each.judged for each in found.listed)
    assert len(found.listed) == mixed
