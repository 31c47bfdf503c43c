"""Where the pages of grading contracts are."""

from django.urls import path

from .views import catalog, contracts, editing

app_name = "grading"

_CONTRACT = "w/<slug:slug>/contracts/<str:contract_id>/"

urlpatterns = [
    path("w/<slug:slug>/contracts/", contracts.contract_list, name="list"),
    path("w/<slug:slug>/contracts/new/", contracts.new, name="new"),
    path("w/<slug:slug>/contracts/import/", contracts.import_text, name="import"),
    path("w/<slug:slug>/contracts/rules/", catalog.rules, name="rules"),
    path("w/<slug:slug>/contracts/rules/<slug:rule_type>/", catalog.rule, name="rule"),
    path(_CONTRACT, contracts.detail, name="detail"),
    path(f"{_CONTRACT}edit/", editing.edit, name="edit"),
    path(f"{_CONTRACT}diff/", contracts.diff, name="diff"),
    path(f"{_CONTRACT}export.yaml", contracts.export_yaml, name="export-yaml"),
    path(f"{_CONTRACT}archive/", contracts.archive, name="archive"),
    path(f"{_CONTRACT}restore/", contracts.restore, name="restore"),
]
