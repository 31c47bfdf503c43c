"""Where the pages of judges are, below their campaign."""

from django.urls import path

from apps.analysis.views import judges as views

urlpatterns = [
    path("w/<slug:slug>/labeling/<str:campaign_id>/judges/", views.judges, name="judges"),
    path(
        "w/<slug:slug>/labeling/<str:campaign_id>/judges/<int:calibration_id>/",
        views.match,
        name="match",
    ),
]
