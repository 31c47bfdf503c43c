"""A decision as a whole: what it keeps, where the gate cannot look, what it warns of."""

import pytest
from django.core.exceptions import ValidationError

from apps.accounts.models import AuditEvent, User, Workspace
from apps.analysis.gates.stored import decided
from apps.analysis.models import GateDecision
from apps.datasets.models import DatasetVersion
from apps.runs.models import Run, RunStep, Summary
from tests.runs.building import (
    BROKEN,
    FAILED_CONTRACT,
    PASSED,
    TIMED_OUT,
    UNJUDGED,
    make_version,
    running_run,
)

from .building import AT, LIMIT, MARGIN, a_decision, a_policy, a_run, codes, held


def test_the_denominators_of_both_runs_add_up(workspace: Workspace) -> None:
    version = make_version(workspace, 27, rejected=3)
    mix = [*[PASSED] * 20, FAILED_CONTRACT, UNJUDGED, TIMED_OUT, BROKEN, *[PASSED] * 3]
    before = a_run(workspace, 0, 0, *mix, version=version)
    after = a_run(workspace, 0, 0, *mix, version=version)

    found = held(after, before, **MARGIN)

    assert found.baseline is not None
    for counts in (found.run.counts, found.baseline.counts):
        assert counts.total == counts.valid + counts.invalid == 30
        assert counts.valid == counts.evaluated + counts.failed + counts.skipped == 27
        assert counts.evaluated == counts.passed + counts.failed_contract + counts.unjudged == 25


def test_a_decision_is_kept_for_good_and_told_in_the_audit_log(
    workspace: Workspace, alice: User
) -> None:
    policy, run = a_policy(workspace), a_run(workspace, 100, 100)

    decision = a_decision(run, policy, change_id=" release  2.1 ", by=alice, request_id="r1")

    kept = GateDecision.objects.get()
    assert kept == decision
    assert (kept.change_id, kept.answer, kept.decided_by) == ("release 2.1", "fail", alice)
    assert (kept.via, kept.request_id, kept.decided_at) == ("command", "r1", AT)
    assert decided(kept).judgment.model_dump(mode="json") == {
        "change_id": "release 2.1",
        "gate": "releases",
        "verdict": "fail",
        "blocking_reason": decided(kept).judgment.blocking_reason,
        "next_action": ["Mend it so that the pass rate is at least 80 %."],
    }
    with pytest.raises(TypeError):
        kept.save()
    event = AuditEvent.objects.get(verb="gate.decided")
    assert (event.object_id, event.changes) == (kept.pk, {"answer": [None, "fail"]})


def test_deciding_twice_gives_two_decisions(workspace: Workspace) -> None:
    policy, run = a_policy(workspace), a_run(workspace, 100)

    first, second = a_decision(run, policy), a_decision(run, policy)

    assert first.pk != second.pk
    assert first.body == second.body


def test_where_the_gate_cannot_look_it_says_why(
    workspace: Workspace, version: DatasetVersion, before: Run, charlie: User
) -> None:
    policy = a_policy(workspace, **MARGIN)
    asking = running_run(workspace, [PASSED], version=make_version(workspace, 5))
    elsewhere = charlie.memberships.get().workspace
    foreign = a_run(elsewhere, 20)

    for run, baseline, told in (
        (asking, None, "is running"),
        (before, asking, "is running"),
        (foreign, None, "no such run"),
        (before, foreign, "no such run"),
        (before, before, "is the baseline itself"),
    ):
        with pytest.raises(ValidationError, match=told):
            a_decision(run, policy, baseline)

    assert not GateDecision.objects.exists()


def test_numbers_that_are_being_computed_are_waited_for(workspace: Workspace) -> None:
    run, policy = a_run(workspace, 30), a_policy(workspace)
    RunStep.objects.create(run=run, name=RunStep.Name.SUMMARISE)

    with pytest.raises(ValidationError, match="are being computed"):
        a_decision(run, policy)


@pytest.mark.parametrize("change_id", ["x" * 201, "a\0b", "a\x1b[31mb"])
def test_a_change_goes_by_one_line_of_printable_text(workspace: Workspace, change_id: str) -> None:
    with pytest.raises(ValidationError, match="A change id has"):
        a_decision(a_run(workspace, 30), a_policy(workspace), change_id=change_id)


def test_a_run_without_any_number_is_not_measured(workspace: Workspace) -> None:
    run = a_run(workspace, 30)
    Summary.objects.filter(run=run).delete()

    found = held(run, **LIMIT, failure_rate_at_most=0.1)

    assert codes(found) == ["holds", "not_measured", "not_measured"]


def test_a_policy_of_another_dataset_and_a_needless_baseline_are_warned_of(
    workspace: Workspace, before: Run
) -> None:
    policy = a_policy(workspace)
    policy.dataset = make_version(workspace, name="other").dataset
    policy.save()
    run = a_run(workspace, 180, 20)

    found = decided(a_decision(run, policy, before))

    assert found.baseline is None
    assert found.warnings == (
        "The policy is for runs of other, and this one is of another dataset.",
        "The policy asks for no baseline: in production was not looked at.",
    )
