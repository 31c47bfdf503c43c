"""pass@k and pass^k: by hand, by counting every draw, and without bias."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.metrics.arrays import Floats
from apps.metrics.pass_at_k import pass_at_k, pass_hat_k


def one(value: float) -> Floats:
    return np.array([float(value)])


@pytest.mark.parametrize(
    ("n", "c", "k", "any_passes", "all_pass"),
    [
        (4, 2, 1, 1 / 2, 1 / 2),
        (4, 2, 2, 5 / 6, 1 / 6),
        (4, 2, 3, 1, 0),
        (4, 2, 4, 1, 0),
        (5, 1, 3, 3 / 5, 0),
        (8, 8, 8, 1, 1),
        (8, 0, 3, 0, 0),
        (20, 10, 10, 1 - 1 / comb(20, 10), 1 / comb(20, 10)),
    ],
)
def test_the_vectors(n: int, c: int, k: int, any_passes: float, all_pass: float) -> None:
    assert pass_at_k(one(n), one(c), k)[0] == pytest.approx(any_passes, abs=1e-15)
    assert pass_hat_k(one(n), one(c), k)[0] == pytest.approx(all_pass, abs=1e-15)


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))))
def test_they_are_the_share_of_all_draws_of_k_tries(counts: tuple[int, int]) -> None:
    n, c = counts
    tries = [True] * c + [False] * (n - c)

    for k in range(1, n + 1):
        draws = list(combinations(tries, k))
        assert pass_at_k(one(n), one(c), k)[0] == pytest.approx(np.mean([any(d) for d in draws]))
        assert pass_hat_k(one(n), one(c), k)[0] == pytest.approx(np.mean([all(d) for d in draws]))


@given(st.integers(1, 20).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))))
def test_with_more_tries_one_passes_more_easily_and_all_less(counts: tuple[int, int]) -> None:
    n, c = counts

    any_passes = [pass_at_k(one(n), one(c), k)[0] for k in range(1, n + 1)]
    all_pass = [pass_hat_k(one(n), one(c), k)[0] for k in range(1, n + 1)]

    assert any_passes[0] == pytest.approx(all_pass[0]) == pytest.approx(c / n)
    assert np.all(np.diff(any_passes) >= -1e-12)
    assert np.all(np.diff(all_pass) <= 1e-12)
    assert 0 <= min(all_pass) <= max(any_passes) <= 1


def test_a_record_with_fewer_than_k_tries_is_not_known() -> None:
    tries, passed = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0])

    assert np.isnan(pass_at_k(tries, passed, 2)).tolist() == [True, True, False]
    assert np.isnan(pass_hat_k(tries, passed, 2)).tolist() == [True, True, False]


# The plain power 1 - (1 - c/n)^k is biased at few tries; these must hit the truth on average.
@pytest.mark.parametrize("p", [0.1, 0.5, 0.8])
def test_they_have_no_bias(p: float) -> None:
    tries = np.full(400_000, 5.0)
    passed = np.random.default_rng(21).binomial(5, p, tries.size).astype(np.float64)

    any_passes, all_pass = pass_at_k(tries, passed, 3), pass_hat_k(tries, passed, 3)

    error = 4 / np.sqrt(tries.size)
    assert any_passes.mean() == pytest.approx(1 - (1 - p) ** 3, abs=error * any_passes.std())
    assert all_pass.mean() == pytest.approx(p**3, abs=error * all_pass.std())
