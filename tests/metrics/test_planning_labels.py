"""What the next labels buy: predicted half widths against simulated ones, and where none can."""

from collections.abc import Callable

import numpy as np
import pytest

from apps.metrics.arrays import Floats
from apps.metrics.calibration import calibrate
from apps.metrics.labels import Calibration, Sample
from apps.metrics.planning import next_labels

UNITS = 2000


def population(rng: np.random.Generator, units: int = UNITS) -> tuple[Floats, Floats]:
    human = rng.random(units) < 0.7
    judge = rng.random(units) < np.where(human, 0.9, 0.25)
    return human.astype(float), judge.astype(float)


def calibrated(human: Floats, judge: Floats, labels: int, sample: Sample = "random") -> Calibration:
    labelled = [bool(each) if place < labels else None for place, each in enumerate(human)]
    said = [bool(each) for each in judge]
    return calibrate({"human": labelled, "judge": said}, sample=sample)


def half(calibration: Calibration, rate: str = "corrected") -> float:
    interval = getattr(calibration, rate)
    return float(interval.high - interval.low) / 2


@pytest.mark.parametrize("sample", ["random", "separate"])
def test_the_next_hundred_labels_make_the_intervals_as_narrow_as_predicted(
    sample: Sample,
) -> None:
    rng = np.random.default_rng(61)
    rates = ("corrected", "sensitivity", "specificity", "accuracy")
    predicted: dict[str, list[float]] = {rate: [] for rate in rates}
    found: dict[str, list[float]] = {rate: [] for rate in rates}

    for _ in range(80):
        human, judge = population(rng)
        plan = next_labels(calibrated(human, judge, 100, sample))
        then = calibrated(human, judge, 200, sample)
        for rate in rates:
            bought = plan.agreement if rate == "accuracy" else getattr(plan, rate)
            predicted[rate].append(bought.then or 0)
            found[rate].append(half(then, rate))

    # The middle of them: what rests on 30 labels is now and then far too wide.
    for rate in rates:
        assert np.median(predicted[rate]) == pytest.approx(np.median(found[rate]), rel=0.08)


def test_now_is_the_half_width_that_the_page_of_judges_shows() -> None:
    calibration = calibrated(*population(np.random.default_rng(62)), 150)

    plan = next_labels(calibration)

    assert plan.corrected.now == pytest.approx(half(calibration))
    assert plan.agreement.now == pytest.approx(half(calibration, "accuracy"))
    assert (plan.labels, plan.labelled, plan.judged) == (100, 150, UNITS)
    assert plan.corrected.then is not None
    assert plan.corrected.then < half(calibration)


def test_where_fewer_are_left_only_those_can_be_bought() -> None:
    human, judge = population(np.random.default_rng(63), 150)
    plan = next_labels(calibrated(human, judge, 90))

    everything = calibrated(human, judge, 150)

    assert plan.labels == 60
    assert plan.corrected.then == pytest.approx(half(everything), rel=0.1)


def test_where_all_is_labelled_labels_buy_nothing() -> None:
    calibration = calibrated(*population(np.random.default_rng(64), 80), 80)

    plan = next_labels(calibration)

    assert plan.labels == 0
    assert plan.corrected.now == plan.corrected.then == pytest.approx(half(calibration))
    assert "further labels buy nothing, only more records do" in plan.why


def test_an_uncalibrated_judge_is_told_the_worst_case() -> None:
    calibration = calibrated(*population(np.random.default_rng(65)), 0, "unknown")

    plan = next_labels(calibration)

    assert plan.corrected.now is None
    assert plan.corrected.then == pytest.approx(0.098, abs=0.0005)
    assert plan.why == (
        "100 labels of answers drawn at random give at most this half width, whatever people say"
    )


@pytest.mark.parametrize("passing", [0.5, 0.8])
def test_the_worst_case_is_not_exceeded(passing: float) -> None:
    rng = np.random.default_rng(66)
    worst = next_labels(calibrated(*population(rng), 0, "unknown")).corrected.then or 0

    def of_a_coin(chance: float) -> float:
        human = (rng.random(UNITS) < passing).astype(float)
        return half(calibrated(human, (rng.random(UNITS) < chance).astype(float), 100))

    assert max(of_a_coin(chance) for chance in (0.3, 0.5, 0.9)) < 1.05 * worst


def test_labels_of_chosen_answers_do_not_count_with_drawn_ones() -> None:
    plan = next_labels(calibrated(*population(np.random.default_rng(67)), 60, "chosen"))

    assert plan.corrected.now is None
    assert plan.corrected.then == pytest.approx(0.098, abs=0.0005)
    assert plan.why.startswith("the 60 labels so far were not drawn at random and do not count")


def test_a_few_drawn_labels_count_with_the_next() -> None:
    plan = next_labels(calibrated(*population(np.random.default_rng(68)), 12))

    assert plan.corrected.now is None
    assert plan.corrected.then == pytest.approx(0.98 / np.sqrt(112), abs=0.001)
    assert plan.agreement.now is not None


def test_a_judge_that_no_label_contradicts_gets_three_in_n() -> None:
    human = np.tile([1.0, 1.0, 0.0], 300)
    plan = next_labels(calibrated(human, human, 90))

    now, then = plan.corrected.now or 0, plan.corrected.then or 0

    assert now - then == pytest.approx(3 / 90 - 3 / 190, abs=0.003)


def test_a_handful_of_answers_is_too_few_to_label() -> None:
    plan = next_labels(calibrated(*population(np.random.default_rng(69), 15), 0, "unknown"))

    assert plan.labels == 0
    assert "it takes 20 labels" in plan.why


def test_a_judge_that_has_judged_nothing_has_nothing_to_label() -> None:
    nothing = calibrate({"human": [True] * 30, "judge": [None] * 30}, sample="random")

    assert "has judged nothing yet" in next_labels(nothing).why


@pytest.mark.parametrize(
    "judge_of",
    [lambda human: 1 - human, lambda human: np.ones_like(human), lambda human: human],
    ids=["the opposite", "always passes", "always right"],
)
@pytest.mark.parametrize("sample", ["random", "separate", "chosen", "unknown"])
@pytest.mark.parametrize("labels", [0, 1, 3, 25, 300])
def test_every_judge_gets_a_plan(
    judge_of: Callable[[Floats], Floats], sample: Sample, labels: int
) -> None:
    human, _judge = population(np.random.default_rng(70), 300)

    plan = next_labels(calibrated(human, judge_of(human), labels, sample))

    for bought in (plan.corrected, plan.agreement, plan.sensitivity, plan.specificity):
        assert bought.then is None or 0 <= bought.then <= 0.5
        if bought.now is not None and bought.then is not None:
            assert bought.then <= bought.now + 1e-9
        assert bought.then is not None or bought.reason
    assert plan.why
