"""Who is drawn: with the probability that is stored, the same by the same seed, none twice."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.labeling.making.sampling import Candidate, Draw, draw, eligible, shares
from apps.labeling.plans import Sample

TEN = [Candidate(key) for key in range(10)]
SLICED = [
    *(Candidate(key, "common") for key in range(90)),
    *(Candidate(key, "rare") for key in range(90, 99)),
    Candidate(99, "single"),
]
SEEDS = 4_000


def test_all_are_taken_with_certainty() -> None:
    drawn = draw(TEN, Sample(how="all"))

    assert drawn == [Draw(key, 1.0) for key in range(10)]


def test_all_may_be_as_few_as_wanted() -> None:
    assert len(draw(TEN, Sample(how="all", size=4))) == 4


def test_a_random_sample_says_how_likely_each_was() -> None:
    drawn = draw(TEN, Sample(how="random", size=4, seed=3))

    assert len({each.key for each in drawn}) == 4
    assert {each.probability for each in drawn} == {0.4}


def test_each_is_drawn_as_often_as_its_probability_says() -> None:
    counts = Counter(
        each.key
        for seed in range(SEEDS)
        for each in draw(TEN, Sample(how="random", size=3, seed=seed))
    )

    expected, spread = 0.3 * SEEDS, (0.3 * 0.7 * SEEDS) ** 0.5
    assert set(counts) == set(range(10))
    assert all(abs(count - expected) < 4 * spread for count in counts.values())


def test_pairs_are_drawn_together_as_chance_has_it() -> None:
    together = sum(
        {0, 1} <= {each.key for each in draw(TEN, Sample(how="random", size=3, seed=seed))}
        for seed in range(SEEDS)
    )

    chance = 3 / 10 * 2 / 9
    assert abs(together - chance * SEEDS) < 4 * (chance * (1 - chance) * SEEDS) ** 0.5


def test_every_slice_is_in_a_stratified_sample() -> None:
    drawn = draw(SLICED, Sample(how="stratified", size=20, family="tag"))

    counts = Counter(each.stratum for each in drawn)
    assert counts == {"common": 18, "rare": 1, "single": 1}
    assert {each.stratum: each.probability for each in drawn} == {
        "common": 18 / 90,
        "rare": 1 / 9,
        "single": 1.0,
    }


def test_a_stratified_estimate_hits_the_truth_on_average() -> None:
    weights = [
        sum(1 / each.probability for each in drawn if each.probability and each.key % 2)
        for drawn in (
            draw(SLICED, Sample(how="stratified", size=20, family="tag", seed=seed))
            for seed in range(2_000)
        )
    ]

    odd = sum(each.key % 2 for each in SLICED)
    assert sum(weights) / len(weights) == pytest.approx(odd, rel=0.03)


@given(
    st.lists(st.integers(1, 200), min_size=1, max_size=30),
    st.integers(1, 5_000),
)
def test_shares_add_up_and_stay_within_their_slices(sizes: list[int], wanted: int) -> None:
    taken = shares(sizes, wanted)

    assert sum(taken) == min(max(wanted, len(sizes)), sum(sizes))
    assert all(1 <= n <= size for n, size in zip(taken, sizes, strict=True))


def test_what_is_chosen_has_no_probability() -> None:
    doubtful = [Candidate(1, distance=0.4), Candidate(2, distance=0.1), Candidate(3), Candidate(4)]

    drawn = draw(doubtful, Sample(how="low_confidence", size=3))

    assert drawn == [Draw(1, None), Draw(2, None)]
    assert eligible(doubtful, Sample(how="low_confidence", size=3)) == 2


def test_of_those_equally_in_doubt_chance_chooses() -> None:
    even = [Candidate(key, distance=0.0) for key in range(10)]

    taken = {
        draw(even, Sample(how="disagreement", size=1, seed=seed))[0].key for seed in range(200)
    }

    assert len(taken) > 5


@given(st.sampled_from(["random", "stratified", "disagreement"]), st.integers(0, 99))
def test_the_same_seed_draws_the_same_whatever_the_order(how: str, seed: int) -> None:
    sample = Sample.model_validate({"how": how, "size": 10, "family": "tag", "seed": seed})
    candidates = [each._replace(distance=0.0) for each in SLICED]

    assert draw(candidates, sample) == draw(candidates[::-1], sample)


def test_of_nobody_nobody_is_drawn() -> None:
    assert draw([], Sample(how="random", size=5)) == []
    assert draw([], Sample(how="stratified", size=5, family="tag")) == []
