"""Where the pages of datasets are."""

from django.urls import path

from .views import (
    comparing,
    datasets,
    deciding,
    formats,
    readiness,
    reports,
    uploading,
    variables,
    versions,
)

app_name = "datasets"

BASE = "w/<slug:slug>/datasets/"
UPLOAD = f"{BASE}uploads/<slug:upload_id>/"
VERSION = f"{BASE}versions/<slug:version_id>/"
FORMAT = f"{BASE}formats/<slug:format_id>/"
DATASET = f"{BASE}<slug:dataset_id>/"

urlpatterns = [
    path(BASE, datasets.index, name="list"),
    path(f"{BASE}upload/", uploading.upload, name="upload"),
    path(UPLOAD, uploading.status, name="upload-status"),
    path(f"{UPLOAD}cancel/", uploading.cancel, name="upload-cancel"),
    path(f"{UPLOAD}again/", deciding.again, name="upload-again"),
    path(f"{UPLOAD}mapping/", deciding.mapping, name="upload-mapping"),
    path(f"{UPLOAD}report/", reports.report, name="report"),
    path(f"{UPLOAD}issues.csv", reports.issues_csv, name="issues-csv"),
    path(f"{UPLOAD}issues.jsonl", reports.issues_jsonl, name="issues-jsonl"),
    path(VERSION, versions.version, name="version"),
    path(f"{VERSION}records/<int:ordinal>/", versions.record, name="record"),
    path(f"{VERSION}readiness/", readiness.readiness, name="readiness"),
    path(f"{VERSION}document/", versions.download, name="version-download"),
    path(f"{FORMAT}template/", formats.format_template, name="format-template"),
    path(f"{FORMAT}schema/", formats.format_schema, name="format-schema"),
    path(f"{BASE}variables/", variables.index, name="variables"),
    path(f"{BASE}variables/<int:variable_id>/", variables.change, name="variable-change"),
    path(f"{BASE}variables/<int:variable_id>/delete/", variables.delete, name="variable-delete"),
    path(DATASET, datasets.detail, name="detail"),
    path(f"{DATASET}compare/", comparing.compare, name="compare"),
    path(f"{DATASET}archive/", datasets.archive, name="archive"),
    path(f"{DATASET}restore/", datasets.restore, name="restore"),
]
