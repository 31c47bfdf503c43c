"""What each gate said of a run last, for the pages of the run."""

from django.db.models import Max
from django.urls import reverse

from apps.accounts.models import User
from apps.analysis.gates import stored
from apps.analysis.gates.overriding import current_override, effective_answer, takes_back
from apps.analysis.models import GateDecision
from apps.runs.later.gated import Said
from apps.runs.models import Run

_WORST_FIRST = ("fail", "inconclusive", "pass")


def newest(run: Run, user: User) -> list[Said]:
    """One a policy, the worst first and then by name; keys are ULIDs, so the largest is newest."""
    counting = stored.that_count(stored.decisions(user, run.workspace).filter(run=run))
    last = counting.order_by().values("policy_version__policy").annotate(last=Max("pk"))
    found = counting.filter(pk__in=[row["last"] for row in last]).defer("body")
    said = [_said(each, run) for each in found]
    return sorted(said, key=lambda each: (_WORST_FIRST.index(each.answer), each.policy))


def _said(decision: GateDecision, run: Run) -> Said:
    said = current_override(decision)
    return Said(
        policy=decision.policy_version.policy.name,
        answer=effective_answer(decision),
        address=reverse("analysis:gate-decision", args=[run.workspace.slug, decision.pk]),
        is_overridden=said is not None and not takes_back(said),
    )
