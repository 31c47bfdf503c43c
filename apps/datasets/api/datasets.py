"""Uploading a dataset, and datasets with their versions and records."""

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.artifacts.store import FileTooLarge
from apps.datasets import answers, queries, uploads
from apps.datasets.contracts import Options
from apps.datasets.models import Dataset, DatasetVersion, Upload
from apps.datasets.reading import DEFAULT_FORMAT
from apps.datasets.sight import Sight
from apps.web.errors import Problem
from apps.web.openapi import CURSOR, errors, is_asked, page_of, page_response

from .document_schema import document_schema
from .documents import DocumentParser, document, refuse_size
from .serializers import (
    AcceptedDatasetSerializer,
    DatasetSerializer,
    RecordSerializer,
    VersionSerializer,
)

UPLOAD_ID = "x-upload-id"
SEARCH = OpenApiParameter("q", str, description="Only what has this text in its name.")


class DatasetsView(WorkspaceAPIView):
    permissions: ClassVar = {
        "GET": Permission.VIEW_DATASETS,
        "POST": Permission.UPLOAD_DATASETS,
    }
    parser_classes = [DocumentParser]
    serializer_class = DatasetSerializer

    @extend_schema(
        operation_id="datasets_list",
        summary="Datasets, newest version first",
        parameters=[SEARCH, OpenApiParameter("archived", bool), CURSOR],
        responses={200: page_of(DatasetSerializer), **errors()},
    )
    def get(self, request: Request) -> Response:
        wanted = queries.DatasetFilter(
            q=request.query_params.get("q", ""),
            archived=is_asked(request, "archived"),
        )
        found = queries.datasets(self.request.workspace, wanted)
        return page_response(request, found, ("-latest", "-pk"), DatasetSerializer)

    @extend_schema(
        operation_id="datasets_upload",
        summary="Upload a dataset",
        description=(
            "The body is one document of Dataset Contract v1, 100 MB at most. Valid records are "
            "kept even where others are not; the same bytes again are the same version. "
            f"The header `{UPLOAD_ID}` names the upload, whose report stays."
        ),
        parameters=[
            OpenApiParameter(
                "name",
                {"type": "string", "maxLength": 128},
                description="The dataset's name here; its dataset_id without it.",
            )
        ],
        request={"application/json": document_schema()},
        responses={
            201: OpenApiResponse(AcceptedDatasetSerializer, "Every record was accepted."),
            202: OpenApiResponse(AcceptedDatasetSerializer, "Some records were rejected."),
            **errors(409, 413, 415),
        },
    )
    def post(self, request: Request) -> Response:
        upload = self._accepted(request)
        named = {UPLOAD_ID: upload.pk}
        if upload.outcome is None:
            raise Problem(uploads.BROKE, status_code=500, headers=named)
        status, body = answers.answer_of(upload)
        if status >= 400:
            error = body["error"]
            raise Problem(
                error["message"], status_code=status, details=error["details"], headers=named
            )
        body["request_id"] = self.request.request_id
        return Response(body, status=status, headers=named)

    def _accepted(self, request: Request) -> Upload:
        try:
            return uploads.accept_document(
                workspace=self.request.workspace,
                chunks=document(request),
                filename="document.json",
                by=self.request.user,
                options=Options(
                    format=DEFAULT_FORMAT, dataset_name=request.query_params.get("name", "")
                ),
                request_id=self.request.request_id,
            )
        except FileTooLarge:
            refuse_size()


class DatasetView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_DATASETS}
    serializer_class = DatasetSerializer

    @extend_schema(
        operation_id="datasets_get",
        summary="One dataset",
        responses={200: DatasetSerializer, **errors()},
    )
    def get(self, request: Request, dataset_id: str) -> Response:
        return Response(_spelled(_dataset(self, dataset_id)))


class ArchiveView(WorkspaceAPIView):
    permissions: ClassVar = {"POST": Permission.ARCHIVE_DATASETS}
    serializer_class = DatasetSerializer
    archived = True

    @extend_schema(
        operation_id="datasets_archive",
        summary="Take a dataset out of the lists; nothing is deleted",
        request=None,
        responses={200: DatasetSerializer, **errors()},
    )
    def post(self, request: Request, dataset_id: str) -> Response:
        dataset = _dataset(self, dataset_id)
        uploads.set_archived(
            dataset,
            self.archived,
            by=self.request.user,
            via="api",
            request_id=self.request.request_id,
        )
        return Response(_spelled(_dataset(self, dataset_id)))


class RestoreView(ArchiveView):
    archived = False

    @extend_schema(
        operation_id="datasets_restore",
        summary="Put an archived dataset back into the lists",
        request=None,
        responses={200: DatasetSerializer, **errors()},
    )
    def post(self, request: Request, dataset_id: str) -> Response:
        return super().post(request, dataset_id)


class VersionsView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_DATASETS}
    serializer_class = VersionSerializer

    @extend_schema(
        operation_id="dataset_versions_list",
        summary="The versions of a dataset, newest first",
        parameters=[CURSOR],
        responses={200: page_of(VersionSerializer), **errors()},
    )
    def get(self, request: Request, dataset_id: str) -> Response:
        found = queries.versions(_dataset(self, dataset_id))
        sight = Sight(self.request.workspace)
        return page_response(request, found, ("-pk",), VersionSerializer, sight=sight)


class VersionView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_DATASETS}
    serializer_class = VersionSerializer

    @extend_schema(
        operation_id="dataset_versions_get",
        summary="One version of a dataset",
        responses={200: VersionSerializer, **errors()},
    )
    def get(self, request: Request, version_id: str) -> Response:
        context = {"sight": Sight(self.request.workspace)}
        return Response(VersionSerializer(_version(self, version_id), context=context).data)


class RecordsView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_DATASETS}
    serializer_class = RecordSerializer

    @extend_schema(
        operation_id="dataset_records_list",
        summary="The accepted records of a version, in order",
        parameters=[
            OpenApiParameter(
                "q", str, description="Only records with this text in record_id or at the start."
            ),
            OpenApiParameter(
                "facet",
                str,
                many=True,
                description="Only records of this slice: `tag=ml`, `metadata.language=en`.",
            ),
            CURSOR,
        ],
        responses={200: page_of(RecordSerializer), **errors()},
    )
    def get(self, request: Request, version_id: str) -> Response:
        wanted = queries.RecordFilter(
            q=request.query_params.get("q", ""),
            facets=tuple(request.query_params.getlist("facet")),
        )
        found = queries.records(_version(self, version_id), wanted)
        sight = Sight(self.request.workspace)
        return page_response(request, found, ("ordinal",), RecordSerializer, sight=sight)


def _dataset(view: WorkspaceAPIView, dataset_id: str) -> Dataset:
    return get_object_or_404(
        queries.with_latest(view.request.workspace.datasets.all()), pk=dataset_id
    )


def _version(view: WorkspaceAPIView, version_id: str) -> DatasetVersion:
    versions = DatasetVersion.objects.filter(dataset__workspace=view.request.workspace)
    return get_object_or_404(versions.select_related("created_by"), pk=version_id)


def _spelled(dataset: Dataset) -> Any:
    return DatasetSerializer(dataset).data
