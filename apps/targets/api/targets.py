"""Targets over the API: list, add, change, test."""

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.targets import queries, services
from apps.targets.describing import connection_of
from apps.targets.models import Target
from apps.web.openapi import CURSOR, errors, is_asked, page_of, page_response

from .serializers import (
    ConnectionSerializer,
    NewTargetSerializer,
    TargetChangeSerializer,
    TargetSerializer,
)

ARCHIVED = OpenApiParameter("archived", bool, description="Those that are archived instead.")


class TargetsView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_TARGETS, "POST": Permission.MANAGE_TARGETS}
    serializer_class = TargetSerializer

    @extend_schema(
        operation_id="targets_list",
        summary="Targets, by name",
        parameters=[ARCHIVED, CURSOR],
        responses={200: page_of(TargetSerializer), **errors()},
    )
    def get(self, request: Request) -> Response:
        found = queries.current_versions(self.request.user, self.request.workspace)
        found = found.filter(target__archived_at__isnull=not is_asked(request, "archived"))
        return page_response(request, found, ("target__name", "pk"), TargetSerializer)

    @extend_schema(
        operation_id="targets_create",
        summary="Add a target",
        request=NewTargetSerializer,
        responses={201: TargetSerializer, **errors(413, 415)},
    )
    def post(self, request: Request) -> Response:
        given = NewTargetSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        target = services.create_target(
            workspace=self.request.workspace,
            by=self.request.user,
            via="api",
            request_id=self.request.request_id,
            **given.validated_data,
        )
        return Response(_spelled(target), status=201)


class TargetView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_TARGETS, "PATCH": Permission.MANAGE_TARGETS}
    http_method_names = ["get", "head", "patch"]
    serializer_class = TargetSerializer

    @extend_schema(
        operation_id="targets_get",
        summary="One target",
        responses={200: TargetSerializer, **errors()},
    )
    def get(self, request: Request, target_id: str) -> Response:
        return Response(_spelled(_target(self, target_id)))

    @extend_schema(
        operation_id="targets_change",
        summary="Rename a target, or give it another spec",
        description=(
            "A spec is given whole and of the same kind. Another spec is another version; a spec "
            "that the target had before is that version again. Runs keep theirs."
        ),
        request=TargetChangeSerializer,
        responses={200: TargetSerializer, **errors(413, 415)},
    )
    def patch(self, request: Request, target_id: str) -> Response:
        target = _target(self, target_id)
        given = TargetChangeSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        version = services.edit_target(
            target=target,
            spec=given.validated_data.get("spec") or target.current.parsed,
            name=given.validated_data.get("name"),
            by=self.request.user,
            via="api",
            request_id=self.request.request_id,
        )
        return Response(_spelled(version.target))


class TargetTestView(WorkspaceAPIView):
    permissions: ClassVar = {"POST": Permission.START_RUNS}
    serializer_class = ConnectionSerializer

    @extend_schema(
        operation_id="targets_test",
        summary="Ask a target one tiny question",
        description="Takes ten seconds at most. An error of the target is an answer with 200.",
        request=None,
        responses={200: OpenApiResponse(ConnectionSerializer, "What came of it."), **errors()},
    )
    def post(self, request: Request, target_id: str) -> Response:
        reply = services.test_connection(_target(self, target_id).current.parsed)
        return Response(ConnectionSerializer(connection_of(reply)).data)


def _target(view: WorkspaceAPIView, target_id: str) -> Target:
    return get_object_or_404(view.request.workspace.targets, pk=target_id)


def _spelled(target: Target) -> Any:
    version = target.versions.select_related("target").get(number=target.current_number)
    return TargetSerializer(version).data
