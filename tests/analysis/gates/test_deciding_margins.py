"""What a run is held to against its baseline: margins of the whole, and of every slice."""

from typing import Any

import pytest

from apps.accounts.models import Workspace
from apps.analysis.gates.stored import decided
from apps.datasets.models import DatasetVersion, FacetMember
from apps.runs.models import Run
from tests.runs.building import (
    FAILED_CONTRACT,
    PASSED,
    TIMED_OUT,
    make_version,
)

from .building import (
    MARGIN,
    a_decision,
    a_policy,
    a_run,
    approved,
    codes,
    held,
    the_check,
)

# -- against the baseline ---------------------------------------------------------------------


def test_no_worse_than_the_margin_passes_and_asks_to_approve_what_is_released(
    workspace: Workspace, version: DatasetVersion, before: Run
) -> None:
    after = a_run(workspace, 182, 18, version=version, name="new prompt")

    found = held(after, before, **MARGIN)

    check = the_check(found, "pass_rate:margin")
    assert (found.answer, check.finding.code) == ("pass", "holds")
    assert check.difference is not None
    assert check.difference.point == pytest.approx(0.01)
    assert check.baseline is not None
    assert check.baseline.point == pytest.approx(0.9)
    assert found.judgment.next_action[1].startswith("Once it is out, approve new prompt as")
    assert found.baseline is not None
    assert found.baseline.id == before.pk
    assert found.shared is not None
    assert (found.shared.shared, found.shared.only_baseline) == (200, 0)


def test_clearly_worse_than_the_margin_fails(
    workspace: Workspace, version: DatasetVersion, before: Run
) -> None:
    found = held(a_run(workspace, 140, 60, version=version), before, **MARGIN)

    assert found.answer == "fail"
    assert the_check(found, "pass_rate:margin").finding.code == "worse_than_baseline"
    assert "got worse" in found.judgment.next_action[0]


def test_perhaps_worse_than_the_margin_is_open(
    workspace: Workspace, version: DatasetVersion, before: Run
) -> None:
    found = held(a_run(workspace, 172, 28, version=version), before, **MARGIN)

    finding = the_check(found, "pass_rate:margin").finding
    assert (found.answer, finding.code) == ("inconclusive", "insufficient_statistical_support")


def test_without_a_baseline_what_needs_one_is_open_and_the_rest_is_answered(
    workspace: Workspace,
) -> None:
    asked: dict[str, Any] = {
        "metrics": [{"metric": "pass_rate", "at_least": 0.5, "margin": 0.1}],
        "slices": [{}],
        "failure_budget": 0.1,
    }

    found = held(a_run(workspace, 90, 10), **asked)

    assert found.answer == "inconclusive"
    assert codes(found) == ["holds", "holds", "no_baseline", "no_baseline", "no_baseline"]
    assert found.judgment.next_action == ("Approve a baseline for the policy, or name one.",)


def test_the_approved_baseline_counts_and_another_can_be_named(
    workspace: Workspace, version: DatasetVersion, before: Run
) -> None:
    policy = a_policy(workspace, **MARGIN)
    approved(policy, before)
    worse = a_run(workspace, 100, 100, version=version)
    run = a_run(workspace, 150, 50, version=version)

    by_approved = a_decision(run, policy)
    by_named = a_decision(run, policy, worse)

    assert (by_approved.answer, by_approved.baseline) == ("fail", before)
    assert (by_named.answer, by_named.baseline) == ("pass", worse)
    assert by_approved.comparison is not None
    assert by_approved.comparison.candidate == run


def test_a_baseline_that_is_not_the_approved_one_is_warned_of(
    workspace: Workspace, version: DatasetVersion, before: Run
) -> None:
    policy = a_policy(workspace, **MARGIN)
    other = a_run(workspace, 180, 20, version=version, name="yesterday")
    run = a_run(workspace, 180, 20, version=version)

    unapproved = decided(a_decision(run, policy, other))
    approved(policy, before)
    instead, same = (decided(a_decision(run, policy, each)) for each in (other, before))

    assert unapproved.warnings == (
        "yesterday is not the approved baseline, for the policy has none.",
    )
    assert instead.warnings == ("yesterday is not the approved baseline.",)
    assert (instead.baseline_is_approved, instead.approved_baseline) == (False, before.pk)
    assert (same.baseline_is_approved, same.approved_baseline, same.warnings) == (True, None, ())


def test_runs_without_a_record_in_common_say_so(workspace: Workspace, before: Run) -> None:
    other = make_version(workspace, 30, name="other")
    for record in other.records.all():
        record.input_sha256 = f"{record.ordinal:064d}"
        record.save(update_fields=["input_sha256"])
    run = a_run(workspace, 30, version=other)

    found = held(run, before, **MARGIN)

    assert found.answer == "inconclusive"
    assert the_check(found, "pass_rate:margin").finding.code in (
        "not_measured",
        "insufficient_samples",
    )
    assert found.shared is not None
    assert (found.shared.shared, found.shared.only_baseline, found.shared.only_candidate) == (
        0,
        200,
        30,
    )
    assert found.warnings


def test_what_is_the_same_in_every_record_is_no_worse(
    workspace: Workspace, version: DatasetVersion, before: Run
) -> None:
    after = a_run(workspace, 180, 20, version=version)

    found = held(after, before, metrics=[{"metric": "cost_mean", "margin": 0.0}])

    finding = the_check(found, "cost_mean:margin").finding
    assert (finding.answer, finding.code) == ("pass", "holds")
    assert "None of 200 records differs in the mean cost" in finding.reason


def test_many_records_of_a_few_groups_prove_nothing_by_being_the_same(
    workspace: Workspace, version: DatasetVersion
) -> None:
    version.records.update(group="one document")
    runs = [a_run(workspace, 200, version=version, name=name) for name in ("before", "after")]

    found = held(runs[1], runs[0], metrics=[{"metric": "pass_rate", "margin": 0.0}])

    finding = the_check(found, "pass_rate:margin").finding
    assert finding.answer == "inconclusive"


def test_errors_are_no_losses_and_what_they_would_change_is_told(
    workspace: Workspace, version: DatasetVersion, before: Run
) -> None:
    errors = [TIMED_OUT] * 60
    after = a_run(workspace, 130, 10, *errors, version=version)

    found = held(after, before, **MARGIN)

    check = the_check(found, "pass_rate:margin")
    assert check.difference is not None
    assert check.difference.n == 140
    assert "With errors as fails the answer would be fail" in check.finding.reason


# -- slices -----------------------------------------------------------------------------------


def _one_language_worse(workspace: Workspace, version: DatasetVersion) -> Run:
    """Of six languages, every record of the first fails."""
    given = [FAILED_CONTRACT if ordinal % 6 == 0 else PASSED for ordinal in range(200)]
    return a_run(workspace, 0, 0, *given, version=version)


def test_a_harmed_slice_fails_though_others_hold(
    workspace: Workspace, version: DatasetVersion
) -> None:
    before = a_run(workspace, 200, version=version)
    after = _one_language_worse(workspace, version)

    found = held(after, before, slices=[{"families": ["metadata.language"], "margin": 0.1}])

    whole = "slices:pass_rate:no_harm_seen:metadata.language"
    one = the_check(found, f"{whole}:metadata.language=English")
    assert found.answer == "fail"
    assert (one.finding.code, one.family, one.value) == (
        "slice_worse",
        "metadata.language",
        "English",
    )
    assert the_check(found, whole).finding.reason == (
        "Of 6 slices 1 fails (language “English”), 5 show no harm. Where no harm is seen, n is too "
        "small to exclude a loss of more than 10 points."
    )
    assert len(found.checks) == 3
    assert found.judgment.next_action == (
        "Look at the records of language “English” that got worse, and mend them.",
    )


def test_every_slice_that_was_looked_at_is_kept_with_its_numbers_the_worst_first(
    workspace: Workspace, version: DatasetVersion
) -> None:
    before = a_run(workspace, 200, version=version)

    found = held(_one_language_worse(workspace, version), before, slices=[{}])

    [whole] = [check for check in found.checks if check.slices]
    first, last = whole.slices[0], whole.slices[-1]
    assert len(whole.slices) == 52
    assert (first.family, first.value, first.answer, first.code) == (
        "metadata.language",
        "English",
        "fail",
        "slice_worse",
    )
    assert (first.difference.point, first.difference.n) == (-1, 34)
    assert (last.answer, last.code) == ("pass", "insufficient_samples")


def test_slices_of_which_none_could_be_judged_leave_it_open(
    workspace: Workspace, version: DatasetVersion, before: Run
) -> None:
    after = a_run(workspace, 180, 20, version=version)

    found = held(after, before, slices=[{"families": ["tag"]}])

    [_run, check] = found.checks
    assert (check.answer, check.finding.code) == ("inconclusive", "insufficient_samples")
    assert check.finding.reason == "Of 40 slices 40 have too few records to say."
    assert check.finding.evidence == "Slices of 20 records or more that both runs answered."


def test_slices_with_too_few_records_are_counted_apart(
    workspace: Workspace, version: DatasetVersion, before: Run
) -> None:
    after = a_run(workspace, 180, 20, version=version)

    found = held(after, before, slices=[{"families": ["tag", "length"]}], minimum_n=2)

    [_run, check] = found.checks
    assert (check.answer, check.finding.code) == ("pass", "no_harm_seen")
    assert check.finding.reason == (
        "Of 42 slices 2 show no harm, 40 have too few records to say. Where no harm is seen, n is "
        "too small to exclude a loss."
    )


def test_runs_that_share_no_slice_show_no_harm_and_no_absence_of_it(workspace: Workspace) -> None:
    bare = make_version(workspace, 60, name="bare")
    FacetMember.objects.filter(facet__version=bare).delete()
    bare.facets.all().delete()
    before, after = (a_run(workspace, 60, version=bare) for _ in range(2))

    found = held(after, before, slices=[{}])

    finding = found.checks[1].finding
    assert (finding.answer, finding.code) == ("inconclusive", "insufficient_samples")
    assert "share no slices" in finding.reason


def test_slices_may_have_to_be_proved_no_worse(
    workspace: Workspace, version: DatasetVersion, before: Run
) -> None:
    after = a_run(workspace, 180, 20, version=version)
    asked = {"families": ["length"], "proof": "non_inferior"}

    tight = held(after, before, slices=[{**asked, "margin": 0.001}])
    wide = held(after, before, slices=[{**asked, "margin": 0.2}])

    assert tight.answer == "inconclusive"
    assert len([check for check in tight.checks if check.family == "length"]) == 2
    assert wide.answer == "pass"


def test_a_family_that_the_runs_do_not_have_is_not_measured(
    workspace: Workspace, version: DatasetVersion, before: Run
) -> None:
    after = a_run(workspace, 180, 20, version=version)

    found = held(after, before, slices=[{"families": ["metadata.country"]}])

    [check] = [check for check in found.checks if check.what == "slices"]
    assert check.finding.code == "not_measured"
    assert check.finding.reason == "The runs share no slice by country."


def test_that_there_is_no_baseline_is_said_once(workspace: Workspace) -> None:
    found = held(
        a_run(workspace, 30),
        metrics=[{"metric": "pass_rate", "margin": 0.05}],
        slices=[{}],
        failure_budget=0.02,
    )

    assert found.judgment.blocking_reason == "There is no baseline to compare with."
