"""What a gate finds in numbers: pass, fail or inconclusive, with the reason and what settles it."""

import pytest

from apps.metrics.contracts import Interval, counted
from apps.metrics.gated import Answer, Code, Finding
from apps.metrics.gating import answer_of, critical, non_inferiority, threshold
from apps.metrics.gating.words import change, points
from apps.metrics.intervals import rate


def a_difference(
    point: float | None, low: float | None, high: float | None, n: int = 500
) -> Interval:
    reason = "" if None not in (point, low, high) else "one pair has no interval"
    return Interval(point=point, low=low, high=high, n=n, method="tango", reason=reason)


# -- thresholds -----------------------------------------------------------------------------


def test_a_rate_whose_whole_interval_is_high_enough_passes() -> None:
    finding = threshold(rate(921, 1000), at_least=0.9, minimum=20)

    assert (finding.answer, finding.code) == ("pass", "holds")
    assert finding.reason == (
        "The pass rate is 92.1 % (95 % interval 90.3 % to 93.6 %, n = 1,000); it should be at "
        "least 90 %, and its whole interval is."
    )


def test_a_rate_whose_whole_interval_is_too_low_fails() -> None:
    finding = threshold(rate(850, 1000), at_least=0.9, minimum=20)

    assert (finding.answer, finding.code) == ("fail", "below_threshold")
    assert finding.reason.endswith("it should be at least 90 %, and none of its interval is.")


def test_an_interval_on_both_sides_is_inconclusive_and_says_how_many_records_would_settle_it() -> (
    None
):
    finding = threshold(rate(911, 1000), at_least=0.9, minimum=20)

    assert (finding.answer, finding.code) == ("inconclusive", "insufficient_statistical_support")
    assert finding.evidence == (
        "About 2,900 records would settle it, if the estimate stays as it is; here are 1,000."
    )


@pytest.mark.parametrize(("successes", "n", "at_least"), [(911, 1000, 0.9), (20, 20, 0.95)])
def test_so_many_records_do_settle_a_rate(successes: int, n: int, at_least: float) -> None:
    evidence = threshold(rate(successes, n), at_least=at_least, minimum=1).evidence
    wanted = int(evidence.split()[1].replace(",", ""))

    def at(records: int) -> Answer:
        share = rate(round(successes / n * records), records)
        return threshold(share, at_least=at_least, minimum=1).answer

    assert at(wanted) == "pass"
    assert at(round(0.8 * wanted)) == "inconclusive"


def test_a_point_is_enough_where_the_policy_says_so() -> None:
    above = threshold(rate(911, 1000), at_least=0.9, by="point", minimum=20)
    below = threshold(rate(899, 1000), at_least=0.9, by="point", minimum=20)

    assert (above.answer, below.answer) == ("pass", "fail")
    assert above.reason.endswith("and the estimate is.")


def test_a_limit_itself_is_still_allowed() -> None:
    cost = Interval(point=2.0, low=2.0, high=2.0, n=30, method="bootstrap")

    assert threshold(cost, at_most=2.0, minimum=20, unit="usd").answer == "pass"


def test_fewer_than_the_minimum_is_inconclusive_whatever_the_rate() -> None:
    finding = threshold(rate(19, 19), at_least=0.5, minimum=20)

    assert (finding.answer, finding.code) == ("inconclusive", "insufficient_samples")
    assert finding.evidence == "It takes 20 records; here are 19."


def test_what_was_not_measured_says_why() -> None:
    nothing = rate(0, 0)

    finding = threshold(nothing, at_least=0.5, minimum=20, name="the rule “Cites”")

    assert (finding.answer, finding.code) == ("inconclusive", "not_measured")
    assert finding.reason == "The rule “Cites” was not measured: nothing was observed."


def test_a_bound_that_many_values_take_is_asked_for_and_the_other_one_is_enough() -> None:
    slow = Interval(
        point=1800, low=900, high=None, n=30, method="order statistics",
        reason="an upper bound of p95 takes 72 independent values, here are 30",
    )  # fmt: skip

    open_above = threshold(slow, at_most=2000, minimum=20, name="p95", unit="ms")
    too_slow = threshold(slow, at_most=800, minimum=20, name="p95", unit="ms")

    assert open_above.answer == "inconclusive"
    assert open_above.evidence.startswith("An upper bound of p95 takes 72 independent values")
    assert too_slow.answer == "fail"
    assert "1,800 ms (95 % interval 900 ms to unknown, n = 30)" in too_slow.reason


def test_a_count_has_no_interval_and_goes_by_the_point() -> None:
    assert threshold(counted(9.5, 100), at_most=10, minimum=20, unit="usd").answer == "pass"
    assert threshold(counted(10.5, 100), at_most=10, minimum=20, unit="usd").answer == "fail"


def test_a_range_takes_both_of_its_ends() -> None:
    length = Interval(point=100, low=80, high=120, n=50, method="bootstrap")

    def of(least: float, most: float) -> Finding:
        return threshold(length, at_least=least, at_most=most, minimum=20, unit="count")

    assert of(70, 130).answer == "pass"
    assert of(90, 130).evidence.startswith("About 200 records")
    assert of(90, 105).evidence.startswith("About 800 records")
    assert of(130, 150).answer == "fail"


@pytest.mark.parametrize(("successes", "at_least"), [(50, 1.0), (25, 0.5)])
def test_where_no_number_is_enough_it_says_so(successes: int, at_least: float) -> None:
    finding = threshold(rate(successes, 50), at_least=at_least, minimum=20)

    assert finding.answer == "inconclusive"
    assert finding.evidence.startswith("No number of records would settle it")


def test_a_threshold_without_a_bound_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="at_least, at_most"):
        threshold(rate(1, 2), minimum=1)


# -- no worse than the baseline -------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "point", "high", "answer", "code"),
    [
        (-0.02, 0.01, 0.04, "pass", "holds"),
        (-0.03, 0.01, 0.04, "pass", "holds"),
        (-0.09, -0.06, -0.031, "fail", "worse_than_baseline"),
        (-0.09, -0.06, -0.03, "inconclusive", "insufficient_statistical_support"),
        (-0.05, -0.01, 0.04, "inconclusive", "insufficient_statistical_support"),
    ],
)
def test_the_interval_of_the_difference_is_held_against_the_margin(
    low: float, point: float, high: float, answer: Answer, code: Code
) -> None:
    finding = non_inferiority(a_difference(point, low, high), margin=0.03, minimum=20)

    assert (finding.answer, finding.code) == (answer, code)


@pytest.mark.parametrize(
    ("low", "point", "high", "ending"),
    [
        (-0.09, -0.06, -0.031, "the margin is 3 points, and the whole interval lies beyond it."),
        (-0.05, -0.01, 0.04, "the margin is 3 points, and the interval reaches beyond it."),
    ],
)
def test_a_reason_says_how_the_interval_lies_to_the_margin(
    low: float, point: float, high: float, ending: str
) -> None:
    finding = non_inferiority(a_difference(point, low, high), margin=0.03, minimum=20)

    assert finding.reason.endswith(ending)


def test_one_point_is_no_points() -> None:
    assert [points(size, "percent") for size in (0.01, 0.03)] == ["1 point", "3 points"]


@pytest.mark.parametrize("nothing", [-1.1e-16, 0.00004, 0.0])
def test_what_shows_as_no_change_has_no_sign(nothing: float) -> None:
    assert change(nothing, "percent") == "0 points"
    assert change(-0.0005, "percent") == "−0.05 points"


def test_a_reason_names_the_difference_its_interval_and_the_margin() -> None:
    finding = non_inferiority(a_difference(-0.004, -0.02, 0.012), margin=0.03, minimum=20)

    assert finding.reason == (
        "The pass rate differs from the baseline's by −0.4 points (95 % interval −2 points to "
        "+1.2 points, n = 500); the margin is 3 points, and the whole interval lies within it."
    )


def test_where_less_is_better_the_margin_lies_above() -> None:
    slower = Interval(point=80, low=20, high=140, n=300, method="bootstrap")

    def of(margin: float) -> Answer:
        return non_inferiority(
            slower, margin=margin, higher_is_better=False, minimum=20, unit="ms"
        ).answer

    assert (of(150), of(100), of(10)) == ("pass", "inconclusive", "fail")


def test_evidence_tells_records_if_the_difference_stays_and_if_there_is_none() -> None:
    finding = non_inferiority(a_difference(-0.01, -0.05, 0.03), margin=0.03, minimum=20)

    # Half width .04 at 500: .02 takes four times as many, .03 (4/3)² times.
    assert finding.evidence == (
        "About 2,000 records that both runs have would settle it, if the difference stays as it "
        "is; about 890 if there is no difference; here are 500."
    )


def test_a_difference_that_is_the_margin_is_settled_only_if_it_goes_away() -> None:
    finding = non_inferiority(a_difference(-0.03, -0.06, 0.0), margin=0.03, minimum=20)

    assert finding.evidence == (
        "About 510 records that both runs have would settle it, if there is no difference; here "
        "are 500."
    )


def test_without_a_margin_equal_runs_are_never_settled() -> None:
    finding = non_inferiority(a_difference(0.0, -0.01, 0.01), margin=0.0, minimum=20)

    assert finding.answer == "inconclusive"
    assert finding.evidence.startswith("No number of records")


def test_the_very_same_answers_are_no_worse_with_any_margin() -> None:
    finding = non_inferiority(a_difference(0.0, 0.0, 0.0), margin=0.0, minimum=20)

    assert finding.answer == "pass"


def test_too_few_pairs_are_inconclusive() -> None:
    finding = non_inferiority(a_difference(0.2, 0.1, 0.3, n=12), margin=0.03, minimum=20)

    assert (finding.answer, finding.code) == ("inconclusive", "insufficient_samples")
    assert finding.evidence == "It takes 20 records that both runs have; here are 12."


@pytest.mark.parametrize("point", [None, 0.1])
def test_a_difference_without_its_interval_says_why(point: float | None) -> None:
    finding = non_inferiority(a_difference(point, None, None), margin=0.03, minimum=20)

    assert (finding.answer, finding.code) == ("inconclusive", "not_measured")
    assert "one pair has no interval" in finding.reason


def test_a_negative_margin_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="0 or more"):
        non_inferiority(a_difference(0, 0, 0), margin=-0.1, minimum=20)


# -- what may never happen ------------------------------------------------------------------


def test_one_failure_of_a_blocking_rule_fails() -> None:
    finding = critical(1, 500, 3, name="the rule “No secrets”")

    assert (finding.answer, finding.code) == ("fail", "critical_violation")
    assert finding.reason == "The rule “No secrets”: 1 answer of 500 failed, and none may."


def test_no_failure_says_how_many_there_may_be_all_the_same() -> None:
    finding = critical(0, 500, name="the rule “No secrets”")

    assert (finding.answer, finding.code) == ("pass", "holds")
    assert finding.reason.endswith("so at most about 0.6 % would (3/500, 95 %).")


def test_few_answers_prove_no_rule_and_a_failure_among_them_fails() -> None:
    few, failed = (critical(each, 19, minimum=20, name="rule tone") for each in (0, 1))

    assert (few.answer, few.code) == ("inconclusive", "insufficient_samples")
    assert few.evidence == "It takes 20 answers; here are 19."
    assert failed.code == "critical_violation"


def test_answers_without_a_verdict_leave_a_blocking_rule_open() -> None:
    finding = critical(0, 497, 3, name="the rule “No secrets”")

    assert finding.answer == "inconclusive"
    assert finding.evidence == ("A verdict on 3 answers: retry what failed, or regrade the run.")


def test_a_blocking_rule_that_judged_nothing_is_open() -> None:
    assert critical(0, 0, name="the rule “No secrets”").answer == "inconclusive"


# -- the answer -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "answer"),
    [
        (["pass", "pass"], "pass"),
        (["pass", "inconclusive"], "inconclusive"),
        (["inconclusive", "fail", "pass"], "fail"),
        ([], "inconclusive"),
    ],
)
def test_one_failure_fails_and_nothing_proves_nothing(
    answers: list[Answer], answer: Answer
) -> None:
    findings = [Finding(answer=each, code="holds", reason="told") for each in answers]

    assert answer_of(findings) == answer
