from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "apps.runs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from apps.datasets import purposes

        from .receiving import receive_scores

        purposes.receive("scores", receive_scores)
