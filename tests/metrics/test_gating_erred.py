"""Errors in a gate: what a number would be were they fails, and what becomes of the answer."""

import pytest

from apps.metrics.contracts import Interval
from apps.metrics.gated import Answer, Finding
from apps.metrics.gating import counting_errors, weighed
from apps.metrics.intervals import rate


def a_finding(answer: Answer) -> Finding:
    return Finding(answer=answer, code="holds", reason="Told.")


@pytest.mark.parametrize(
    ("passed", "judged", "errors"), [(100, 100, 900), (950, 990, 10), (0, 50, 50)]
)
def test_a_rate_with_errors_is_nearly_that_of_all_results(
    passed: int, judged: int, errors: int
) -> None:
    found, whole = counting_errors(rate(passed, judged), errors), rate(passed, judged + errors)

    assert found.n == whole.n
    assert found.point == pytest.approx(whole.point)
    assert (found.low, found.high) == pytest.approx((whole.low, whole.high), abs=0.006)


def test_nothing_but_errors_is_a_rate_of_nought() -> None:
    found, whole = counting_errors(rate(0, 0), 50), rate(0, 50)

    assert (found.point, found.low, found.high, found.n) == pytest.approx(
        (whole.point, whole.low, whole.high, 50)
    )


def test_without_errors_a_number_is_itself_and_unknown_bounds_stay_unknown() -> None:
    alone = Interval(point=0.5, low=None, high=None, n=10, method="bootstrap", reason="one group")

    assert counting_errors(alone, 0) == alone
    assert counting_errors(alone, 10).point == 0.25
    assert counting_errors(alone, 10).reason == "one group"


@pytest.mark.parametrize("other", ["fail", "inconclusive"])
def test_errors_do_not_open_a_gate_that_has_no_limit_on_failures(other: Answer) -> None:
    found = weighed(a_finding("pass"), a_finding(other), limited=False)

    assert (found.answer, found.code) == ("inconclusive", "insufficient_statistical_support")
    assert found.evidence == "Retry what failed, or give the policy a limit on failures."
    assert found.reason == (
        f"Told. With errors as fails the answer would be {other}, and the policy has no limit on "
        "failures."
    )


@pytest.mark.parametrize(
    ("answer", "other", "limited"),
    [("pass", "fail", True), ("inconclusive", "fail", False), ("fail", "pass", False)],
)
def test_elsewhere_the_answer_stays_and_the_other_one_is_told(
    answer: Answer, other: Answer, limited: bool
) -> None:
    found = weighed(a_finding(answer), a_finding(other), limited=limited)

    assert found.answer == answer
    assert found.reason == f"Told. With errors as fails the answer would be {other}."
    assert weighed(found, found, limited=limited) == found
