"""Where the API of runs is, below /api/v1/."""

from django.urls import path

from . import control, labels, results, runs

urlpatterns = [
    path("runs", runs.RunsView.as_view(), name="runs"),
    path(
        "dataset-versions/<str:version_id>/runs",
        runs.VersionRunsView.as_view(),
        name="version-runs",
    ),
    path(
        "dataset-versions/<str:version_id>/recorded-run",
        runs.RecordedRunView.as_view(),
        name="version-recorded-run",
    ),
    path("runs/<str:run_id>", runs.RunView.as_view(), name="run"),
    path("runs/<str:run_id>/cancel", control.CancelView.as_view(), name="run-cancel"),
    path("runs/<str:run_id>/resume", control.ResumeView.as_view(), name="run-resume"),
    path("runs/<str:run_id>/retry", control.RetryView.as_view(), name="run-retry"),
    path("runs/<str:run_id>/regrade", control.RegradeView.as_view(), name="run-regrade"),
    path("runs/<str:run_id>/results", results.ResultsView.as_view(), name="run-results"),
    path(
        "runs/<str:run_id>/results/<int:index>/labels",
        labels.LabelsView.as_view(),
        name="result-labels",
    ),
    path("runs/<str:run_id>/judgments", results.JudgmentsView.as_view(), name="run-judgments"),
    path("runs/<str:run_id>/attempts", results.AttemptsView.as_view(), name="run-attempts"),
    path("runs/<str:run_id>/artifacts", results.ArtifactsView.as_view(), name="run-artifacts"),
    path(
        "runs/<str:run_id>/artifacts/<str:name>",
        results.ArtifactView.as_view(),
        name="run-artifact",
    ),
    path("runs/<str:run_id>/verify", results.VerificationView.as_view(), name="run-verify"),
]
