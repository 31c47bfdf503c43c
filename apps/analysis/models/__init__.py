"""Deciding: judges held against people, runs compared, gates with their baselines and answers."""

from .boards import Board
from .calibrations import Calibration, CalibrationStep
from .comparisons import Comparison
from .gates import Baseline, GateDecision, GateOverride, GatePolicy, GatePolicyVersion
from .webhooks import GateDelivery, GateWebhook

__all__ = [
    "Baseline",
    "Board",
    "Calibration",
    "CalibrationStep",
    "Comparison",
    "GateDecision",
    "GateDelivery",
    "GateOverride",
    "GatePolicy",
    "GatePolicyVersion",
    "GateWebhook",
]
