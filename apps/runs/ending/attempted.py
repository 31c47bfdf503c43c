"""How often and when records were asked, for those that end without their own result."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Max, Min

from apps.runs.models import Attempt


def attempted(run_id: str, ordinals: Iterable[int]) -> dict[tuple[int, int], dict[str, Any]]:
    """The columns of a Result that its attempts tell, by (ordinal, trial)."""
    asked = Attempt.objects.filter(
        run=run_id, ordinal__in=list(ordinals), purpose=Attempt.Purpose.TARGET
    ).order_by()
    rows = asked.values_list("ordinal", "trial").annotate(
        Count("pk"), Min("started_at"), Max("started_at")
    )
    return {
        (ordinal, trial): {"attempts": n, "first_attempt_at": first, "last_attempt_at": last}
        for ordinal, trial, n, first, last in rows
    }
