"""Where the pages of runs are."""

from django.urls import path

from . import views

app_name = "runs"

_RUN = "w/<slug:slug>/runs/<slug:run_id>/"

urlpatterns = [
    path("w/<slug:slug>/runs/", views.run_list, name="list"),
    path("w/<slug:slug>/runs/start/", views.start, name="start"),
    path("w/<slug:slug>/runs/of/<slug:version_id>/", views.recorded, name="recorded"),
    path(_RUN, views.detail, name="detail"),
    path(f"{_RUN}cancel/", views.cancel, name="cancel"),
    path(f"{_RUN}resume/", views.resume, name="resume"),
    path(f"{_RUN}retry/", views.retry, name="retry"),
    path(f"{_RUN}regrade/", views.regrade, name="regrade"),
    path(f"{_RUN}clone/", views.clone, name="clone"),
    path(f"{_RUN}archive/", views.archive, name="archive"),
    path(f"{_RUN}restore/", views.restore, name="restore"),
    path(f"{_RUN}results/", views.results, name="results"),
    path(f"{_RUN}results.csv", views.export_csv, name="export-csv"),
    path(f"{_RUN}results.jsonl", views.export_jsonl, name="export-jsonl"),
    path(f"{_RUN}judgments.jsonl", views.export_judgments, name="export-judgments"),
    path(f"{_RUN}records/<int:ordinal>/", views.record, name="record"),
    path(f"{_RUN}records/<int:ordinal>/label/", views.label, name="label"),
    path(f"{_RUN}artifacts/", views.artifacts, name="artifacts"),
    path(f"{_RUN}artifacts.zip", views.artifacts_zip, name="artifacts-zip"),
    path(f"{_RUN}artifacts/<str:name>", views.artifact, name="artifact"),
]
