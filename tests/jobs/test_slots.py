"""Slots: who holds one, and what an earlier holder left behind."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from apps.jobs.locks import LockedFile, Taken
from apps.jobs.slots import take_slot

STAY = "import signal; signal.pause()"


def _group(*arguments: str) -> "subprocess.Popen[bytes]":
    """A process in a group of its own, started with these words."""
    return subprocess.Popen([sys.executable, "-c", STAY, *arguments], start_new_session=True)


def test_a_held_file_refuses_the_second_and_says_what_the_first_wrote(tmp_path: Path) -> None:
    first = LockedFile(tmp_path / "lock")
    first.write("http://127.0.0.1:8000/")

    with pytest.raises(Taken, match=r"^http://127.0.0.1:8000/$"):
        LockedFile(tmp_path / "lock")


def test_each_living_supervisor_has_a_slot_of_its_own(tmp_path: Path) -> None:
    first = take_slot(tmp_path)
    second = take_slot(tmp_path)

    assert (first.path.name, second.path.name) == ("worker-0", "worker-1")


def test_a_freed_slot_is_taken_again_with_its_list(tmp_path: Path) -> None:
    first = take_slot(tmp_path)
    first.remember([4711])
    del first

    again = take_slot(tmp_path)

    assert again.path.name == "worker-0"
    assert again.read() == "4711"


def test_a_group_left_behind_is_ended(tmp_path: Path) -> None:
    slot = take_slot(tmp_path)
    left = _group(str(slot.path))
    slot.remember([left.pid])

    ended = slot.end_left_behind()

    assert ended == [left.pid]
    assert left.wait(5) == -signal.SIGKILL


def test_a_stranger_with_the_number_of_an_old_group_is_left_alone(tmp_path: Path) -> None:
    slot = take_slot(tmp_path)
    stranger = _group("somebody else's")
    slot.remember([stranger.pid])

    ended = slot.end_left_behind()

    try:
        assert ended == []
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()
