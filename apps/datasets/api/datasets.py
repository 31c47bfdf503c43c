"""Uploading a dataset, and datasets with their versions and records."""

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.datasets import queries
from apps.datasets.models import Dataset
from apps.datasets.uploading import uploads
from apps.web.openapi import CURSOR, errors, is_asked, page_of, page_response

from .documents import DocumentParser, refuse_a_large_form
from .multipart import FormParser
from .receiving import answer, received
from .serializers import (
    AcceptedDatasetSerializer,
    DatasetSerializer,
    RefusedDatasetSerializer,
)
from .uploading_schema import UPLOAD_BODIES, UPLOAD_PARAMETERS, UPLOADING

SEARCH = OpenApiParameter("q", str, description="Only what has this text in its name.")


class DatasetsView(WorkspaceAPIView):
    permissions: ClassVar = {
        "GET": Permission.VIEW_DATASETS,
        "POST": Permission.UPLOAD_DATASETS,
    }
    parser_classes = [FormParser, DocumentParser]
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

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        refuse_a_large_form(request)
        super().initial(request, *args, **kwargs)

    @extend_schema(
        operation_id="datasets_upload",
        summary="Upload a dataset",
        description=UPLOADING,
        parameters=UPLOAD_PARAMETERS,
        request=UPLOAD_BODIES,
        responses={
            201: OpenApiResponse(AcceptedDatasetSerializer, "Every record was accepted."),
            202: OpenApiResponse(AcceptedDatasetSerializer, "Some records were rejected."),
            **errors(413, 415),
            400: OpenApiResponse(RefusedDatasetSerializer, "The request or the file is not right."),
            409: OpenApiResponse(RefusedDatasetSerializer, "The version's name is taken."),
        },
    )
    def post(self, request: Request) -> Response:
        return answer(received(self.request), self.request.request_id)


class DatasetView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_DATASETS}
    serializer_class = DatasetSerializer

    @extend_schema(
        operation_id="datasets_get",
        summary="One dataset",
        responses={200: DatasetSerializer, **errors()},
    )
    def get(self, request: Request, dataset_id: str) -> Response:
        return Response(_spelled(dataset_of(self, dataset_id)))


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
        dataset = dataset_of(self, dataset_id)
        uploads.set_archived(
            dataset,
            self.archived,
            by=self.request.user,
            via="api",
            request_id=self.request.request_id,
        )
        return Response(_spelled(dataset_of(self, dataset_id)))


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


def dataset_of(view: WorkspaceAPIView, dataset_id: str) -> Dataset:
    return get_object_or_404(
        queries.with_latest(view.request.workspace.datasets.all()), pk=dataset_id
    )


def _spelled(dataset: Dataset) -> Any:
    return DatasetSerializer(dataset).data
