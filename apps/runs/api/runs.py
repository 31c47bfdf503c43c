"""Starting runs and following them."""

from typing import ClassVar, NoReturn

from django.core.exceptions import ValidationError
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.artifacts.store import FileTooLarge
from apps.datasets import answers
from apps.datasets.api.document_schema import document_schema
from apps.datasets.api.documents import DocumentParser, contract_document, refuse_size
from apps.datasets.contracts import Options
from apps.datasets.models import DatasetVersion, Upload
from apps.datasets.uploading import uploads
from apps.datasets.uploading.reading import DEFAULT_FORMAT
from apps.grading.models import ContractVersion
from apps.runs.beginning import starting
from apps.runs.beginning.naming import contract_named, options_named, target_named
from apps.runs.contracts import MOST_TRIALS, StartOptions
from apps.runs.models import Run, RunState
from apps.runs.recorded.recording import recorded_run
from apps.targets.models import Target
from apps.web.errors import Problem
from apps.web.openapi import CURSOR, chosen, errors, is_asked, page_of, page_response

from .finding import run_of, visible_runs
from .serializers import AcceptedRunSerializer, RunRowSerializer, RunSerializer

TARGET = OpenApiParameter("target", str, required=True, description="Name or id: who answers.")
CHOICES = [
    TARGET,
    OpenApiParameter("contract", str, description="Name, name@number or id; the latest version."),
    OpenApiParameter("judge", str, description="The target that judges, where rules ask one."),
    OpenApiParameter("name", str),
    OpenApiParameter("note", str),
    OpenApiParameter("pilot", bool, description="Only the first 10 records."),
    OpenApiParameter(
        "trials", int, description=f"How often each record is tried, 1 to {MOST_TRIALS}; else 1."
    ),
    OpenApiParameter("cost_cap", float, description="Nothing more is asked past this cost."),
    OpenApiParameter(
        "idempotency_key", str, description="The same key with the same order is the same run."
    ),
]


class RunsView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_RUNS, "POST": Permission.START_RUNS}
    parser_classes = [DocumentParser]
    serializer_class = RunRowSerializer

    @extend_schema(
        operation_id="runs_list",
        summary="Runs, newest first",
        parameters=[
            OpenApiParameter("status", str, enum=RunState.values),
            OpenApiParameter("archived", bool),
            CURSOR,
        ],
        responses={200: page_of(RunRowSerializer), **errors()},
    )
    def get(self, request: Request) -> Response:
        runs = visible_runs(self)
        runs = runs.filter(archived_at__isnull=not is_asked(request, "archived"))
        if status := chosen(request, "status", RunState.values):
            runs = runs.filter(state=status)
        return page_response(request, runs, ("-created_at", "-pk"), RunRowSerializer)

    @extend_schema(
        operation_id="runs_start_with_document",
        summary="Upload a dataset and start a run with it",
        description="The body is one document of Dataset Contract v1; the run starts at once.",
        parameters=CHOICES,
        request={"application/json": document_schema()},
        responses={
            202: OpenApiResponse(AcceptedRunSerializer, "The run was accepted."),
            **errors(409, 413, 415),
        },
    )
    def post(self, request: Request) -> Response:
        parties = _parties(self)
        options = _options(request)
        upload = _accepted(self, request)
        if upload.version is None:
            _refuse(upload)
        run = _start(self, upload.version, parties, options)
        body = answers.accepted_body(
            key="run_id", pk=run.pk, counts=upload.counts, issues=answers.stored_issues(upload)
        )
        return Response({**body, "request_id": self.request.request_id}, status=202)


class VersionRunsView(WorkspaceAPIView):
    permissions: ClassVar = {"POST": Permission.START_RUNS}
    serializer_class = AcceptedRunSerializer

    @extend_schema(
        operation_id="runs_start",
        summary="Start a run with a dataset version",
        parameters=CHOICES,
        request=None,
        responses={202: AcceptedRunSerializer, **errors(409)},
    )
    def post(self, request: Request, version_id: str) -> Response:
        versions = DatasetVersion.objects.visible_to(self.request.user)
        version = get_object_or_404(
            versions, pk=version_id, dataset__workspace=self.request.workspace
        )
        run = _start(self, version, _parties(self), _options(request))
        counts = {
            "total": version.total,
            "accepted": version.accepted,
            "rejected": version.rejected,
        }
        upload = version.uploads.order_by("created_at", "pk").first()
        issues = answers.stored_issues(upload) if upload else []
        body = answers.accepted_body(key="run_id", pk=run.pk, counts=counts, issues=issues)
        return Response({**body, "request_id": self.request.request_id}, status=202)


class RecordedRunView(WorkspaceAPIView):
    permissions: ClassVar = {"POST": Permission.START_RUNS}
    serializer_class = RunSerializer

    @extend_schema(
        operation_id="runs_recorded",
        summary="Make a run of the answers that came with a dataset version",
        description="Of scenarios the answers are the traces that were imported, one try after "
        "the other. There is one such run a version: asked for again, it is the same.",
        request=None,
        responses={200: RunSerializer, **errors()},
    )
    def post(self, request: Request, version_id: str) -> Response:
        versions = DatasetVersion.objects.visible_to(self.request.user)
        workspace = self.request.workspace
        version = get_object_or_404(versions, pk=version_id, dataset__workspace=workspace)
        run = recorded_run(
            version,
            by=self.request.user,
            now=timezone.now(),
            via="api",
            request_id=self.request.request_id,
        )
        return Response(RunSerializer(run_of(self, run.pk)).data)


class RunView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_RUNS}
    serializer_class = RunSerializer

    @extend_schema(
        operation_id="runs_get", summary="One run", responses={200: RunSerializer, **errors()}
    )
    def get(self, request: Request, run_id: str) -> Response:
        return Response(RunSerializer(run_of(self, run_id)).data)


Parties = tuple[Target, ContractVersion | None, Target | None]


def _parties(view: WorkspaceAPIView) -> Parties:
    """Who answers, by what it is judged, who judges; checked before any document is read."""
    named, workspace = view.request.query_params, view.request.workspace
    if not named.get("target"):
        raise ValidationError("Name the target: ?target=NAME.")
    target = target_named(workspace, named["target"])
    contract = contract_named(workspace, named["contract"]) if named.get("contract") else None
    judge = target_named(workspace, named["judge"]) if named.get("judge") else None
    starting.check_parties(workspace, target, contract, judge)
    return target, contract, judge


def _options(request: Request) -> StartOptions:
    return options_named({name: text for name, text in request.query_params.items() if text})


def _start(
    view: WorkspaceAPIView, version: DatasetVersion, parties: Parties, options: StartOptions
) -> Run:
    target, contract, judge = parties
    order = starting.order_for(
        workspace=view.request.workspace,
        version=version,
        target=target,
        contract=contract,
        judge=judge,
        options=options,
        by=view.request.user,
        request_id=view.request.request_id,
        via="api",
    )
    try:
        return starting.start_run(order, now=timezone.now())
    except starting.KeyTaken as error:
        raise Problem(error.messages[0], status_code=409) from None


def _accepted(view: WorkspaceAPIView, request: Request) -> Upload:
    try:
        return uploads.accept_document(
            workspace=view.request.workspace,
            chunks=contract_document(request),
            filename="document.json",
            by=view.request.user,
            options=Options(format=DEFAULT_FORMAT),
            request_id=view.request.request_id,
        )
    except FileTooLarge:
        refuse_size()


def _refuse(upload: Upload) -> NoReturn:
    if upload.outcome is None:
        raise Problem(uploads.BROKE, status_code=500)
    status, body = answers.answer_of(upload)
    raise Problem(body["error"]["message"], status_code=status, details=body["error"]["details"])
