"""Where the API of deciding is, below /api/v1/."""

from django.urls import path

from .boards import BoardsView
from .comparing import ComparisonsView
from .gates import (
    GateBaselineView,
    GateOverrideView,
    GatePoliciesView,
    GatePolicyVersionsView,
    GatePolicyView,
    GatesView,
    GateView,
)
from .judges import JudgesView

_JUDGES = [path("campaigns/<str:campaign_id>/judges", JudgesView.as_view(), name="campaign-judges")]
_COMPARISONS = [path("comparisons", ComparisonsView.as_view(), name="comparisons")]
_BOARDS = [path("boards", BoardsView.as_view(), name="boards")]
_POLICY = "gate-policies/<str:policy_id>"
_GATES = [
    path("gates", GatesView.as_view(), name="gates"),
    path("gates/<str:decision_id>", GateView.as_view(), name="gate"),
    path("gates/<str:decision_id>/override", GateOverrideView.as_view(), name="gate-override"),
    path("gate-policies", GatePoliciesView.as_view(), name="gate-policies"),
    path(_POLICY, GatePolicyView.as_view(), name="gate-policy"),
    path(f"{_POLICY}/versions", GatePolicyVersionsView.as_view(), name="gate-policy-versions"),
    path(f"{_POLICY}/baseline", GateBaselineView.as_view(), name="gate-policy-baseline"),
]

urlpatterns = [*_JUDGES, *_COMPARISONS, *_BOARDS, *_GATES]
