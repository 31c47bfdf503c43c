"""Which runs somebody may not open for now: later chapters say so in `ready()`."""

from collections.abc import Callable
from functools import reduce
from operator import or_

from django.db.models import Q

from apps.accounts.models import User

Concealed = Callable[[User], Q]
"""What the runs have in common that this person is not to see."""

_CONCEALED: list[Concealed] = []


def conceal(concealed: Concealed) -> None:
    _CONCEALED.append(concealed)


def concealed_from(user: User) -> Q:
    return reduce(or_, (concealed(user) for concealed in _CONCEALED), Q(pk__in=()))
