"""Stopping a run, and starting another from one that has ended."""

from typing import ClassVar

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.runs import control
from apps.runs.beginning.follow_ups import follow_up
from apps.runs.beginning.naming import contract_named, options_named, target_named
from apps.runs.beginning.regrading import Regrade, regrade
from apps.runs.models import Run
from apps.web.openapi import errors

from .finding import run_of
from .serializers import RunSerializer


class CancelView(WorkspaceAPIView):
    permissions: ClassVar = {"POST": Permission.CONTROL_RUNS}
    serializer_class = RunSerializer

    @extend_schema(
        operation_id="runs_cancel",
        summary="Ask nobody any more; what was answered is kept",
        request=None,
        responses={200: RunSerializer, **errors()},
    )
    def post(self, request: Request, run_id: str) -> Response:
        run = run_of(self, run_id)
        control.cancel(
            run,
            by=self.request.user,
            now=timezone.now(),
            via="api",
            request_id=self.request.request_id,
        )
        return Response(RunSerializer(run_of(self, run_id)).data)


class FollowUpView(WorkspaceAPIView):
    """The base of what starts a new run from one that has ended."""

    permissions: ClassVar = {"POST": Permission.START_RUNS}
    serializer_class = RunSerializer
    kind = Run.Kind.RESUME

    def start(self, run_id: str) -> Response:
        parent = run_of(self, run_id)
        run = follow_up(
            parent,
            kind=self.kind,
            by=self.request.user,
            now=timezone.now(),
            via="api",
            request_id=self.request.request_id,
        )
        return Response(RunSerializer(run_of(self, run.pk)).data, status=202)


class ResumeView(FollowUpView):
    @extend_schema(
        operation_id="runs_resume",
        summary="A new run that asks what a cancelled one left",
        description="It takes over the answers that there are, and has artifacts of its own. A "
        "regrade is not resumed but graded again.",
        request=None,
        responses={202: RunSerializer, **errors()},
    )
    def post(self, request: Request, run_id: str) -> Response:
        return self.start(run_id)


class RetryView(FollowUpView):
    kind = Run.Kind.RETRY

    @extend_schema(
        operation_id="runs_retry",
        summary="A new run that asks again what failed",
        description="It takes over the answers that came, and has artifacts of its own; where only "
        "the judge failed, the judge alone is asked. A regrade is not retried but graded again.",
        request=None,
        responses={202: RunSerializer, **errors()},
    )
    def post(self, request: Request, run_id: str) -> Response:
        return self.start(run_id)


class RegradeView(WorkspaceAPIView):
    permissions: ClassVar = {"POST": Permission.START_RUNS}
    serializer_class = RunSerializer

    @extend_schema(
        operation_id="runs_regrade",
        summary="A new run that judges the answers of one that has ended",
        description="The target is not asked, the old numbers stay; a judge is asked where the "
        "rules ask one.",
        parameters=[
            OpenApiParameter(
                "contract",
                str,
                description="Name, name@number or id; without one only rules that came with the "
                "data count.",
            ),
            OpenApiParameter(
                "judge", str, description="The target that judges; else the one of the run."
            ),
            OpenApiParameter(
                "name", str, description="Of the new run; else it tells the run and the contract."
            ),
        ],
        request=None,
        responses={202: RunSerializer, **errors()},
    )
    def post(self, request: Request, run_id: str) -> Response:
        parent, named = run_of(self, run_id), request.query_params
        workspace = self.request.workspace
        wanted = Regrade(
            parent=parent,
            contract=contract_named(workspace, named["contract"])
            if named.get("contract")
            else None,
            judge=target_named(workspace, named["judge"]) if named.get("judge") else None,
            name=options_named({"name": named.get("name", "")}).name,
            by=self.request.user,
            request_id=self.request.request_id,
            via="api",
        )
        run = regrade(wanted, now=timezone.now())
        return Response(RunSerializer(run_of(self, run.pk)).data, status=202)
