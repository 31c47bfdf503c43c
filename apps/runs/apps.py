from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "apps.runs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from apps.datasets import purposes, withholding

        from .recorded.receiving import receive_scores
        from .recorded.scored import concealed_datasets, scores_csv

        purposes.receive("scores", receive_scores)
        purposes.export("scores", scores_csv)
        withholding.withhold(concealed_datasets)
