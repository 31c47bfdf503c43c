"""What a message about a gate's decision says.

The same at each try, but where an administrator gives a person or a workspace another name.
"""

from typing import Any

import orjson
from django.conf import settings
from django.urls import reverse

from apps.analysis.gates.stored import decided
from apps.analysis.gates.telling.linking import overridden
from apps.analysis.models import GateDecision, GateDelivery, GateOverride

DECIDED, OVERRIDDEN = "gate.decided", "gate.overridden"


def body_of(delivery: GateDelivery) -> bytes:
    """The JSON document that is signed and sent."""
    rows = GateDecision.objects.select_related("workspace")
    decision = rows.get(pk=delivery.decision_id)
    override = decision.overrides.select_related("by").filter(seq=delivery.override).first()
    return orjson.dumps(message_of(decision, override))


def message_of(decision: GateDecision, override: GateOverride | None) -> dict[str, Any]:
    """`answer` is what counts after this message, `verdict` what the gate said."""
    found = decided(decision)
    return {
        "type": OVERRIDDEN if override else DECIDED,
        "timestamp": (override.at if override else decision.decided_at).isoformat(),
        "data": {
            **found.judgment.model_dump(),
            "decision_id": decision.pk,
            "answer": override.answer if override else decision.answer,
            "run_id": decision.run_id,
            "baseline_id": decision.baseline_id,
            "baseline_is_approved": found.baseline_is_approved,
            "warnings": list(found.warnings),
            "policy": found.policy.model_dump(exclude={"sha256"}),
            "override": overridden(override).model_dump() if override else None,
            "link": link_to(decision),
        },
    }


def link_to(decision: GateDecision) -> str:
    """The decision's page; without the server's own address where nobody has set it."""
    slug = decision.workspace.slug
    return settings.BASE_URL + reverse("analysis:gate-decision", args=[slug, decision.pk])
