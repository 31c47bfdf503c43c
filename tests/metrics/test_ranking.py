"""Ranks with their ties: never a false one, and a true one where it can be known."""

import numpy as np
import pytest
from scipy import stats

from apps.metrics.arrays import Floats, Integers
from apps.metrics.contracts import Interval
from apps.metrics.intervals import mean, rate
from apps.metrics.ranked import Ranked
from apps.metrics.ranking import every_pair, rank

BOARDS = 400
FALSE_AT_MOST = 0.05 + 3 * np.sqrt(0.05 * 0.95 / BOARDS)


def estimated(values: Floats) -> list[Interval]:
    known = [run[~np.isnan(run)] for run in values]
    return [
        rate(int(run.sum()), len(run)) if np.isin(run, (0, 1)).all() else mean(run) for run in known
    ]


def ranked(values: Floats, clusters: Integers | None = None, **more: bool) -> tuple[Ranked, ...]:
    alone = np.arange(values.shape[1]) if clusters is None else clusters
    names = [f"run {number}" for number in range(len(values))]
    return rank(values, alone, names, estimated(values), **more)


def places(board: tuple[Ranked, ...]) -> dict[str, tuple[int, int, int]]:
    return {each.run: (each.first, each.last, each.group) for each in board}


def passing(*counts: int, of: int = 100) -> Floats:
    """Runs that pass the first so many records."""
    return np.array([np.arange(of) < count for count in counts], dtype=np.float64)


def test_the_p_of_two_runs_is_mcnemars_and_holm_counts_the_pairs() -> None:
    values = passing(90, 80, 79)

    found = every_pair(values, np.arange(100))

    assert found.p[0, 1] == pytest.approx(2 * 0.5**10)
    assert found.p[1, 2] == 1
    assert (found.p == found.p.T).all()
    assert found.ahead.tolist() == [[False, True, True], [False, False, False], [False] * 3]
    barely = passing(90, 84)
    assert every_pair(barely, np.arange(100)).p[0, 1] == pytest.approx(2 * 0.5**6)
    assert every_pair(barely, np.arange(100)).ahead[0, 1]
    among_three = np.vstack([barely, barely[1]])
    assert every_pair(among_three, np.arange(100)).ahead.sum() == 0, "3 × 0.031 is no 0.05"


def test_one_clearly_better_is_first_and_the_others_share_the_rest() -> None:
    board = ranked(passing(60, 95, 62))

    assert [each.run for each in board] == ["run 1", "run 2", "run 0"]
    assert places(board) == {"run 1": (1, 1, 1), "run 2": (2, 3, 2), "run 0": (2, 3, 2)}


def test_a_run_between_two_is_tied_with_both_and_stands_in_the_better_ones_group() -> None:
    board = ranked(passing(90, 86, 82))

    assert places(board) == {"run 0": (1, 2, 1), "run 1": (1, 3, 1), "run 2": (2, 3, 2)}


def test_where_less_is_better_the_lowest_is_first() -> None:
    values = np.vstack([np.linspace(0.9, 1, 60), np.linspace(0.2, 0.25, 60)])

    board = ranked(values, higher_is_better=False)

    assert places(board) == {"run 1": (1, 1, 1), "run 0": (2, 2, 2)}


def test_runs_are_held_against_each_other_on_what_both_have() -> None:
    values = passing(100, 60, 60)
    values[0, :50] = np.nan
    values[1, 50:] = np.nan

    found = every_pair(values, np.arange(100))

    assert found.p[0, 1] == 1, "no record is shared"
    assert found.p[0, 2] == pytest.approx(2 * 0.5**40)
    assert found.p[1, 2] == 1


@pytest.mark.parametrize(("shared", "ahead"), [(19, 0), (20, 1)])
def test_below_twenty_shared_records_two_runs_are_tied(shared: int, ahead: int) -> None:
    values = passing(100, 0)
    values[0, shared:] = np.nan

    found = every_pair(values, np.arange(100))

    assert found.ahead.sum() == ahead
    assert (found.p[0, 1] < 0.001) == bool(ahead)


def test_where_one_document_holds_most_records_two_runs_are_tied() -> None:
    documents = np.r_[np.zeros(1000), np.arange(1, 401)]

    assert every_pair(np.vstack([np.zeros(1400), documents > 0]), documents).ahead.sum() == 0


def test_steady_and_all_or_nothing_runs_of_one_mean_are_not_ranked() -> None:
    rng = np.random.default_rng(9)
    false = 0
    for _ in range(100):
        bold = (rng.random((2, 60)) < 0.95).astype(float)
        steady = rng.choice([0.9, 0.95, 1.0], (2, 60))
        false += bool(every_pair(np.vstack([bold, steady]), np.arange(60)).ahead.any())

    assert false <= 100 * (0.05 + 3 * np.sqrt(0.05 * 0.95 / 100))


def test_records_of_one_document_count_once() -> None:
    """30 records pass where the other run fails, all of 3 documents: three coins say nothing."""
    values = passing(90, 60)
    documents = np.arange(100) // 10

    alone = ranked(values)
    together = ranked(values, documents)

    assert places(alone) == {"run 0": (1, 1, 1), "run 1": (2, 2, 2)}
    assert places(together) == {"run 0": (1, 2, 1), "run 1": (1, 2, 1)}
    assert every_pair(values, documents).p[0, 1] == pytest.approx(2 * 0.5**3)


def test_scores_are_flipped_as_the_library_flips_them() -> None:
    rng = np.random.default_rng(4)
    scores = rng.random((2, 40))

    found = every_pair(scores, np.arange(40)).p[0, 1]

    expected = stats.permutation_test(
        (scores[0] - scores[1],), np.mean, permutation_type="samples", n_resamples=20_000, rng=rng
    )
    assert found == pytest.approx(float(expected.pvalue), abs=0.02)


def test_one_run_is_first_of_one_and_no_runs_are_no_board() -> None:
    assert places(ranked(passing(5))) == {"run 0": (1, 1, 1)}
    assert rank(np.empty((0, 3)), np.arange(3), [], []) == ()


def test_runs_that_share_nothing_at_all_are_all_tied() -> None:
    board = ranked(np.array([[1.0, np.nan], [np.nan, 0.0]]))

    assert places(board) == {"run 0": (1, 2, 1), "run 1": (1, 2, 1)}


# -- equal systems, again and again ---------------------------------------------------------


def hardness(rng: np.random.Generator, records: int) -> Floats:
    return rng.normal(size=records)


@pytest.mark.parametrize("runs", [2, 5, 12])
def test_among_equal_systems_nobody_is_ranked_above_another(runs: int) -> None:
    rng = np.random.default_rng(runs)
    clusters, false = np.arange(300), 0
    for _ in range(BOARDS):
        values = (hardness(rng, 300) + rng.normal(size=(runs, 300)) > -1).astype(np.float64)
        false += bool(every_pair(values, clusters).ahead.any())

    assert false / BOARDS <= FALSE_AT_MOST


@pytest.mark.parametrize("runs", [2, 6])
def test_also_by_scores_of_records_that_belong_together(runs: int) -> None:
    """400 documents of two records each, which a run answers alike."""
    rng = np.random.default_rng([runs, 1])
    clusters, false = np.repeat(np.arange(400), 2), 0
    for _ in range(BOARDS):
        about = hardness(rng, 400) + rng.normal(size=(runs, 400))
        values = 1 / (1 + np.exp(-np.repeat(about, 2, axis=1)))
        false += bool(every_pair(values, clusters).ahead.any())

    assert false / BOARDS <= FALSE_AT_MOST


def test_one_better_system_among_six_is_found() -> None:
    rng = np.random.default_rng(8)
    found = false = 0
    for _ in range(100):
        better = np.where(np.arange(6) == 3, 0.8, 0.0)[:, None]
        values = hardness(rng, 400) + rng.normal(size=(6, 400)) + better > -0.5
        ahead = every_pair(values.astype(np.float64), np.arange(400)).ahead
        found += bool(ahead[3, [0, 1, 2, 4, 5]].all())
        false += bool(np.delete(ahead, 3, axis=0).any())

    assert found >= 95
    assert false <= 100 * (0.05 + 3 * np.sqrt(0.05 * 0.95 / 100))
