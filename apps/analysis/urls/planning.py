"""Where the pages of planning are."""

from django.urls import path

from apps.analysis.views import planning as views

urlpatterns = [path("w/<slug:slug>/planning/", views.planning, name="planning")]
