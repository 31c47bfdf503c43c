"""What gates said of a run last: the chapter that knows says so in `ready()`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from apps.accounts.models import User
from apps.runs.models import Run

SHOWN = 3


@dataclass(frozen=True)
class Said:
    """The answer of one policy that counts now, and the page that says why."""

    policy: str
    answer: str
    address: str
    is_overridden: bool


@dataclass(frozen=True)
class AllSaid:
    """The first few of them, and how many there are beside."""

    shown: tuple[Said, ...]
    more: int


Knows = Callable[[Run, User], Iterable[Said]]

_KNOWS: list[Knows] = []


def known_by(function: Knows) -> None:
    _KNOWS.append(function)


def said_of(run: Run, user: User) -> AllSaid:
    """Of each policy what this person may see last, in the order of who knows: the worst first."""
    found = [said for knows in _KNOWS for said in knows(run, user)]
    return AllSaid(tuple(found[:SHOWN]), max(0, len(found) - SHOWN))
