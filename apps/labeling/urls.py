"""Where the pages of labelling are."""

from django.urls import path

from . import views

app_name = "labeling"

urlpatterns = [
    path(
        "w/<slug:slug>/datasets/versions/<slug:version_id>/annotations/",
        views.annotations,
        name="annotations",
    ),
]
