"""Telling of a decision: a message for each address that asked to be told."""

from apps.analysis.models import GateDecision, GateDelivery, GateOverride, GateWebhook
from apps.jobs.asking import by_a_worker


def announce(decision: GateDecision, override: GateOverride | None = None) -> None:
    """Have the workspace's addresses told; call it in the transaction of the change."""
    seq = override.seq if override else 0
    webhooks = GateWebhook.objects.filter(workspace=decision.workspace_id, archived_at=None)
    made = GateDelivery.objects.bulk_create(
        [GateDelivery(webhook=each, decision=decision, override=seq) for each in webhooks],
        ignore_conflicts=True,
    )
    if made:
        by_a_worker(GateDelivery)
