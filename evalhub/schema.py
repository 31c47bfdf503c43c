"""The API's description of itself: served, and committed as docs/openapi.yaml."""

from functools import cache
from typing import Any, ClassVar

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.web.openapi import errors


class SchemaView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_WORKSPACE}

    @extend_schema(
        operation_id="schema",
        summary="This description of the API, as OpenAPI 3.1",
        responses={200: OpenApiTypes.OBJECT, **errors()},
    )
    def get(self, request: Request) -> Response:
        return Response(api_schema())


@cache
def api_schema() -> dict[str, Any]:
    """The same for everybody and as long as this process lives."""
    schema: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return schema
