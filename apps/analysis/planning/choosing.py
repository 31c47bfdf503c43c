"""Which runs one can plan from."""

from collections.abc import Iterable, Sequence

from apps.accounts.models import User, Workspace
from apps.analysis.models import Baseline
from apps.runs.models import TERMINAL, Run, RunState
from apps.runs.queries import runs

OFFERED = 200
RECENT = 20
"""Runs among which the largest is planned from where nobody chose and no gate has a baseline."""
_LONGEST_KEY = 64


def offered(user: User, workspace: Workspace, named: Iterable[str] = ()) -> list[Run]:
    """Ended runs, the newest first, and those that the address names; two queries at most."""
    ended = runs(user, workspace).filter(state__in=TERMINAL)
    found = list(ended.active().order_by("-pk")[:OFFERED])
    known = {run.pk for run in found}
    missing = {key for key in named if _may_be_one(key)} - known
    return found + list(ended.filter(pk__in=missing)) if missing else found


def usual(offered: Sequence[Run]) -> tuple[str, str]:
    """The run to plan from where nobody chose, and the one it is held against; empty for none.

    What a gate compares with, else the largest of the recent ones; then the newest that answered
    the same records, judged alike where there is one. One query.
    """
    ended = [run for run in offered if run.state in _ANSWERED] or list(offered)
    if not ended:
        return "", ""
    run = _approved(ended) or max(ended[:RECENT], key=lambda each: each.planned)
    alike = [each for each in ended if each is not run and _asks_the_same(each, run)]
    same = [each for each in alike if each.contract_version_id == run.contract_version_id]
    return run.pk, next((each.pk for each in (*same, *alike)), "")


_ANSWERED = (RunState.COMPLETED, RunState.COMPLETED_WITH_FAILURES)


def _approved(ended: Sequence[Run]) -> Run | None:
    """The one that was approved last by a policy in force."""
    known = {run.pk: run for run in ended}
    current = Baseline.objects.filter(run__in=known, is_current=True, policy__archived_at=None)
    newest = current.order_by("-pk").values_list("run", flat=True).first()
    return known[newest] if newest else None


def _asks_the_same(one: Run, other: Run) -> bool:
    """As many tries of the same records; a regrade has the answers of its parent."""
    kinds = (one.kind, other.kind)
    alike = (one.dataset_version_id, one.planned) == (other.dataset_version_id, other.planned)
    return alike and Run.Kind.REGRADE not in kinds


def _may_be_one(key: str) -> bool:
    """PostgreSQL takes no NUL."""
    return key.isprintable() and 0 < len(key) <= _LONGEST_KEY
