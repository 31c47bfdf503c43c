"""Where the pages of targets are."""

from django.urls import path

from . import views

app_name = "targets"

urlpatterns = [
    path("w/<slug:slug>/targets/", views.target_list, name="list"),
    path("w/<slug:slug>/targets/new/", views.new, name="new"),
    path("w/<slug:slug>/targets/<str:target_id>/", views.detail, name="detail"),
    path("w/<slug:slug>/targets/<str:target_id>/edit/", views.edit, name="edit"),
    path("w/<slug:slug>/targets/<str:target_id>/test/", views.test, name="test"),
    path("w/<slug:slug>/targets/<str:target_id>/archive/", views.archive, name="archive"),
    path("w/<slug:slug>/targets/<str:target_id>/restore/", views.restore, name="restore"),
]
