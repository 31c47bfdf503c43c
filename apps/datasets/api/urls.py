"""Where the API of datasets is, below /api/v1/."""

from django.urls import path

from . import datasets, formats, uploads, versions

urlpatterns = [
    path("datasets", datasets.DatasetsView.as_view(), name="datasets"),
    path("datasets/<slug:dataset_id>", datasets.DatasetView.as_view(), name="dataset"),
    path(
        "datasets/<slug:dataset_id>/versions",
        versions.VersionsView.as_view(),
        name="dataset-versions",
    ),
    path(
        "datasets/<slug:dataset_id>/archive",
        datasets.ArchiveView.as_view(),
        name="dataset-archive",
    ),
    path(
        "datasets/<slug:dataset_id>/restore",
        datasets.RestoreView.as_view(),
        name="dataset-restore",
    ),
    path("dataset-versions/<slug:version_id>", versions.VersionView.as_view(), name="version"),
    path(
        "dataset-versions/<slug:version_id>/records",
        versions.RecordsView.as_view(),
        name="records",
    ),
    path(
        "dataset-versions/<slug:version_id>/export",
        versions.ExportView.as_view(),
        name="version-export",
    ),
    path(
        "datasets/<slug:dataset_id>/versions/<slug:from_id>/compare/<slug:to_id>",
        versions.CompareView.as_view(),
        name="version-compare",
    ),
    path("uploads/<slug:upload_id>", uploads.UploadView.as_view(), name="upload"),
    path("uploads/<slug:upload_id>/issues", uploads.IssuesView.as_view(), name="upload-issues"),
    path("formats", formats.FormatsView.as_view(), name="formats"),
    path(
        "formats/<slug:format_id>/schema", formats.FormatSchemaView.as_view(), name="format-schema"
    ),
    path(
        "formats/<slug:format_id>/template",
        formats.FormatTemplateView.as_view(),
        name="format-template",
    ),
]
