"""Where the API of grading contracts is, below /api/v1/."""

from django.urls import path

from . import contracts

urlpatterns = [
    path("contracts", contracts.ContractsView.as_view(), name="contracts"),
    path("contracts/<str:contract_id>", contracts.ContractView.as_view(), name="contract"),
    path(
        "contracts/<str:contract_id>/versions",
        contracts.ContractVersionsView.as_view(),
        name="contract-versions",
    ),
]
