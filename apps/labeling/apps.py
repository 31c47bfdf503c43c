"""The labeling chapter."""

from django.apps import AppConfig


class LabelingConfig(AppConfig):
    name = "apps.labeling"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from apps.accounts.permissions import Permission
        from apps.datasets import purposes

        from . import exports, feedback
        from .importing import receive_annotations

        purposes.receive("annotations", receive_annotations)
        needed = Permission.VIEW_ANNOTATIONS
        purposes.export("annotations", exports.annotations_csv, needed=needed)
        purposes.export("feedback", feedback.feedback, needed=needed)
