"""Where the pages of grading contracts are."""

from django.urls import path

from . import views

app_name = "grading"

_CONTRACT = "w/<slug:slug>/contracts/<str:contract_id>/"

urlpatterns = [
    path("w/<slug:slug>/contracts/", views.contract_list, name="list"),
    path("w/<slug:slug>/contracts/new/", views.new, name="new"),
    path("w/<slug:slug>/contracts/import/", views.import_text, name="import"),
    path(_CONTRACT, views.detail, name="detail"),
    path(f"{_CONTRACT}edit/", views.edit, name="edit"),
    path(f"{_CONTRACT}diff/", views.diff, name="diff"),
    path(f"{_CONTRACT}export.yaml", views.export_yaml, name="export-yaml"),
    path(f"{_CONTRACT}archive/", views.archive, name="archive"),
    path(f"{_CONTRACT}restore/", views.restore, name="restore"),
]
