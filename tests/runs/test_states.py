"""The state machine: only the moves of the contract, each with its moment, never back."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.runs.models import TERMINAL, Run, RunState
from apps.runs.states import MOVES, move

from .conftest import Start, drain


def _put(run: Run, state: str) -> None:
    """Bring a run to a state by allowed moves alone."""
    ways = {
        RunState.VALIDATING: [RunState.VALIDATING],
        RunState.RUNNING: [RunState.VALIDATING, RunState.RUNNING],
        RunState.RETRYING: [RunState.VALIDATING, RunState.RUNNING, RunState.RETRYING],
        RunState.FINALIZING: [RunState.FINALIZING],
    }
    way = ways.get(RunState(state), [])
    if state in TERMINAL:
        way = [RunState.FINALIZING, RunState(state)]
    for step in way:
        assert move(run.pk, step)


@pytest.mark.parametrize("source", list(RunState))
@pytest.mark.parametrize("target", list(RunState))
def test_a_run_moves_only_as_the_table_says(
    start: Start, source: RunState, target: RunState
) -> None:
    run = start()
    _put(run, source)

    moved = move(run.pk, target)

    run.refresh_from_db()
    allowed = target in MOVES.get(source, frozenset())
    assert moved is allowed
    assert run.state == (target if allowed else source)


def test_a_move_from_another_state_than_expected_changes_nothing(start: Start) -> None:
    run = start()

    assert move(run.pk, RunState.FINALIZING, since=[RunState.RUNNING]) is False

    run.refresh_from_db()
    assert run.state == RunState.QUEUED
    assert run.state_changes.count() == 1


def test_the_same_move_twice_is_one_change(start: Start) -> None:
    run = start()

    assert move(run.pk, RunState.VALIDATING) is True
    assert move(run.pk, RunState.VALIDATING) is False

    assert run.state_changes.count() == 2


@pytest.mark.parametrize("state", TERMINAL)
def test_an_end_has_its_moment_and_is_the_end(start: Start, state: RunState) -> None:
    run = start()
    _put(run, state)

    run.refresh_from_db()

    assert run.completed_at == run.state_changes.get(state=state).at
    assert not any(move(run.pk, other) for other in RunState)


def test_the_history_of_a_run_is_in_order_and_ends_once(start: Start) -> None:
    run = drain(start())

    changes = list(run.state_changes.order_by("seq"))
    assert [change.seq for change in changes] == [*range(len(changes))]
    assert all(earlier.at <= later.at for earlier, later in pairwise(changes))
    assert all(later.state in MOVES[earlier.state] for earlier, later in pairwise(changes))
    assert [change.state for change in changes] == [
        "queued",
        "validating",
        "running",
        "finalizing",
        "completed",
    ]
    assert changes[-1].at == run.completed_at


@given(st.lists(st.sampled_from(list(RunState)), max_size=12))
def test_no_order_of_moves_leads_out_of_an_end(wishes: list[RunState]) -> None:
    state = RunState.QUEUED
    for wish in wishes:
        if wish in MOVES.get(state, frozenset()):
            assert state not in TERMINAL
            state = wish
