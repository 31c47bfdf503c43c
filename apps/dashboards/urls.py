"""Where the pages are that show several chapters."""

from django.urls import path

from .views import installation, overview, trying

app_name = "dashboards"

urlpatterns = [
    path("w/<slug:slug>/", overview.overview, name="overview"),
    path("w/<slug:slug>/search/", overview.find, name="search"),
    path("w/<slug:slug>/system/", installation.system, name="system"),
    path(
        "w/<slug:slug>/contracts/<str:contract_id>/try/",
        trying.try_contract,
        name="try-contract",
    ),
]
