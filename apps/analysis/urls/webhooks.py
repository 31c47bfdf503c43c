"""Where the page of webhooks is."""

from django.urls import path

from apps.analysis.views import webhooks as views

_PAGE = "w/<slug:slug>/gates/webhooks/"

urlpatterns = [
    path(_PAGE, views.webhooks, name="gate-webhooks"),
    path(f"{_PAGE}<str:webhook_id>/retire/", views.retire, name="gate-webhook-retire"),
    path(f"{_PAGE}<str:webhook_id>/again/", views.send_all_again, name="gate-webhook-again"),
    path(f"{_PAGE}messages/<str:delivery_id>/again/", views.send_again, name="gate-message-again"),
]
