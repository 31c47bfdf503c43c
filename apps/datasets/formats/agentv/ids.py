"""Ids of records where a file may use an id again."""


class Ids:
    """The first `b` stays `b`, the second becomes `b#2`; a rejected record takes no id."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def free(self, wanted: str) -> str:
        if wanted not in self._taken:
            return wanted
        number = self._next.get(wanted, 2)
        while f"{wanted}#{number}" in self._taken:
            number += 1
        self._next[wanted] = number
        return f"{wanted}#{number}"

    def take(self, wanted: str, record_id: str) -> None:
        self._taken.add(record_id)
        if record_id != wanted:
            self._next[wanted] = self._next.get(wanted, 2) + 1
