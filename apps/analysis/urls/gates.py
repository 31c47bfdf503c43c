"""Where the pages of gates are."""

from django.urls import path

from apps.analysis.views import gate_editing as editing
from apps.analysis.views import gate_policies as policies
from apps.analysis.views import gates as views

from . import webhooks

_GATES = "w/<slug:slug>/gates/"
_POLICY = f"{_GATES}policies/<str:policy_id>/"
_DECISION = f"{_GATES}decisions/<str:decision_id>/"

urlpatterns = [
    path(_GATES, views.gates, name="gates"),
    path(f"{_GATES}policies/new/", editing.new, name="gate-policy-new"),
    path(_POLICY, policies.policy, name="gate-policy"),
    path(f"{_POLICY}edit/", editing.edit, name="gate-policy-edit"),
    path(f"{_POLICY}archive/", policies.archive, name="gate-policy-archive"),
    path(f"{_POLICY}restore/", policies.restore, name="gate-policy-restore"),
    path(f"{_POLICY}ask/", policies.ask, name="gate-decide"),
    path(f"{_POLICY}baseline/", policies.baseline, name="gate-baseline"),
    path(f"{_POLICY}baseline/withdraw/", policies.withdraw, name="gate-baseline-withdraw"),
    path(_DECISION, views.decision, name="gate-decision"),
    path(f"{_DECISION}override/", views.override, name="gate-override"),
    path(f"{_DECISION}as/<str:form>/", views.decision_file, name="gate-decision-file"),
    *webhooks.urlpatterns,
]
