"""The addresses of /api/v1/: each chapter names its own."""

from django.urls import include, path

from .schema import SchemaView

app_name = "api"

urlpatterns = [
    path("", include("apps.targets.api.urls")),
    path("", include("apps.grading.api.urls")),
    path("", include("apps.datasets.api.urls")),
    path("", include("apps.runs.api.urls")),
    path("", include("apps.labeling.api.urls")),
    path("", include("apps.analysis.api.urls")),
    path("schema", SchemaView.as_view(), name="schema"),
]
