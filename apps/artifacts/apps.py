from datetime import timedelta

from django.apps import AppConfig


class ArtifactsConfig(AppConfig):
    name = "apps.artifacts"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from apps.jobs import chores

        from . import retention

        chores.register("retention", retention.run, every=timedelta(days=1))
