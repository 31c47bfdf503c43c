"""A judge against people: the matrix, its rates, the corrected pass rate or why there is none."""

from collections.abc import Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from apps.metrics.calibration import calibrate
from apps.metrics.calibration.ppi import ppi
from apps.metrics.calibration.rates import effective_size
from apps.metrics.calibration.rogan_gladen import Share, rogan_gladen
from apps.metrics.intervals import rate
from apps.metrics.labels import Calibration, Confusion, LeftOut, Sample

Verdict = bool | None
Unit = tuple[Verdict, Verdict]

PASS_PASS, PASS_FAIL = (True, True), (True, False)
FAIL_PASS, FAIL_FAIL = (False, True), (False, False)
UNLABELLED_PASS, UNLABELLED_FAIL = (True, None), (False, None)


def units(*counted: tuple[Unit, int]) -> dict[str, list[Any]]:
    """Judge and human, so many times each."""
    listed = list(chain.from_iterable(repeat(unit, count) for unit, count in counted))
    return {"judge": [unit[0] for unit in listed], "human": [unit[1] for unit in listed]}


def some(**more: Sequence[Any]) -> dict[str, Any]:
    labelled = [(PASS_PASS, 40), (PASS_FAIL, 10), (FAIL_PASS, 5), (FAIL_FAIL, 25)]
    return units(*labelled, (UNLABELLED_PASS, 300), (UNLABELLED_FAIL, 120)) | more


def test_the_matrix_and_its_rates_are_counted() -> None:
    found = calibrate(some(), sample="random")

    assert found.confusion == Confusion(true_pass=40, false_pass=10, false_fail=5, true_fail=25)
    assert (found.units, found.judged, found.labelled, found.confusion.n) == (500, 500, 80, 80)
    assert found.sensitivity == rate(40, 45)
    assert found.specificity == rate(25, 35)
    assert found.precision == rate(40, 50)
    assert found.accuracy == rate(65, 80)
    assert found.raw == rate(350, 500)
    assert found.human == rate(45, 80)
    assert found.kappa.point == pytest.approx((65 / 80 - 0.515625) / (1 - 0.515625))
    assert found.is_calibrated


def test_units_that_one_side_lacks_are_counted_by_their_reason() -> None:
    frame = units((PASS_PASS, 30), ((None, True), 2), ((True, None), 3), ((None, None), 1))
    frame["judge_why"] = [""] * 30 + ["rate limited"] * 2 + [""] * 3 + [None]
    frame["human_why"] = [""] * 30 + [""] * 2 + ["tie", "tie", ""] + [""]

    found = calibrate(frame, sample="random")

    assert found.left_out == (
        LeftOut(side="judge", reason="rate limited", count=2),
        LeftOut(side="judge", reason="the judge said nothing", count=1),
        LeftOut(side="human", reason="tie", count=2),
        LeftOut(side="human", reason="nobody labelled it", count=1),
    )
    assert found.units == found.confusion.n + sum(each.count for each in found.left_out)
    assert (found.judged, found.labelled) == (33, 32)
    assert "2 without a label that counts" in found.why


def test_labels_drawn_at_random_correct_by_ppi() -> None:
    found = calibrate(some(), sample="random")

    assert (found.method, found.corrected.method, found.corrected.n) == ("ppi++", "ppi++", 80)
    assert found.corrected.point is not None
    assert 45 / 80 < found.corrected.point < 0.7
    assert "labelled 80 of 500 judged units drawn at random" in found.why


def test_a_judge_that_helps_narrows_what_people_say_alone() -> None:
    found = calibrate(some(), sample="random")

    corrected, human = found.corrected, found.human
    assert None not in (corrected.low, corrected.high, human.low, human.high)
    assert corrected.high - corrected.low < human.high - human.low  # type: ignore[operator]


# The paper's own form: λ over the unlabelled N, variance of its two independent samples.
def test_ppi_is_the_papers_estimate() -> None:
    rng = np.random.default_rng(1)
    human = (rng.random(2_000) < 0.7).astype(float)
    judge = np.where(rng.random(2_000) < 0.85, human, 1 - human)
    n, rest = 300, 1_700
    y, f, unlabelled = human[:n], judge[:n], judge[n:]
    power = np.cov(y, f, ddof=0)[0, 1] / ((1 + n / rest) * judge.var())
    point = y.mean() + power * (unlabelled.mean() - f.mean())
    error = np.sqrt(power**2 * unlabelled.var() / rest + (y - power * f).var(ddof=1) / n)

    found, used = ppi(y, f, np.ones(n), judge)

    assert found.point == pytest.approx(point, abs=1e-12)
    assert used == pytest.approx(power * (1 + n / rest))
    assert found.low == pytest.approx(point - 1.959964 * error, rel=0.002)
    assert found.high == pytest.approx(point + 1.959964 * error, rel=0.002)


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=20, max_size=60))
def test_where_everything_is_labelled_the_corrected_rate_is_the_peoples(
    labelled: list[tuple[bool, bool]],
) -> None:
    found = calibrate(units(*((unit, 1) for unit in labelled)), sample="random")

    assert found.corrected.point == pytest.approx(found.human.point)


@given(st.lists(st.tuples(st.booleans(), st.none() | st.booleans()), max_size=80), st.randoms())
def test_the_order_of_units_does_not_matter(listed: list[Unit], random: Any) -> None:
    shuffled = list(listed)
    random.shuffle(shuffled)

    one, other = (
        calibrate(units(*((unit, 1) for unit in each)), sample="random")
        for each in (listed, shuffled)
    )

    assert one.corrected.point == (
        None if other.corrected.point is None else pytest.approx(other.corrected.point)
    )
    assert one.confusion == other.confusion


@given(
    st.lists(st.tuples(st.none() | st.booleans(), st.none() | st.booleans()), max_size=120),
    st.sampled_from(["random", "separate", "chosen", "unknown"]),
)
def test_every_rate_lies_within_its_bounds_and_says_why_it_is_missing(
    listed: list[Unit], sample: Sample
) -> None:
    found = calibrate(units(*((unit, 1) for unit in listed)), sample=sample)

    for each in (found.raw, found.human, found.corrected, found.sensitivity, found.accuracy):
        if each.point is None:
            assert each.reason
        else:
            assert each.low is not None
            assert each.high is not None
            assert 0 <= each.low <= each.point <= each.high <= 1
    assert found.why
    assert (found.method == "none") == (found.corrected.point is None)
    assert Calibration.model_validate_json(found.model_dump_json()) == found


def test_a_judge_that_never_errs_is_given_what_three_in_n_leave() -> None:
    labelled = [(PASS_PASS, 60), (FAIL_FAIL, 40)]

    found = calibrate(
        units(*labelled, (UNLABELLED_PASS, 60), (UNLABELLED_FAIL, 40)), sample="random"
    )

    corrected = found.corrected
    assert corrected.point == pytest.approx(0.6)
    assert corrected.low is not None
    assert found.raw.low is not None
    assert corrected.low < found.raw.low - 0.02
    assert "none of 100 labels differs" in corrected.reason


def test_a_judge_that_knows_nothing_leaves_the_peoples_rate() -> None:
    labelled = [(PASS_PASS, 20), (PASS_FAIL, 20), (FAIL_PASS, 20), (FAIL_FAIL, 20)]

    found = calibrate(units(*labelled, (UNLABELLED_PASS, 900)), sample="random")

    assert found.corrected.point == pytest.approx(0.5)
    assert found.human.point == 0.5
    assert "weight 0.00" in found.why


def test_units_drawn_with_unequal_probability_are_weighted() -> None:
    # Half of what the judge failed was labelled, a tenth of what it passed.
    labelled = [(PASS_PASS, 18), (PASS_FAIL, 2), (FAIL_PASS, 10), (FAIL_FAIL, 40)]
    frame = units(*labelled, (UNLABELLED_PASS, 180), (UNLABELLED_FAIL, 50))
    frame["probability"] = [0.1 if judge else 0.5 for judge in frame["judge"]]

    found = calibrate(frame, sample="random")

    # 200 passed units of which 90 % are good, 100 failed ones of which 20 % are.
    assert found.human.point == pytest.approx((180 + 20) / 300)
    assert found.corrected.point == pytest.approx((180 + 20) / 300)
    assert found.sensitivity.point == pytest.approx(180 / 200)
    assert (found.sensitivity.n, found.sensitivity.method) == (28, "wilson, weighted")
    assert found.confusion.n == 70
    assert calibrate(frame, sample="chosen").sensitivity == rate(18, 28)


@pytest.mark.parametrize("probability", [0.0, -0.1, 1.1, float("nan")])
def test_a_labelled_unit_needs_a_probability(probability: float) -> None:
    frame = units((PASS_PASS, 1)) | {"probability": [probability]}

    if np.isnan(probability):
        assert calibrate(frame, sample="random").confusion.n == 1
    else:
        with pytest.raises(ValueError, match="above 0, at most 1"):
            calibrate(frame, sample="random")


def test_a_set_beside_them_corrects_by_rogan_gladen() -> None:
    found = calibrate(some(), sample="separate")

    sensitivity, specificity, raw = 40 / 45, 25 / 35, 300 / 420
    assert found.method == "rogan-gladen"
    assert found.raw == rate(300, 420)
    assert found.corrected.point == pytest.approx(
        (raw + specificity - 1) / (sensitivity + specificity - 1)
    )
    assert found.corrected.n == 420
    assert "taken to hold on the 420 units" in found.why


# A screening test of sensitivity 96 % and specificity 89 % finds 23 of 150 cows; the manual of
# epiR gives 5.1 in 100.
def test_rogan_and_gladen_of_the_textbook() -> None:
    found = rogan_gladen(Share(23 / 150, 150), Share(0.96, 1e9), Share(0.89, 1e9))

    assert found.point == pytest.approx(0.051, abs=5e-4)
    assert found.low == 0


def slow_lang_reiczigel(
    raw: tuple[float, int], se: tuple[float, int], sp: tuple[float, int]
) -> tuple[float, float]:
    z = stats.norm.ppf(0.975)
    n_p, n_se, n_sp = raw[1] + z**2, se[1] + 2, sp[1] + 2
    q = (raw[0] * raw[1] + z**2 / 2) / n_p
    s, t = (se[0] * se[1] + 1) / n_se, (sp[0] * sp[1] + 1) / n_sp
    p = (q + t - 1) / (s + t - 1)
    variance = q * (1 - q) / n_p + p**2 * s * (1 - s) / n_se + (1 - p) ** 2 * t * (1 - t) / n_sp
    shift = 2 * z**2 * (p * s * (1 - s) / n_se - (1 - p) * t * (1 - t) / n_sp)
    half = z * np.sqrt(variance) / (s + t - 1)
    point = float(np.clip((raw[0] + sp[0] - 1) / (se[0] + sp[0] - 1), 0, 1))
    low, high = np.clip([p + shift - half, p + shift + half], 0, 1)
    return min(point, low), max(point, high)


@given(st.floats(0, 1), st.floats(0.55, 1), st.floats(0.55, 1))
def test_its_interval_is_lang_and_reiczigels(raw: float, se: float, sp: float) -> None:
    low, high = slow_lang_reiczigel((raw, 400), (se, 60), (sp, 80))

    found = rogan_gladen(Share(raw, 400), Share(se, 60), Share(sp, 80))

    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_no_correction_beyond_what_there_can_be() -> None:
    assert rogan_gladen(Share(0.02, 500), Share(0.9, 90), Share(0.9, 90)).point == 0
    assert rogan_gladen(Share(0.99, 500), Share(0.9, 90), Share(0.9, 90)).point == 1


def test_a_judge_that_says_the_opposite_of_people_is_told_from_a_coin() -> None:
    labelled = [(PASS_PASS, 5), (FAIL_PASS, 40), (FAIL_FAIL, 2), (PASS_FAIL, 38)]

    found = calibrate(units(*labelled, (UNLABELLED_PASS, 100)), sample="separate")

    assert found.corrected.point is None
    assert "sensitivity 11 % and specificity 5 %" in found.why
    assert "the opposite of people" in found.why
    assert "swapped" in found.why
    assert "coin" not in found.why


def test_a_judge_no_better_than_a_coin_is_refused() -> None:
    labelled = [(PASS_PASS, 20), (PASS_FAIL, 20), (FAIL_PASS, 20), (FAIL_FAIL, 20)]

    found = calibrate(units(*labelled, (UNLABELLED_PASS, 100)), sample="separate")

    assert (found.method, found.corrected.point) == ("none", None)
    assert "not above 100 %" in found.why
    assert found.why.endswith("no more than a coin")
    with pytest.raises(ValueError, match="above 1"):
        rogan_gladen(Share(0.5, 100), Share(0.5, 40), Share(0.5, 40))


@pytest.mark.parametrize(
    ("frame", "sample", "why"),
    [
        (units((UNLABELLED_PASS, 50)), "random", "nobody has labelled"),
        (units(((None, True), 50)), "random", "nobody has labelled"),
        (some(), "chosen", "chosen because they are interesting"),
        (some(), "unknown", "nobody has said how the labelled units were drawn"),
        (
            units((PASS_PASS, 19), (UNLABELLED_PASS, 50)),
            "random",
            "19 labels are too few",
        ),
        (units((PASS_PASS, 19), (UNLABELLED_PASS, 50)), "separate", "it takes 20"),
        (units((PASS_PASS, 1), (UNLABELLED_PASS, 50)), "random", "1 label is too few"),
        (units((PASS_PASS, 50), (UNLABELLED_PASS, 50)), "separate", "failed 0 of the labelled"),
        (units((PASS_PASS, 50), (FAIL_FAIL, 9), (UNLABELLED_PASS, 9)), "separate", "10 of each"),
        (units((PASS_PASS, 50), (FAIL_FAIL, 50)), "separate", "nothing besides the labelled"),
    ],
)
def test_no_rate_is_corrected_without_grounds(
    frame: dict[str, Any], sample: Sample, why: str
) -> None:
    found = calibrate(frame, sample=sample)

    assert (found.method, found.corrected.point) == ("none", None)
    assert why in found.why
    assert found.corrected.reason == found.why


def test_units_set_aside_belong_neither_to_the_set_nor_to_the_rest() -> None:
    frame = some()
    frame["human_why"] = [""] * 80 + ["tie"] * 20 + [""] * 400

    found = calibrate(frame, sample="separate")

    assert found.raw == rate(280, 400)


def test_where_people_saw_everything_nobody_need_say_how_it_was_drawn() -> None:
    frame = units((PASS_PASS, 30), (FAIL_FAIL, 10), (FAIL_PASS, 5), (UNLABELLED_PASS, 3))
    frame["human_why"] = [""] * 45 + ["tie"] * 3

    found = calibrate(frame, sample="unknown")

    assert found.method == "ppi++"
    assert found.why.startswith(
        "all 48 judged units have been put to people, and 45 have a label that counts; "
    )
    assert "the other 3 are not left out" in found.why
    assert calibrate(frame, sample="chosen").method == "none"


def test_it_is_the_peoples_own_rate_only_where_every_unit_has_a_label() -> None:
    rows = ((PASS_PASS, 20), (FAIL_FAIL, 8), (FAIL_PASS, 2), (PASS_FAIL, 3))
    lacking = units(*rows, (UNLABELLED_PASS, 1)) | {"human_why": [""] * 33 + ["tie"]}

    some_missing = calibrate(lacking, sample="random")
    whole = calibrate(units(*rows), sample="random")

    assert some_missing.corrected.point != some_missing.human.point
    assert "their own rate" not in some_missing.why
    assert whole.corrected.point == pytest.approx(whole.human.point)
    assert whole.why == "all 33 judged units have been put to people: this is their own rate"


def test_only_ten_reasons_a_side_are_told_apart() -> None:
    frame = units((PASS_PASS, 20), ((None, True), 30)) | {
        "judge_why": [""] * 20 + [f"reply {each // 2}" for each in range(30)]
    }

    found = calibrate(frame, sample="random").left_out

    assert len(found) == 11
    assert found[-1] == LeftOut(side="judge", reason="other reasons", count=10)


def test_only_passes_still_have_a_corrected_rate_with_bounds() -> None:
    found = calibrate(units((PASS_PASS, 60), (UNLABELLED_PASS, 400)), sample="random")

    assert (found.corrected.point, found.corrected.high) == (1, 1)
    assert found.corrected.low == pytest.approx(1 - 3 / 60)
    assert found.specificity.point is None
    assert found.specificity.reason == "people failed none of the labelled units"


def test_a_frame_without_verdicts_is_refused() -> None:
    with pytest.raises(ValueError, match="lacks the columns human"):
        calibrate({"judge": [True]}, sample="random")


def test_equal_weights_are_worth_as_many_units() -> None:
    hits = np.array([True] * 30 + [False] * 70)

    assert effective_size(hits, np.full(100, 7.0)) == pytest.approx(100)
    assert effective_size(hits, np.array([1.0, 9.0] * 50)) < 100
