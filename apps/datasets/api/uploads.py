"""What became of an upload, and everything that was wrong with it."""

from typing import ClassVar

from django.db.models import Prefetch
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.datasets import queries
from apps.datasets.models import Upload, UploadFile
from apps.datasets.sight import Sight
from apps.datasets.withholding import check_upload
from apps.web.openapi import CURSOR, errors, page_of, page_response

from .serializers import IssueSerializer, UploadSerializer


class UploadView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_DATASETS}
    serializer_class = UploadSerializer

    @extend_schema(
        operation_id="uploads_get",
        summary="One upload and what became of it",
        responses={200: UploadSerializer, **errors()},
    )
    def get(self, request: Request, upload_id: str) -> Response:
        return Response(UploadSerializer(_upload(self, upload_id)).data)


class IssuesView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_DATASETS}
    serializer_class = IssueSerializer

    @extend_schema(
        operation_id="upload_issues_list",
        summary="Everything wrong with the records of an upload, then the warnings",
        description="At most 100 errors of a record are listed.",
        parameters=[OpenApiParameter("code", str, many=True), CURSOR],
        responses={200: page_of(IssueSerializer), **errors()},
    )
    def get(self, request: Request, upload_id: str) -> Response:
        codes = request.query_params.getlist("code")
        found = queries.issues(_upload(self, upload_id), codes)
        sight = Sight(self.request.workspace)
        return page_response(request, found, ("seq",), IssueSerializer, sight=sight)


def _upload(view: WorkspaceAPIView, upload_id: str) -> Upload:
    uploads = view.request.workspace.uploads.select_related("created_by").prefetch_related(
        Prefetch("files", UploadFile.objects.select_related("blob").order_by("pk"))
    )
    upload = get_object_or_404(uploads, pk=upload_id)
    check_upload(view.request.user, upload)
    return upload
