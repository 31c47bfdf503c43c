"""Slices in a gate: none may be harmed, or each must be shown to be no worse."""

import pytest

from apps.metrics.compared import Difference, Moves, Verdict
from apps.metrics.contracts import Interval
from apps.metrics.gated import Answer, Code
from apps.metrics.gating import Proof, slice_harm

NOTHING = Interval(point=None, low=None, high=None, n=0, method="tango", reason="no pair")


def a_slice(
    point: float,
    half: float,
    *,
    n: int = 100,
    verdict: Verdict = "inconclusive",
    value: str = "law",
) -> Difference:
    return Difference(
        metric="pass_rate",
        family="tag",
        value=value,
        binary=True,
        higher_is_better=True,
        moves=Moves(better=0, worse=0, same=n, error=0, unscored=0),
        baseline=NOTHING,
        candidate=NOTHING,
        difference=Interval(point=point, low=point - half, high=point + half, n=n, method="tango"),
        p=0.5,
        test="mcnemar",
        verdict=verdict,
        reason="told",
        detectable=0.12,
    )


@pytest.mark.parametrize(
    ("difference", "answer", "code"),
    [
        (a_slice(-0.02, 0.02), "pass", "holds"),
        (a_slice(-0.02, 0.05), "pass", "no_harm_seen"),
        (a_slice(-0.2, 0.05, verdict="worse"), "fail", "slice_worse"),
        (a_slice(-0.02, 0.01, verdict="worse"), "pass", "holds"),
        (a_slice(-0.04, 0.03, verdict="worse"), "pass", "no_harm_seen"),
        (a_slice(0.2, 0.1, verdict="better"), "pass", "holds"),
        (a_slice(-0.5, 0.3, n=7), "pass", "insufficient_samples"),
        (a_slice(-0.5, 0.1, n=25, verdict="worse"), "inconclusive", "insufficient_samples"),
    ],
)
def test_harm_is_a_slice_that_is_worse_beyond_the_margin(
    difference: Difference, answer: Answer, code: Code
) -> None:
    [finding] = slice_harm([difference], margin=0.05, proof="no_harm_seen", minimum=30)

    assert (finding.answer, finding.code) == (answer, code)


def test_a_slice_without_harm_says_that_it_proves_nothing_and_what_could_be_missed() -> None:
    [finding] = slice_harm([a_slice(-0.02, 0.05)], margin=0.05, proof="no_harm_seen", minimum=20)

    assert finding.reason == (
        "The pass rate of tag “law” differs from the baseline's by −2 points (95 % interval −7 "
        "points to +3 points, n = 100): no harm seen. n = 100 is too small to exclude a loss of "
        "more than 5 points. A change below 12 points could have been missed."
    )


@pytest.mark.parametrize(
    ("method", "code"), [("tango", "holds"), ("tango, clustered", "no_harm_seen")]
)
def test_a_slice_in_which_nothing_differs_holds_unless_its_records_come_in_groups(
    method: str, code: Code
) -> None:
    same = Interval(point=0.0, low=None, high=None, n=100, method=method, reason="no spread")
    difference = a_slice(0, 0).model_copy(update={"difference": same})

    [finding] = slice_harm([difference], margin=0.05, proof="no_harm_seen", minimum=20)

    assert finding.code == code


def test_without_a_margin_it_is_any_loss_that_is_not_excluded() -> None:
    [finding] = slice_harm([a_slice(0.01, 0.05)], margin=0, proof="no_harm_seen", minimum=20)

    assert finding.code == "no_harm_seen"
    assert "n = 100 is too small to exclude a loss. " in finding.reason


@pytest.mark.parametrize(("margin", "code"), [(0.03, "holds"), (0.02, "no_harm_seen")])
def test_a_slice_in_which_nothing_differs_excludes_a_loss_by_the_rule_of_three(
    margin: float, code: Code
) -> None:
    none = Interval(point=0, low=None, high=None, n=100, method="bootstrap", reason="no spread")
    same = a_slice(0, 0).model_copy(update={"difference": none})

    [finding] = slice_harm([same], margin=margin, proof="no_harm_seen", minimum=20)

    assert (finding.answer, finding.code) == ("pass", code)


def test_a_small_slice_is_not_said_to_be_unharmed() -> None:
    small = a_slice(0, 0.4, n=7)

    [finding] = slice_harm([small], margin=0.05, proof="no_harm_seen", minimum=20)

    assert finding.reason.endswith("too few to see harm, so nothing is said of it.")


def test_a_slice_that_must_be_no_worse_is_inconclusive_where_it_is_small() -> None:
    small = a_slice(0, 0.01, n=7)

    [finding] = slice_harm([small], margin=0.05, proof="non_inferior", minimum=20)

    assert (finding.answer, finding.code) == ("inconclusive", "insufficient_samples")


def test_intervals_are_widened_for_how_many_slices_are_asked() -> None:
    one = a_slice(0, 0.045)
    small = a_slice(0, 0.4, n=7, value="small")

    [alone, _] = slice_harm([one, small], margin=0.05, proof="non_inferior", minimum=20)
    together = slice_harm([one] * 5, margin=0.05, proof="non_inferior", minimum=20)

    assert alone.answer == "pass"
    assert {finding.answer for finding in together} == {"inconclusive"}
    # 99 % takes 2.576 / 1.960 times as much as 95 %: 4.5 points become 5.9.
    assert "(99 % interval −5.9 points to +5.9 points, n = 100)" in together[0].reason
    assert together[0].reason.endswith("The interval is widened for 5 slices (Bonferroni).")


@pytest.mark.parametrize(
    ("proof", "answer"), [("no_harm_seen", "pass"), ("non_inferior", "inconclusive")]
)
def test_below_twenty_records_a_slice_is_too_small_whatever_the_policy_asks(
    proof: Proof, answer: Answer
) -> None:
    [finding] = slice_harm([a_slice(0, 0.01, n=19)], margin=0.05, proof=proof, minimum=2)

    assert (finding.answer, finding.code) == (answer, "insufficient_samples")


def test_a_small_slice_tells_its_errors() -> None:
    errors = Moves(better=0, worse=0, same=7, error=50, unscored=0)
    small = a_slice(0, 0.4, n=7).model_copy(update={"moves": errors})

    [finding] = slice_harm([small], margin=0.05, proof="no_harm_seen", minimum=20)

    assert "7 records to compare and 50 more with an error, where it takes 20" in finding.reason


def test_without_slices_there_is_no_finding() -> None:
    assert slice_harm([], margin=0.05, proof="no_harm_seen", minimum=20) == []
