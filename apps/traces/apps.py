"""The traces chapter."""

from django.apps import AppConfig


class TracesConfig(AppConfig):
    name = "apps.traces"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from apps.datasets import purposes

        from .receiving import receive_traces

        purposes.receive("traces", receive_traces)
