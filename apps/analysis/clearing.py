"""Comparisons and boards that were computed long ago: they go, and whoever asks has them anew."""

from datetime import datetime, timedelta
from itertools import repeat, takewhile

from django.db import transaction
from django.db.models import Model, QuerySet

from apps.jobs.models import OPEN

from .models import Board, Comparison

EVERY = timedelta(days=1)
KEPT_FOR = timedelta(days=30)
"""From the moment when they were computed: when somebody looked last is not known."""
AT_ONCE = 200
MOST = 20_000
"""Rows of each kind that one turn takes; the next turn takes more."""


def clear(now: datetime) -> int:
    """How many went; what a gate's decision rests on never does."""
    old = {"finished_at__lt": now - KEPT_FOR}
    comparisons = Comparison.objects.exclude(state__in=OPEN).filter(gate_decisions=None, **old)
    boards = Board.objects.exclude(state__in=OPEN).filter(**old)
    return _cleared(comparisons) + _cleared(boards)


def _cleared(rows: QuerySet[Model]) -> int:
    turns = (_batch(rows) for _ in repeat(None, MOST // AT_ONCE))
    return sum(takewhile(bool, turns))


@transaction.atomic
def _batch(rows: QuerySet[Model]) -> int:
    """Without a look at what is large in them; a decision that was stored meanwhile is seen."""
    locked = rows.select_for_update(of=("self",)).order_by("finished_at")
    keys = list(locked.values_list("pk", flat=True)[:AT_ONCE])
    gone, _ = rows.filter(pk__in=keys).only("pk").delete()
    return gone
