"""Errors, baselines that asked a part, and slices that nobody saw: none of them opens a gate."""

from dataclasses import replace
from typing import Any

import pytest

from apps.accounts.models import Workspace
from apps.analysis.comparing import body_of
from apps.analysis.gates.checking.concluding import checks_of
from apps.analysis.gates.checking.grounds import Grounds
from apps.analysis.gates.checking.looking import grounds_of
from apps.analysis.gates.contracts import Decided
from apps.analysis.models import Comparison
from apps.datasets.models import DatasetVersion
from apps.runs.models import Run
from tests.runs.building import BROKEN, PASSED, SKIPPED, TIMED_OUT, ended_run, make_version

from .building import LIMIT, a_run, a_spec, held, the_check

RETRY = "Retry what failed, or give the policy a limit on failures."
SLICES: dict[str, Any] = {"slices": [{"families": ["metadata.language"], "margin": 0.05}]}
LANGUAGES = "slices:pass_rate:no_harm_seen:metadata.language"


@pytest.fixture
def version(workspace: Workspace) -> DatasetVersion:
    return make_version(workspace, 300)


@pytest.fixture
def before(workspace: Workspace, version: DatasetVersion) -> Run:
    return a_run(workspace, 300, version=version, name="in production")


def mostly_errors(workspace: Workspace, version: DatasetVersion) -> Run:
    return a_run(workspace, 60, 0, *[TIMED_OUT] * 240, version=version)


def a_language_of_errors(workspace: Workspace, version: DatasetVersion) -> Run:
    """Of six languages, every record of the first ended with an error."""
    given = [TIMED_OUT if ordinal % 6 == 0 else PASSED for ordinal in range(300)]
    return ended_run(workspace, given, version=version)


# -- errors where the policy has no limit on them ---------------------------------------------


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        ({"metrics": [{"metric": "pass_rate", "at_least": 0.8}]}, "pass_rate:at_least"),
        ({"metrics": [{"metric": "score_mean", "at_least": 0.8}]}, "score_mean:at_least"),
        ({"metrics": [{"metric": "worst_slice", "at_least": 0.01}]}, "worst_slice:at_least"),
        ({"metrics": [{"metric": "latency_p50", "at_most": 1e6}]}, "latency_p50:at_most"),
        ({"metrics": [{"metric": "pass_rate", "margin": 0.1}]}, "pass_rate:margin"),
        ({"blocking_rules": ["exact"]}, "blocking:exact"),
        (SLICES, f"{LANGUAGES}:metadata.language=English"),
    ],
)
def test_what_passes_because_errors_count_as_nothing_is_open(
    workspace: Workspace,
    version: DatasetVersion,
    before: Run,
    asked: dict[str, Any],
    key: str,
) -> None:
    given = [PASSED if ordinal % 6 and ordinal < 120 else TIMED_OUT for ordinal in range(300)]
    after = ended_run(workspace, given, version=version)

    found = held(after, before, minimum_n=10, **asked)

    check = the_check(found, key)
    assert found.answer == "inconclusive"
    assert (check.answer, check.finding.evidence) == ("inconclusive", RETRY)
    assert "With errors as fails the answer would be" in check.finding.reason


def test_with_a_limit_on_failures_that_decides_and_the_rest_is_told(
    workspace: Workspace, version: DatasetVersion
) -> None:
    run = mostly_errors(workspace, version)
    asked: dict[str, Any] = {
        "metrics": [{"metric": "pass_rate", "at_least": 0.8}],
        "blocking_rules": ["exact"],
    }

    lax, strict = (held(run, failure_rate_at_most=most, **asked) for most in (0.9, 0.1))

    assert (lax.answer, strict.answer) == ("pass", "fail")
    for key in ("pass_rate:at_least", "blocking:exact"):
        check = the_check(lax, key)
        assert check.answer == "pass"
        assert "With errors as fails the answer would be fail." in check.finding.reason


def test_what_several_reasons_say_of_errors_is_said_once(
    workspace: Workspace, version: DatasetVersion
) -> None:
    run = a_run(workspace, 45, 15, *[TIMED_OUT] * 240, version=version)

    limits = [{"metric": name, "at_least": 0.8} for name in ("pass_rate", "score_mean")]
    found = held(run, metrics=limits, failure_rate_at_most=0.99)

    said, reason = "With errors as fails the answer would be fail.", found.judgment.blocking_reason
    assert [said in each.finding.reason for each in found.checks] == [False, True, True, False]
    assert reason is not None
    assert reason.count(said) == 1
    assert reason.endswith(said)


def test_errors_that_change_no_answer_are_not_told(
    workspace: Workspace, version: DatasetVersion
) -> None:
    run = a_run(workspace, 298, 0, TIMED_OUT, BROKEN, version=version)

    found = held(run, metrics=[{"metric": "pass_rate", "at_least": 0.8}])

    assert found.answer == "pass"
    assert "errors" not in the_check(found, "pass_rate:at_least").finding.reason


def test_what_several_trials_pass_is_weighed_with_its_errors(workspace: Workspace) -> None:
    given = [PASSED, PASSED, PASSED, TIMED_OUT]
    run = ended_run(workspace, given, version=make_version(workspace, 60), trials=4)

    found = held(run, metrics=[{"metric": "pass^2", "at_least": 0.9, "by": "point"}])

    finding = the_check(found, "pass^2:at_least").finding
    assert (finding.answer, finding.evidence) == ("inconclusive", RETRY)


@pytest.mark.parametrize("limits", [{}, {"failure_rate_at_most": 1.0}])
def test_a_run_without_one_answer_never_passes(
    workspace: Workspace, version: DatasetVersion, before: Run, limits: dict[str, Any]
) -> None:
    run = a_run(workspace, 0, 0, *[TIMED_OUT] * 300, version=version)

    for asked in (SLICES, {"metrics": [{"metric": "cost_mean", "at_most": 9.0, "by": "point"}]}):
        found = held(run, before, **asked, **limits)

        check = the_check(found, "run:complete")
        assert (found.answer, check.finding.code) == ("inconclusive", "not_measured")
        assert "Not one of 300 valid records has an answer" in check.finding.reason


# -- a slice of errors ------------------------------------------------------------------------


def test_a_slice_of_nothing_but_errors_is_open_and_tells_them(
    workspace: Workspace, version: DatasetVersion, before: Run
) -> None:
    after = a_language_of_errors(workspace, version)

    found = held(after, before, **SLICES)
    limited = held(after, before, **SLICES, failure_rate_at_most=0.5)

    one = the_check(found, f"{LANGUAGES}:metadata.language=English")
    assert (found.answer, one.finding.code) == ("inconclusive", "not_measured")
    assert "0 records to compare and 50 more with an error" in one.finding.reason
    assert one.finding.evidence == RETRY
    assert limited.answer == "pass"


# -- the failure rate and the baseline --------------------------------------------------------


def test_what_was_never_asked_is_not_in_the_failure_rate(
    workspace: Workspace, version: DatasetVersion
) -> None:
    run = a_run(workspace, 20, 0, *[TIMED_OUT] * 20, *[SKIPPED] * 260, version=version)

    check = the_check(held(run, failure_rate_at_most=0.2), "failures:at_most")

    assert check.observed is not None
    assert (check.observed.point, check.observed.n) == (0.5, 40)
    assert check.answer == "fail"


def test_a_baseline_that_asked_a_part_is_none_to_compare_with(
    workspace: Workspace, version: DatasetVersion
) -> None:
    part = a_run(workspace, 30, 0, *[SKIPPED] * 270, version=version, name="stopped")
    after = a_run(workspace, 300, version=version)

    found = held(
        after,
        part,
        metrics=[{"metric": "pass_rate", "margin": 0.5, "at_least": 0.5}],
        slices=[{}],
        failure_budget=0.5,
    )

    compared = [check for check in found.checks if check.finding.code == "no_baseline"]
    assert found.answer == "inconclusive"
    assert [check.what for check in compared] == ["difference", "slices", "failures"]
    assert the_check(found, "pass_rate:at_least").answer == "pass"
    assert compared[0].finding.reason == (
        "stopped is no baseline to compare with: it is cancelled and 270 of its 300 valid records "
        "were never asked."
    )
    assert "a baseline that answered every record" in found.judgment.next_action[0]


def test_a_baseline_of_errors_is_none_to_compare_with(
    workspace: Workspace, version: DatasetVersion
) -> None:
    broken = a_run(workspace, 30, 0, *[TIMED_OUT] * 270, version=version, name="broken")
    after = a_run(workspace, 30, 270, version=version)

    found = held(after, broken, metrics=[{"metric": "pass_rate", "margin": 0.5}])

    assert found.answer == "inconclusive"
    assert "270 of its 300 valid records ended with an error" in found.judgment.blocking_reason


def test_each_run_has_the_minimum_of_its_own_trials(workspace: Workspace) -> None:
    version = make_version(workspace, 60)
    once = a_run(workspace, 60, version=version)
    often = ended_run(workspace, [PASSED], version=version, trials=4)

    found = held(often, once, failure_budget=0.2, minimum_n=60)

    assert the_check(found, "failures:budget").finding.code == "within_regression_budget"


def test_few_answers_prove_no_blocking_rule(workspace: Workspace) -> None:
    few, failed = a_run(workspace, 5), a_run(workspace, 4, 1)

    assert the_check(held(few, blocking_rules=["exact"]), "blocking:exact").finding.code == (
        "insufficient_samples"
    )
    assert held(failed, blocking_rules=["exact"]).answer == "fail"


# -- slices that were left out ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("proof", "answer"), [("no_harm_seen", "pass"), ("non_inferior", "inconclusive")]
)
def test_slices_that_were_left_out_are_told_and_not_proven(
    workspace: Workspace, version: DatasetVersion, before: Run, proof: str, answer: str
) -> None:
    after = a_run(workspace, 300, version=version)
    asked = {"families": ["length"], "proof": proof, "margin": 0.5}
    grounds = _with_left_out(after, before, asked)

    [_run, check] = checks_of(grounds)

    assert check.answer == answer
    assert "7 more slices of the dataset, the smallest, were not compared" in check.finding.reason


def _with_left_out(after: Run, before: Run, asked: dict[str, Any]) -> Grounds:
    found: Decided = held(after, before, slices=[asked])
    comparison = Comparison.objects.get(pk=found.comparison)
    grounds = grounds_of(a_spec(slices=[asked]), after, before, comparison)
    left_out = body_of(comparison).model_copy(update={"slices_left_out": 7})
    return replace(grounds, paired=left_out)


# -- pilots -----------------------------------------------------------------------------------


def a_pilot(workspace: Workspace, version: DatasetVersion, **more: Any) -> Run:
    return a_run(workspace, 10, version=version, pilot=True, **more)


@pytest.mark.parametrize("kind", ["fresh", "recorded", "regrade"])
def test_a_pilot_is_counted_among_all_records_of_its_dataset(
    workspace: Workspace, version: DatasetVersion, kind: str
) -> None:
    lenient: dict[str, Any] = {"minimum_n": 1, "failure_rate_at_most": 0.5}
    parent = a_pilot(workspace, version) if kind == "regrade" else None

    found = held(a_pilot(workspace, version, kind=kind, parent=parent), **lenient)

    [asked, *others] = found.checks
    assert (found.answer, asked.answer, asked.finding.code) == (
        "inconclusive",
        "inconclusive",
        "not_measured",
    )
    assert asked.finding.reason.startswith("10 of 300 valid records were asked")
    assert "the other 290" in asked.finding.evidence
    held_to = [check.finding.reason for check in others if check.answer == "pass"]
    assert held_to
    assert all("It is of 10 of 300 records alone." in reason for reason in held_to)


def test_a_pilot_of_several_trials_is_counted_in_tries(
    workspace: Workspace, version: DatasetVersion
) -> None:
    found = held(a_pilot(workspace, version, trials=2), minimum_n=1, **LIMIT)

    assert found.checks[0].finding.reason.startswith("20 of 600 valid tries were asked")


def test_a_pilot_of_all_the_records_that_there_are_leaves_nothing_out(workspace: Workspace) -> None:
    found = held(a_run(workspace, 8, pilot=True), minimum_n=1, **LIMIT)

    assert found.checks[0].finding.reason == "All 8 valid records were asked."


def test_a_pilot_is_no_baseline(workspace: Workspace, version: DatasetVersion) -> None:
    pilot, after = a_pilot(workspace, version, name="pilot"), a_run(workspace, 300, version=version)

    found = held(after, pilot, failure_budget=0.5, minimum_n=1)

    check = the_check(found, "failures:budget")
    assert (check.answer, check.finding.code) == ("inconclusive", "no_baseline")
    assert "as a pilot it left out 290 of 300 valid records" in check.finding.reason
