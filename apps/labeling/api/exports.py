"""Exports of a campaign's labels over the API."""

from collections.abc import Iterator
from typing import Any, ClassVar

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.artifacts import store
from apps.labeling.exporting.listing import exports_of, files_of
from apps.labeling.exporting.requesting import start_export
from apps.labeling.models import Campaign, Export
from apps.runs.api.serializers import ArtifactSerializer
from apps.web.errors import Problem
from apps.web.openapi import CURSOR, errors, page_of, page_response


class LabelExportSerializer(serializers.ModelSerializer[Export]):
    """`files` and `manifest_sha256` are there when it is done; `error` says why it is not."""

    campaign_id = serializers.CharField()
    form = serializers.ChoiceField(choices=Export.Form.values)
    created_by = serializers.CharField(
        source="created_by.get_username", allow_null=True, default=None
    )
    manifest_sha256 = serializers.CharField(
        source="bundle.manifest_sha256", allow_null=True, default=None
    )
    files = serializers.SerializerMethodField()

    class Meta:
        model = Export
        fields = (
            *("id", "campaign_id", "form", "include_discarded", "state", "done", "total"),
            *("error", "created_by", "created_at", "finished_at", "manifest_sha256", "files"),
        )
        read_only_fields = fields

    @extend_schema_field(ArtifactSerializer(many=True))
    def get_files(self, export: Export) -> list[Any]:
        return list(ArtifactSerializer(files_of(export), many=True).data)


class NewLabelExportSerializer(serializers.Serializer[Any]):
    form = serializers.ChoiceField(choices=Export.Form.values)
    include_discarded = serializers.BooleanField(default=False)


class LabelExportsView(WorkspaceAPIView):
    permissions: ClassVar = {
        "GET": Permission.VIEW_ANNOTATIONS,
        "POST": Permission.VIEW_ANNOTATIONS,
    }
    serializer_class = LabelExportSerializer

    @extend_schema(
        operation_id="campaigns_exports",
        summary="The exports of a campaign's labels, newest first",
        parameters=[CURSOR],
        responses={200: page_of(LabelExportSerializer), **errors()},
    )
    def get(self, request: Request, campaign_id: str) -> Response:
        found = exports_of(_campaign(self, campaign_id))
        return page_response(request, found, ("-pk",), LabelExportSerializer)

    @extend_schema(
        operation_id="campaigns_export",
        summary="Export the labels of a campaign",
        description="A worker writes the files; ask for the export until its `state` is done.",
        request=NewLabelExportSerializer,
        responses={202: LabelExportSerializer, **errors(415)},
    )
    def post(self, request: Request, campaign_id: str) -> Response:
        campaign = _campaign(self, campaign_id)
        given = NewLabelExportSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        export = start_export(
            campaign,
            **given.validated_data,
            by=self.request.user,
            via="api",
            request_id=self.request.request_id,
        )
        return Response(LabelExportSerializer(_export(campaign, export.pk)).data, status=202)


class LabelExportView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_ANNOTATIONS}
    serializer_class = LabelExportSerializer

    @extend_schema(
        operation_id="campaigns_export_get",
        summary="One export: its state, and its files with their hashes",
        responses={200: LabelExportSerializer, **errors()},
    )
    def get(self, request: Request, campaign_id: str, export_id: str) -> Response:
        export = _export(_campaign(self, campaign_id), export_id)
        return Response(LabelExportSerializer(export).data)


class LabelExportFileView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_ANNOTATIONS}
    serializer_class = ArtifactSerializer

    @extend_schema(
        operation_id="campaigns_export_file",
        summary="One file of an export",
        responses={
            (200, "text/csv"): OpenApiResponse(OpenApiTypes.BINARY, "A .csv file."),
            (200, "application/json"): OpenApiResponse(OpenApiTypes.OBJECT, "A .json file."),
            (200, "application/x-ndjson"): OpenApiResponse(OpenApiTypes.BINARY, "A .jsonl file."),
            **errors(),
        },
    )
    def get(
        self, request: Request, campaign_id: str, export_id: str, name: str
    ) -> StreamingHttpResponse:
        export = _export(_campaign(self, campaign_id), export_id)
        kept = next((file for file in files_of(export) if file.name == name), None)
        if kept is None:
            raise Problem(f"The export has no file {name}.", status_code=404)
        if kept.blob_id is None:
            raise Problem(f"Retention removed {name}; its hash is kept.", status_code=404)
        content: Iterator[bytes] = store.read(kept.blob_id)
        return StreamingHttpResponse(
            content,
            content_type=kept.media_type,
            headers={
                "Content-Disposition": f'attachment; filename="{export.pk}-{kept.name}"',
                "Content-Length": str(kept.size),
            },
        )


def _campaign(view: WorkspaceAPIView, campaign_id: str) -> Campaign:
    campaigns = Campaign.objects.filter(workspace=view.request.workspace)
    return get_object_or_404(campaigns, pk=campaign_id)


def _export(campaign: Campaign, export_id: str) -> Export:
    export: Export = get_object_or_404(exports_of(campaign), pk=export_id)
    return export
