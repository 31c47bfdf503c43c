"""Versions of a dataset: their records, what changed between two, and taking one along."""

from typing import ClassVar

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.doors import authorise
from apps.accounts.permissions import Permission
from apps.datasets import formats, purposes, queries, withholding
from apps.datasets.comparing import versions as comparing
from apps.datasets.contracts import Unfit
from apps.datasets.exporting import taking
from apps.datasets.models import DatasetVersion
from apps.datasets.sight import Sight
from apps.web.errors import Problem
from apps.web.openapi import CURSOR, SIZE, chosen, errors, page_of, page_response

from .datasets import dataset_of
from .serializers import (
    ComparisonSerializer,
    RecordSerializer,
    VersionSerializer,
)

EXPORTED = {
    (200, media_type): OpenApiResponse(
        OpenApiTypes.ANY if media_type == "application/json" else OpenApiTypes.STR, "The file."
    )
    for media_type in sorted({each.media_types[0] for each in formats.FORMATS.values()})
}


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
        found = queries.versions(dataset_of(self, dataset_id))
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
        return Response(VersionSerializer(version_of(self, version_id), context=context).data)


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
        version = version_of(self, version_id)
        withholding.check_records(self.request.user, version)
        found = queries.records(version, wanted)
        sight = Sight(self.request.workspace)
        return page_response(request, found, ("ordinal",), RecordSerializer, sight=sight)


class CompareView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_DATASETS}
    serializer_class = ComparisonSerializer

    @extend_schema(
        operation_id="dataset_versions_compare",
        summary="What changed from one version to another, by record_id",
        description=(
            "A record whose record_sha256 differs has changed. The records of one `change` come "
            "page by page, in the order of the version that has them."
        ),
        parameters=[
            OpenApiParameter("change", str, enum=comparing.KINDS, description="Else `changed`."),
            OpenApiParameter("after", int, description="`next` of an answer."),
        ],
        responses={200: ComparisonSerializer, **errors()},
    )
    def get(self, request: Request, dataset_id: str, from_id: str, to_id: str) -> Response:
        dataset = dataset_of(self, dataset_id)
        before = get_object_or_404(queries.versions(dataset), pk=from_id)
        after = get_object_or_404(queries.versions(dataset), pk=to_id)
        withholding.check_records(self.request.user, before, after)
        kind = chosen(request, "change", comparing.KINDS) or "changed"
        found = comparing.changes(before, after, kind, after=_after(request), most=SIZE + 1)  # type: ignore[arg-type]
        return Response(
            ComparisonSerializer(
                {
                    "from_version": before.pk,
                    "to_version": after.pk,
                    "counts": comparing.compare(before, after)._asdict(),
                    "change": kind,
                    "results": found[:SIZE],
                    "next": queries.ordinal_of(found[SIZE - 1]) if len(found) > SIZE else None,
                },
                context={"sight": Sight(self.request.workspace)},
            ).data
        )


class ExportView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_DATASETS}
    serializer_class = VersionSerializer

    @extend_schema(
        operation_id="dataset_versions_export",
        summary="A version as a file of its own format, or of another that it fits",
        parameters=[OpenApiParameter("format", str, description="Its own without it.")],
        responses={**EXPORTED, **errors(409)},
    )
    def get(self, request: Request, version_id: str) -> HttpResponseBase:
        version = version_of(self, version_id)
        wanted = request.query_params.get("format") or version.format
        authorise(self.request.membership, purposes.needed_for(wanted))
        withholding.check_export(self.request.user, version, wanted)
        try:
            return taking.export_response(version, wanted, Sight(self.request.workspace))
        except Unfit as unfit:
            raise Problem(str(unfit), status_code=409) from None


def _after(request: Request) -> int:
    given = request.query_params.get("after", "")
    if given and not (given.isdecimal() and len(given) < 10):
        raise Problem("after must be the number that `next` gave.")
    return int(given) if given else -1


def version_of(view: WorkspaceAPIView, version_id: str) -> DatasetVersion:
    versions = DatasetVersion.objects.filter(dataset__workspace=view.request.workspace)
    return get_object_or_404(versions.select_related("created_by"), pk=version_id)
