from django.apps import AppConfig


class TargetsConfig(AppConfig):
    name = "apps.targets"
    default_auto_field = "django.db.models.BigAutoField"
