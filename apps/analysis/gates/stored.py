"""What is stored of policies and decisions: as this person may see it, and as contracts."""

from django.db.models import OuterRef, Prefetch, Q, QuerySet, Subquery

from apps.accounts.models import User, Workspace
from apps.analysis.gates.contracts import Decided
from apps.analysis.models import (
    Baseline,
    GateDecision,
    GateOverride,
    GatePolicy,
    GatePolicyVersion,
)
from apps.runs.models import Run


def decided(decision: GateDecision) -> Decided:
    """What it said."""
    return Decided.model_validate(decision.body)


def decisions(user: User, workspace: Workspace) -> QuerySet[GateDecision]:
    """With all that a report asks for."""
    found = GateDecision.objects.visible_to(user).filter(workspace=workspace)
    overrides = Prefetch("overrides", GateOverride.objects.select_related("by"))
    rows = found.select_related("workspace", "policy_version__policy", "decided_by")
    return rows.prefetch_related(overrides)


def that_count(found: QuerySet[GateDecision]) -> QuerySet[GateDecision]:
    """Without those against a baseline that was named for once: they tell what would be."""
    name = "body__baseline_is_approved"
    unknown = Q(**{name: None}) | Q(**{f"{name}__isnull": True})
    return found.filter(Q(**{name: True}) | unknown)


def policies(user: User, workspace: Workspace) -> QuerySet[GatePolicy]:
    """Each with `latest`, its latest version, and `approved`, the baseline that they may see."""
    newest = GatePolicyVersion.objects.filter(policy=OuterRef("policy")).order_by("-number")
    latest = GatePolicyVersion.objects.filter(number=Subquery(newest.values("number")[:1]))
    seen = Run.objects.visible_to(user).filter(workspace=workspace)
    approved = Baseline.objects.filter(is_current=True, run__in=seen)
    return (
        GatePolicy.objects.visible_to(user)
        .filter(workspace=workspace)
        .prefetch_related(Prefetch("versions", latest, to_attr="latest"))
        .prefetch_related(
            Prefetch("baselines", approved.select_related("approved_by"), to_attr="approved")
        )
    )
