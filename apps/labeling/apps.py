"""The labeling chapter."""

from django.apps import AppConfig


class LabelingConfig(AppConfig):
    name = "apps.labeling"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from apps.accounts.permissions import Permission
        from apps.datasets import purposes
        from apps.jobs import chores
        from apps.runs.later.concealing import conceal

        from .desk import watching
        from .exporting import clearing, feedback, of_datasets
        from .importing.receiving import receive_annotations
        from .making import staffing
        from .members import blinding

        purposes.receive("annotations", receive_annotations)
        needed = Permission.VIEW_ANNOTATIONS
        purposes.export("annotations", of_datasets.annotations_csv, needed=needed)
        purposes.export("feedback", feedback.feedback, needed=needed)
        conceal(blinding.concealed_runs)
        chores.register("unwritten exports", clearing.clear, every=clearing.EVERY)
        chores.register("who labels", staffing.follow_people, every=staffing.EVERY)
        chores.register("desk", watching.watch, every=watching.EVERY)
