"""One run at a time is a policy's baseline, and who approved which stays known."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import ValidationError
from django.db import OperationalError, connections

from apps.accounts.models import AuditEvent, User, Workspace
from apps.analysis.gates.policies import baselines
from apps.analysis.models import Baseline, GatePolicy
from apps.runs.models import Run, Score
from tests.runs.building import (
    PASSED,
    SKIPPED,
    UNJUDGED,
    ended_run,
    make_version,
    running_run,
)

from .building import AT, a_policy, a_run


@pytest.fixture
def policy(workspace: Workspace) -> GatePolicy:
    return a_policy(workspace)


def test_a_new_baseline_replaces_the_one_before_which_stays_in_the_history(
    policy: GatePolicy, workspace: Workspace, alice: User
) -> None:
    first, second = a_run(workspace, 20), a_run(workspace, 20)

    baselines.approve(policy, first, reason=" In production. ", by=alice, now=AT)
    baselines.approve(policy, second, reason="It replaced the old one.", by=alice, now=AT)
    same = baselines.approve(policy, second, reason="Again.", by=alice, now=AT)

    assert baselines.current_run(policy) == second
    assert same.reason == "It replaced the old one."
    told = [(each.seq, each.run, each.reason) for each in baselines.history(policy)]
    assert told == [
        (1, second, "It replaced the old one."),
        (0, first, "In production."),
    ]
    events = AuditEvent.objects.filter(verb="gate_policy.baseline_approved").order_by("pk")
    assert [event.changes for event in events] == [
        {"baseline": [None, first.pk]},
        {"baseline": [first.pk, second.pk]},
    ]


def test_a_baseline_is_taken_back(policy: GatePolicy, workspace: Workspace, alice: User) -> None:
    assert baselines.withdraw(policy, reason="None yet.", by=alice, now=AT) is None
    baselines.approve(policy, a_run(workspace, 20), reason="In production.", by=alice, now=AT)

    baselines.withdraw(policy, reason="The data were wrong.", by=alice, now=AT)

    assert baselines.current_run(policy) is None
    said = baselines.current(policy)
    assert said is not None
    assert (said.run, said.reason, said.approved_by) == (None, "The data were wrong.", alice)


def test_what_cannot_be_a_baseline_is_refused(
    policy: GatePolicy, workspace: Workspace, charlie: User
) -> None:
    version = make_version(workspace, 5)
    unjudged = a_run(workspace, 0, 0, *[UNJUDGED] * 5, version=version)
    cancelled = a_run(workspace, 4, 0, SKIPPED, version=version)
    broken = a_run(workspace, 5, version=version)
    Run.objects.filter(pk=broken.pk).update(state="failed")
    broken.refresh_from_db()
    asking = running_run(workspace, [PASSED], version=version)
    pilot = a_run(workspace, 10, version=make_version(workspace, 25), pilot=True)
    foreign = ended_run(charlie.memberships.get().workspace)

    for run, told in (
        (unjudged, "No answer of .* was judged"),
        (cancelled, "is cancelled: a baseline has been asked every record"),
        (broken, "is failed: a baseline"),
        (asking, "is running"),
        (pilot, "is a pilot: it asked 10 of 25 valid records"),
        (foreign, "no such run"),
    ):
        with pytest.raises(ValidationError, match=told):
            baselines.approve(policy, run, reason="Because.", by=None, now=AT)

    assert not Baseline.objects.exists()


def test_a_run_with_scores_that_were_given_elsewhere_can_be_a_baseline(
    policy: GatePolicy, workspace: Workspace
) -> None:
    run = a_run(workspace, 0, 0, *[UNJUDGED] * 5)
    first = run.results.earliest("ordinal")
    Score.objects.create(run=run, result=first, rule="grounding", value=0.5, method="human")

    baselines.approve(policy, run, reason="It is in production.", by=None, now=AT)

    assert baselines.current_run(policy) == run


@pytest.mark.parametrize("reason", ["", "  ", "x" * 2_001, "a\0b"])
def test_a_baseline_has_a_reason(policy: GatePolicy, workspace: Workspace, reason: str) -> None:
    with pytest.raises(ValidationError):
        baselines.approve(policy, a_run(workspace, 20), reason=reason, by=None, now=AT)


@pytest.mark.django_db(transaction=True)
def test_two_approvals_at_once_leave_one_current(workspace: Workspace) -> None:
    policy = a_policy(workspace)
    version = make_version(workspace, 20)
    runs = [a_run(workspace, 20, version=version) for _ in range(4)]

    def approve(run: Run) -> None:
        try:
            _patiently(lambda: baselines.approve(policy, run, reason="Mine.", by=None, now=AT))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(approve, runs))

    assert policy.baselines.filter(is_current=True).count() == 1
    assert sorted(policy.baselines.values_list("seq", flat=True)) == [0, 1, 2, 3]
    assert baselines.current_run(policy) == policy.baselines.get(seq=3).run


def _patiently(action: Callable[[], object], seconds: float = 30) -> None:
    """SQLite in memory refuses where a file would have waited."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            action()
        except OperationalError as error:
            assert time.monotonic() < deadline, error  # noqa: PT017
            time.sleep(0.01)
        else:
            return
