"""A small installation behind our doors: one page, some API views, and what goes wrong in them."""

from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import include, path
from rest_framework import exceptions, serializers
from rest_framework.response import Response

from apps.accounts.api import WorkspaceApiRequest, WorkspaceAPIView
from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.web.errors import Problem
from evalhub.urls import handler400, handler403, handler404, handler500
from evalhub.urls import urlpatterns as _product

__all__ = ["handler400", "handler403", "handler404", "handler500"]

READ = {"GET": Permission.VIEW_RUNS}


class NamedSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()


class Runs(WorkspaceAPIView):
    permissions = {**READ, "POST": Permission.START_RUNS}

    def get(self, request: WorkspaceApiRequest) -> Response:
        return Response({"workspace": request.workspace.slug, "role": request.membership.role})

    def post(self, request: WorkspaceApiRequest) -> Response:
        NamedSerializer(data=request.data).is_valid(raise_exception=True)
        return Response(status=201)


class Undeclared(WorkspaceAPIView):
    def get(self, request: WorkspaceApiRequest) -> Response:
        return Response({"never": "seen"})


FAILURES: dict[str, Exception] = {
    "http404": Http404("There is no run r-1."),
    "denied": PermissionDenied("Only leads may."),
    "invalid": ValidationError("The name is taken."),
    "fields": ValidationError({"name": ["Too long."]}),
    "conflict": Problem("Taken by other bytes.", status_code=409, details={"id": "d"}),
    "too-big": RequestDataTooBig("x"),
    "unavailable": Problem("Try later.", status_code=503, headers={"Retry-After": "9"}),
    "throttled": exceptions.Throttled(wait=3),
    "surprise": RuntimeError("secret detail"),
}


class Failing(WorkspaceAPIView):
    permissions = READ

    def get(self, request: WorkspaceApiRequest, failure: str) -> Response:
        raise FAILURES[failure]


@door(GET=Permission.VIEW_RUNS, POST=Permission.START_RUNS)
def page(request: WorkspaceRequest, workspace: Workspace) -> HttpResponse:
    return HttpResponse(f"{workspace.slug} {request.membership.role}")


def broken_page(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("secret detail")


# Where home leads is a page of a later chapter.
_dashboards = [path("w/<slug:slug>/", page, name="overview")]

urlpatterns = [
    path("", include((_dashboards, "dashboards"))),
    path("w/<slug:slug>/page/", page, name="page"),
    path("broken/", broken_page, name="broken"),
    path("api/broken", broken_page, name="api-broken"),
    path("api/v1/runs", Runs.as_view(), name="runs"),
    path("api/v1/undeclared", Undeclared.as_view(), name="undeclared"),
    path("api/v1/failing/<slug:failure>", Failing.as_view(), name="failing"),
    *_product,
]
