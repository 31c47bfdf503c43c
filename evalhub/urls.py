"""Where every door is; nothing imports this package, it puts the chapters together."""

from django.contrib import admin
from django.urls import include, path

from apps.accounts.doors import public
from apps.accounts.views import home

from .health import health

urlpatterns = [
    path("", home, name="home"),
    path("admin/", admin.site.urls),
    path("health", public(health), name="health"),
    path("api/v1/", include("evalhub.api")),
    path("", include("apps.accounts.urls")),
    path("", include("apps.dashboards.urls")),
    path("", include("apps.analysis.urls")),
    path("", include("apps.labeling.urls")),
    path("", include("apps.runs.urls")),
    path("", include("apps.targets.urls")),
    path("", include("apps.grading.urls")),
    path("", include("apps.datasets.urls")),
    path("", include("apps.traces.urls")),
]

handler400 = "apps.web.errors.bad_request"
handler403 = "apps.web.errors.forbidden"
handler404 = "apps.web.errors.not_found"
handler500 = "apps.web.errors.server_error"
