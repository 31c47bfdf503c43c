"""Comparisons and boards go when they are old, and are there again for whoever asks."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User, Workspace
from apps.analysis import clearing
from apps.analysis.comparing import ComparisonUnavailable, body_of, comparison_of
from apps.analysis.gates import deciding
from apps.analysis.gates.contracts import Decided
from apps.analysis.models import Board, Comparison, GateDecision, GatePolicy
from apps.analysis.trends.asking import asked
from apps.jobs.models import JobState
from apps.runs.models import Run
from tests.analysis.comparing.building import two_runs
from tests.analysis.gates.building import MARGIN, a_decision, a_policy

LATER = timezone.now() + clearing.KEPT_FOR + timedelta(hours=1)


@pytest.fixture
def runs(workspace: Workspace) -> tuple[Run, Run]:
    return two_runs(workspace, "+" * 15 + "-" * 15, "+" * 20 + "-" * 10)


def test_what_is_old_goes_and_is_computed_anew_on_demand(runs: tuple[Run, Run]) -> None:
    before, after = runs
    first = comparison_of(before, after)
    board = asked([after, before], "pass_rate")

    assert clearing.clear(LATER) == 2

    again = comparison_of(before, after)
    assert again.pk != first.pk
    assert body_of(again) == body_of(first)
    assert asked([after, before], "pass_rate").body == board.body


def test_what_is_young_or_under_way_stays(runs: tuple[Run, Run]) -> None:
    before, after = runs
    comparison_of(before, after)
    asked([after, before], "pass_rate")

    assert clearing.clear(timezone.now() + clearing.KEPT_FOR - timedelta(hours=1)) == 0

    Comparison.objects.update(state=JobState.PENDING)
    Board.objects.update(state=JobState.SENT)
    assert clearing.clear(LATER) == 0


def test_what_failed_long_ago_goes_too(runs: tuple[Run, Run]) -> None:
    comparison_of(*runs)
    Comparison.objects.update(state=JobState.FAILED, body=None)

    assert clearing.clear(LATER) == 1


def test_a_decision_is_refused_where_its_comparison_was_cleared_meanwhile(
    workspace: Workspace, runs: tuple[Run, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = runs

    def cleared_while_the_gate_looks(*arguments: Any) -> Decided:
        clearing.clear(LATER)
        return decided(*arguments)

    decided = deciding._decided
    monkeypatch.setattr(deciding, "_decided", cleared_while_the_gate_looks)

    with pytest.raises(ComparisonUnavailable, match="ask again"):
        a_decision(after, a_policy(workspace, **MARGIN), before)

    monkeypatch.undo()
    assert a_decision(after, GatePolicy.objects.get(), before).comparison is not None


def test_what_a_decision_rests_on_stays(
    workspace: Workspace, runs: tuple[Run, Run], client: Client, alice: User
) -> None:
    before, after = runs
    decision = a_decision(after, a_policy(workspace, **MARGIN), before)
    comparison_of(after, before)
    client.force_login(alice)

    assert clearing.clear(LATER) == 1

    assert GateDecision.objects.get().comparison_id == Comparison.objects.get().pk
    assert client.get(f"/w/demo/gates/decisions/{decision.pk}/").status_code == 200


def test_an_address_shows_the_same_afterwards(
    runs: tuple[Run, Run], client: Client, alice: User
) -> None:
    address = "/w/demo/compare/?" + "&".join(f"run={run.pk}" for run in runs)
    client.force_login(alice)
    client.get(address, follow=True)
    clearing.clear(LATER)

    shown = client.get(address, follow=True)

    assert shown.status_code == 200
    assert "Differences by metric" in shown.content.decode()


def test_more_than_one_batch_goes_in_a_turn(
    runs: tuple[Run, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    comparison_of(*runs)
    comparison_of(*reversed(runs))
    asked(list(runs), "pass_rate")
    monkeypatch.setattr(clearing, "AT_ONCE", 1)

    assert clearing.clear(LATER) == 3


def test_one_turn_is_bounded(runs: tuple[Run, Run], monkeypatch: pytest.MonkeyPatch) -> None:
    comparison_of(*runs)
    comparison_of(*reversed(runs))
    monkeypatch.setattr(clearing, "AT_ONCE", 1)
    monkeypatch.setattr(clearing, "MOST", 1)

    assert clearing.clear(LATER) == 1
    assert clearing.clear(LATER) == 1
