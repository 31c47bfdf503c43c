from datetime import timedelta

from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "apps.jobs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from . import chores, services

        chores.register("heartbeats", services.forget_the_dead, every=timedelta(days=1))
