"""Policies of legal_eval_v1 that want a criterion or a comparison told in a form of their own."""

from typing import Any

from .shapes import BINARY, TEXT, YES_NO

MET: dict[str, Any] = {"criteria_met": YES_NO, "rationale": TEXT}
PRBENCH: dict[str, Any] = {"explanation": TEXT, "criteria_met": YES_NO}
APEX: dict[str, Any] = {"reason": TEXT, "result": BINARY}


def met_by(policy: str) -> dict[str, Any]:
    """The reply to whether one criterion is met; where upstream has the reasons first, so here."""
    if policy.startswith("prbench"):
        return PRBENCH
    if policy.startswith("apex"):
        return APEX
    return MET


def rounds_to_tenths(policy: str) -> bool:
    """Whether a score is rounded half-up to 0.1 and the threshold alone decides."""
    return policy.startswith("lexam_oq")
