"""The traces chapter."""

from django.apps import AppConfig


class TracesConfig(AppConfig):
    name = "apps.traces"
    default_auto_field = "django.db.models.BigAutoField"
