"""Where the API of targets is, below /api/v1/."""

from django.urls import path

from . import targets

urlpatterns = [
    path("targets", targets.TargetsView.as_view(), name="targets"),
    path("targets/<str:target_id>", targets.TargetView.as_view(), name="target"),
    path("targets/<str:target_id>/test", targets.TargetTestView.as_view(), name="target-test"),
]
