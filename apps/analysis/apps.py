"""The analysis chapter."""

from django.apps import AppConfig


class AnalysisConfig(AppConfig):
    name = "apps.analysis"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from apps.jobs import chores
        from apps.runs.later import calibrated, gated

        from . import clearing
        from .calibration.known import held_of
        from .gates.telling.newest import newest

        calibrated.known_by(held_of)
        gated.known_by(newest)
        chores.register("computed comparisons", clearing.clear, every=clearing.EVERY)
