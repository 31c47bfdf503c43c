"""Where the pages of trends and boards are."""

from django.urls import path

from apps.analysis.views import trends as views

urlpatterns = [
    path("w/<slug:slug>/trends/", views.trends, name="trends"),
    path("w/<slug:slug>/leaderboard/", views.leaderboard, name="leaderboard"),
    path("w/<slug:slug>/leaderboard/flickering/", views.flickering, name="flickering"),
]
