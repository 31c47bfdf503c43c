"""Do 95 % intervals of agreement hold the truth 95 times in 100? Seeded, binomial tolerance.

The percentile bootstrap is a large-sample method: at 250 items its error is within 1.5 %, which
is added to three standard errors of what 400 simulations can show (3.3 %).
"""

from collections.abc import Iterator

import numpy as np
import pytest

from apps.metrics.agreement import of_pairs, of_question
from apps.metrics.contracts import Interval
from apps.metrics.labels import Agreement

SIMULATIONS = 400
ITEMS = 250
TOLERANCE = 3 * float(np.sqrt(0.95 * 0.05 / SIMULATIONS)) + 0.015


def labels_of(rng: np.random.Generator, items: int, skew: float) -> dict[str, np.ndarray]:
    """Three people who err one time in seven on items of which `skew` are a yes; a fifth is
    missing."""
    truth = rng.random(items) < skew
    said = np.where(rng.random((3, items)) < 1 / 7, ~truth, truth).ravel()
    kept = rng.random(3 * items) < 0.8
    item, person = np.tile(np.arange(items), 3), np.repeat(np.arange(3), items)
    return {
        "item": item[kept],
        "annotator": person[kept],
        "label": np.where(said, "yes", "no")[kept],
    }


@pytest.fixture(scope="module", params=[0.5, 0.85])
def simulated(request: pytest.FixtureRequest) -> tuple[Agreement, list[Agreement]]:
    rng = np.random.default_rng(21)
    truth = of_question(labels_of(rng, 300_000, request.param))
    samples = (labels_of(rng, ITEMS, request.param) for _ in range(SIMULATIONS))
    return truth, [of_question(each, seed=seed) for seed, each in enumerate(samples)]


@pytest.mark.parametrize("measure", ["percent", "alpha", "ac1"])
def test_the_bootstrap_covers(simulated: tuple[Agreement, list[Agreement]], measure: str) -> None:
    truth, samples = simulated
    expected = getattr(truth, measure).point

    covered = np.mean(list(holds(expected, (getattr(each, measure) for each in samples))))

    assert abs(covered - 0.95) < TOLERANCE


def test_the_bootstrap_covers_kappa() -> None:
    rng = np.random.default_rng(22)
    (truth,) = of_pairs(two(labels_of(rng, 300_000, 0.7))).listed
    samples = (two(labels_of(rng, ITEMS, 0.7)) for _ in range(SIMULATIONS))

    found = (of_pairs(each, seed=seed).listed[0].kappa for seed, each in enumerate(samples))

    assert truth.kappa.point is not None
    assert abs(np.mean(list(holds(truth.kappa.point, found))) - 0.95) < TOLERANCE


def two(labels: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    kept = labels["annotator"] < 2
    return {name: column[kept] for name, column in labels.items()}


def holds(truth: float, intervals: Iterator[Interval]) -> Iterator[bool]:
    for each in intervals:
        assert each.low is not None
        assert each.high is not None
        yield each.low <= truth <= each.high
