"""The labeling chapter."""

from django.apps import AppConfig


class LabelingConfig(AppConfig):
    name = "apps.labeling"
    default_auto_field = "django.db.models.BigAutoField"
