"""Where the pages of traces are."""

from django.urls import path

from . import views

app_name = "traces"

BASE = "w/<slug:slug>/traces/"

urlpatterns = [
    path(BASE, views.index, name="list"),
    path(f"{BASE}<slug:trace_id>/", views.detail, name="detail"),
]
