"""Where the API of grading contracts is, below /api/v1/."""

from django.urls import path

from . import contracts, rules

urlpatterns = [
    path("rules", rules.RulesView.as_view(), name="rules"),
    path("contracts", contracts.ContractsView.as_view(), name="contracts"),
    path("contracts/<str:contract_id>", contracts.ContractView.as_view(), name="contract"),
    path(
        "contracts/<str:contract_id>/versions",
        contracts.ContractVersionsView.as_view(),
        name="contract-versions",
    ),
]
