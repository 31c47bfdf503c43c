"""The formats a dataset may have, with a schema and a template of each."""

from typing import Any, ClassVar

from django.http import Http404, HttpResponse
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.datasets import formats
from apps.web.openapi import errors

from .serializers import FormatSerializer

FACTS = (
    "id",
    "title",
    "hint",
    "purpose",
    "endings",
    "media_types",
    "refers_to_files",
    "columns",
    "required_columns",
)


class FormatsView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_DATASETS}
    serializer_class = FormatSerializer

    @extend_schema(
        operation_id="formats_list",
        summary="The dataset formats",
        responses={200: FormatSerializer(many=True), **errors()},
    )
    def get(self, request: Request) -> Response:
        return Response([_spelled(dialect) for dialect in formats.FORMATS.values()])


class FormatSchemaView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_DATASETS}
    serializer_class = FormatSerializer

    @extend_schema(
        operation_id="formats_schema",
        summary="The JSON Schema of a format",
        responses={200: OpenApiTypes.OBJECT, **errors()},
    )
    def get(self, request: Request, format_id: str) -> Response:
        return Response(_format(format_id).json_schema())


class FormatTemplateView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_DATASETS}
    serializer_class = FormatSerializer

    @extend_schema(
        operation_id="formats_template",
        summary="A small example of a format, to fill in",
        responses={200: OpenApiResponse(OpenApiTypes.OBJECT, "The example."), **errors()},
    )
    def get(self, request: Request, format_id: str) -> HttpResponse:
        dialect = _format(format_id)
        disposition = f'attachment; filename="{dialect.template_name}"'
        headers = {"Content-Disposition": disposition}
        return HttpResponse(dialect.template, dialect.media_types[0], headers=headers)


def _format(format_id: str) -> formats.Format:
    if format_id not in formats.FORMATS:
        raise Http404(f"There is no format {format_id}: see /api/v1/formats.")
    return formats.FORMATS[format_id]


def _spelled(dialect: formats.Format) -> dict[str, Any]:
    facts = {name: getattr(dialect, name) for name in FACTS}
    return {
        **facts,
        "all_or_nothing": not dialect.partial,
        "schema_url": reverse("api:format-schema", args=[dialect.id]),
        "template_url": reverse("api:format-template", args=[dialect.id]),
    }
