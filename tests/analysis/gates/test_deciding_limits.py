"""What a run is held to by itself: limits of its numbers, and what must not happen in it."""

from apps.accounts.models import Workspace
from apps.runs.models import Score
from tests.runs.building import (
    BROKEN,
    SKIPPED,
    TIMED_OUT,
    UNJUDGED,
    make_version,
)

from .building import LIMIT, a_run, held, the_check

# -- limits of a metric -----------------------------------------------------------------------


def test_a_limit_that_the_whole_interval_keeps_passes(workspace: Workspace) -> None:
    found = held(a_run(workspace, 180, 20), **LIMIT)

    check = the_check(found, "pass_rate:at_least")
    assert (found.answer, check.finding.code) == ("pass", "holds")
    assert check.observed is not None
    assert (check.observed.point, check.observed.n, check.limit) == (0.9, 200, 0.8)
    assert found.judgment.blocking_reason is None
    assert found.judgment.next_action == (f"Release {found.run.id}: every check holds.",)


def test_a_limit_that_the_whole_interval_misses_fails(workspace: Workspace) -> None:
    found = held(a_run(workspace, 100, 100), **LIMIT)

    assert found.answer == "fail"
    assert the_check(found, "pass_rate:at_least").finding.code == "below_threshold"
    assert found.judgment.blocking_reason is not None
    assert "50 %" in found.judgment.blocking_reason
    assert found.judgment.next_action == ("Mend it so that the pass rate is at least 80 %.",)


def test_a_limit_inside_the_interval_is_open_and_says_how_many_records_would_settle_it(
    workspace: Workspace,
) -> None:
    found = held(a_run(workspace, 165, 35), **LIMIT)

    finding = the_check(found, "pass_rate:at_least").finding
    assert (found.answer, finding.code) == ("inconclusive", "insufficient_statistical_support")
    assert "records would settle it" in finding.evidence
    assert "records would settle it" in found.judgment.next_action[0]


def test_by_point_the_measured_value_alone_counts(workspace: Workspace) -> None:
    by_point = {"metric": "pass_rate", "at_least": 0.8, "by": "point"}

    found = held(a_run(workspace, 165, 35), metrics=[by_point])

    assert found.answer == "pass"


def test_too_few_records_leave_it_open(workspace: Workspace) -> None:
    run = a_run(workspace, 19)

    few, enough = held(run, **LIMIT), held(run, **LIMIT, minimum_n=19)

    assert the_check(few, "pass_rate:at_least").finding.code == "insufficient_samples"
    assert few.answer == "inconclusive"
    assert few.judgment.next_action == (
        "The pass rate is at least 80 %: it takes 20 records; here are 19.",
    )
    assert the_check(enough, "pass_rate:at_least").finding.code == "holds"


def test_of_several_trials_the_minimum_is_of_records(workspace: Workspace) -> None:
    version = make_version(workspace, 10)
    run = a_run(workspace, 40, version=version, trials=4)

    found = held(run, metrics=[{"metric": "pass_rate", "at_least": 0.5}])

    finding = the_check(found, "pass_rate:at_least").finding
    assert (found.run.counted_in, found.run.counts.valid) == ("tries", 40)
    assert finding.code == "insufficient_samples"
    assert finding.evidence == "It takes 80 tries; here are 40."


def test_what_several_trials_pass_can_be_held(workspace: Workspace) -> None:
    version = make_version(workspace, 30)
    run = a_run(workspace, 120, version=version, trials=4)

    found = held(run, metrics=[{"metric": "pass^4", "at_least": 0.9, "by": "point"}])

    assert the_check(found, "pass^4:at_least").finding.code == "holds"


def test_a_number_that_the_run_does_not_have_is_not_measured(workspace: Workspace) -> None:
    found = held(a_run(workspace, 30), metrics=[{"metric": "rule:tone:mean", "at_least": 0.5}])

    finding = the_check(found, "rule:tone:mean:at_least").finding
    assert (finding.answer, finding.code) == ("inconclusive", "not_measured")
    assert found.answer == "inconclusive"


def test_amounts_are_held_to_a_limit_above(workspace: Workspace) -> None:
    run = a_run(workspace, 200)

    found = held(
        run,
        metrics=[
            {"metric": "latency_p95", "at_most": 3_000},
            {"metric": "cost_mean", "at_most": 0.0001, "by": "point"},
        ],
    )

    assert the_check(found, "latency_p95:at_most").answer == "pass"
    assert the_check(found, "cost_mean:at_most").finding.code == "below_threshold"


# -- what must not happen ---------------------------------------------------------------------


def test_one_failure_of_a_blocking_rule_fails_the_gate(workspace: Workspace) -> None:
    found = held(a_run(workspace, 199, 1), blocking_rules=["exact"])

    check = the_check(found, "blocking:exact")
    assert (found.answer, check.finding.code) == ("fail", "critical_violation")
    assert check.evidence[0].parameters == {"rule": "exact:missed"}
    assert found.judgment.next_action == ("Mend what fails rule exact: no answer may.",)


def test_a_rule_that_only_warns_blocks_where_the_policy_says_so(workspace: Workspace) -> None:
    found = held(a_run(workspace, 199, 1), blocking_rules=["token_f1"])

    assert the_check(found, "blocking:token_f1").finding.code == "critical_violation"


def test_no_failure_of_a_blocking_rule_passes_with_what_it_proves(workspace: Workspace) -> None:
    found = held(a_run(workspace, 200), blocking_rules=["exact"])

    finding = the_check(found, "blocking:exact").finding
    assert (found.answer, finding.code) == ("pass", "holds")
    assert "none of 200 answers failed" in finding.reason


def test_answers_that_a_blocking_rule_could_not_judge_leave_it_open(workspace: Workspace) -> None:
    found = held(a_run(workspace, 199, 0, UNJUDGED), blocking_rules=["exact"])

    finding = the_check(found, "blocking:exact").finding
    assert (finding.answer, finding.code) == ("inconclusive", "not_measured")
    assert "1 more has no verdict" in finding.reason


def test_a_blocking_rule_that_the_run_does_not_have_is_not_measured(workspace: Workspace) -> None:
    found = held(a_run(workspace, 200), blocking_rules=["no_secrets"])

    assert the_check(found, "blocking:no_secrets").finding.code == "not_measured"
    assert found.answer == "inconclusive"


def test_scores_without_a_verdict_cannot_block(workspace: Workspace) -> None:
    run = a_run(workspace, 30)
    Score.objects.filter(run=run, rule="token_f1").update(verdict="")

    found = held(run, blocking_rules=["token_f1"])

    finding = the_check(found, "blocking:token_f1").finding
    assert finding.code == "not_measured"
    assert "imported without verdicts" in finding.reason
    assert "rule:token_f1:mean" in finding.evidence


def test_errors_within_the_budget_pass_and_beyond_it_fail(workspace: Workspace) -> None:
    version = make_version(workspace, 1_000)
    before = a_run(workspace, 995, 0, *[TIMED_OUT] * 5, version=version)
    much_worse = a_run(workspace, 920, 0, *[BROKEN] * 80, version=version)
    as_before = a_run(workspace, 994, 0, *[TIMED_OUT] * 6, version=version)

    bad = held(much_worse, before, failure_budget=0.02)
    good = held(as_before, before, failure_budget=0.02)

    assert (bad.answer, the_check(bad, "failures:budget").finding.code) == (
        "fail",
        "rate_regression",
    )
    assert (good.answer, the_check(good, "failures:budget").finding.code) == (
        "pass",
        "within_regression_budget",
    )


def test_errors_that_the_numbers_cannot_settle_are_open(workspace: Workspace) -> None:
    version = make_version(workspace, 100)
    before, after = (a_run(workspace, 100, version=version) for _ in range(2))

    found = held(after, before, failure_budget=0.01)
    few = held(after, before, failure_budget=0.01, minimum_n=101)

    assert the_check(found, "failures:budget").finding.code == "insufficient_statistical_support"
    assert the_check(few, "failures:budget").finding.code == "insufficient_samples"


def test_the_failure_rate_has_a_limit_of_its_own(workspace: Workspace) -> None:
    run = a_run(workspace, 100, 0, *[TIMED_OUT] * 100)

    found = held(run, failure_rate_at_most=0.1)

    check = the_check(found, "failures:at_most")
    assert (check.answer, check.what) == ("fail", "failures")
    assert check.evidence[0].parameters == {"outcome": "failed"}


def test_a_run_that_asked_only_a_part_is_open_however_good_that_is(workspace: Workspace) -> None:
    found = held(a_run(workspace, 180, 0, *[SKIPPED] * 20), **LIMIT)

    check = the_check(found, "run:complete")
    assert (found.answer, check.finding.code) == ("inconclusive", "not_measured")
    assert "20 of 200 valid records were never asked" in check.finding.reason
    assert the_check(found, "pass_rate:at_least").answer == "pass"


def test_a_blocking_rule_that_the_run_does_not_have_is_said_to_be_none_of_it(
    workspace: Workspace,
) -> None:
    run = a_run(workspace, 30, 0, TIMED_OUT)

    found = held(run, blocking_rules=["no_secret"])

    finding = the_check(found, "blocking:no_secret").finding
    assert (finding.answer, finding.code) == ("inconclusive", "not_measured")
    assert finding.reason.startswith("There is no rule named no_secret in the run's contract")
    assert "error" not in finding.reason
