"""A place for one supervisor in a data directory: it knows the process groups of its clusters."""

from itertools import count
from pathlib import Path

from .groups import commands_of
from .locks import LockedFile, Taken
from .processes import end_group


class Slot(LockedFile):
    """Keeps the groups of a supervisor, so that the next one can end what is left of them."""

    def end_left_behind(self) -> list[int]:
        """End the groups of a supervisor that is gone, if they are still ours."""
        groups = [int(word) for word in self.read().split() if word.isdecimal()]
        ours = [group for group in groups if self._is_ours(group)]
        for group in ours:
            end_group(group)
        return ours

    def remember(self, groups: list[int]) -> None:
        self.write("\n".join(str(group) for group in groups))

    def _is_ours(self, group: int) -> bool:
        """Numbers are used again: only a process that was started for this very slot counts."""
        return any(str(self.path) in command for command in commands_of(group))


def take_slot(folder: Path) -> Slot:
    """The first place that no living supervisor holds."""
    for number in count():
        try:
            return Slot(folder / f"worker-{number}")
        except Taken:
            continue
    raise AssertionError("count() never ends")
