"""Where the pages are that show several chapters."""

from django.urls import path

from . import views

app_name = "dashboards"

urlpatterns = [
    path("w/<slug:slug>/", views.overview, name="overview"),
    path("w/<slug:slug>/search/", views.find, name="search"),
]
