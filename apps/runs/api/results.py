"""What a run found out, and the files it left."""

from collections.abc import Iterator
from typing import ClassVar

from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.artifacts import bundles, store
from apps.artifacts.models import Artifact, Bundle
from apps.artifacts.verification import Report
from apps.runs.ending import judgments
from apps.runs.models import Failure, ResultStatus, Run
from apps.runs.queries.labels import UNLABELLED, labelled
from apps.runs.queries.trials import flaky_ordinals
from apps.runs.telling.verified import came_along
from apps.web.errors import Problem
from apps.web.openapi import CURSOR, chosen, errors, is_asked, page_of, page_response

from .finding import run_of
from .result_serializers import AttemptSerializer, ResultSerializer
from .serializers import ArtifactSerializer

VERDICTS = ("passed", "failed", "unjudged")
LABELS = (*Failure.values, UNLABELLED)


class ResultsView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_RUNS}
    serializer_class = ResultSerializer

    @extend_schema(
        operation_id="runs_results",
        summary="The results of a run, in the order of its records",
        parameters=[
            OpenApiParameter("status", str, enum=ResultStatus.values),
            OpenApiParameter("cause", str),
            OpenApiParameter("verdict", str, enum=VERDICTS),
            OpenApiParameter(
                "flaky", bool, description="Records that passed in some trials, failed in others."
            ),
            OpenApiParameter(
                "label", str, enum=LABELS, description="As people named it; none: failed, unnamed."
            ),
            CURSOR,
        ],
        responses={200: page_of(ResultSerializer), **errors()},
    )
    def get(self, request: Request, run_id: str) -> Response:
        run = run_of(self, run_id)
        given = came_along(run)
        results = run.results.select_related("record")
        results = results if given else results.defer("record__payload")
        if is_asked(request, "flaky"):
            results = results.filter(ordinal__in=flaky_ordinals(run))
        wanted = {
            "status": chosen(request, "status", ResultStatus.values),
            "cause": request.query_params.get("cause", ""),
            "verdict": chosen(request, "verdict", VERDICTS),
        }
        results = results.filter(**{name: value for name, value in wanted.items() if value})
        if label := chosen(request, "label", LABELS):
            results = labelled(results, label)
        found = results.prefetch_related("scores", "failure_labels__by")
        return page_response(
            request, found, ("ordinal", "trial"), ResultSerializer, came_along=given
        )


class JudgmentsView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.DOWNLOAD_ARTIFACTS}
    serializer_class = ResultSerializer

    @extend_schema(
        operation_id="runs_judgments",
        summary="The judgments of a run over legal_eval_v1, in the rows of its pipeline",
        responses={
            (200, "application/x-ndjson"): OpenApiResponse(OpenApiTypes.BINARY, "One row a line."),
            **errors(),
        },
    )
    def get(self, request: Request, run_id: str) -> StreamingHttpResponse:
        run = run_of(self, run_id)
        lines = judgments.json_lines(run, run.results.order_by("ordinal", "trial"))
        return StreamingHttpResponse(
            lines,
            content_type="application/x-ndjson",
            headers={"Content-Disposition": f'attachment; filename="{run_id}-judgments.jsonl"'},
        )


class AttemptsView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_RUNS}
    serializer_class = AttemptSerializer

    @extend_schema(
        operation_id="runs_attempts",
        summary="Every call of a run",
        parameters=[OpenApiParameter("index", int, description="Of one record."), CURSOR],
        responses={200: page_of(AttemptSerializer), **errors()},
    )
    def get(self, request: Request, run_id: str) -> Response:
        attempts = run_of(self, run_id).attempts.all()
        index = request.query_params.get("index", "")
        if index:
            if not index.isdecimal() or len(index) > 9:
                raise Problem("index must be a record's index, from 0.")
            attempts = attempts.filter(ordinal=int(index))
        return page_response(request, attempts, ("ordinal", "pk"), AttemptSerializer)


class ArtifactsView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.DOWNLOAD_ARTIFACTS}
    serializer_class = ArtifactSerializer

    @extend_schema(
        operation_id="runs_artifacts",
        summary="The files of a run, with their hashes",
        responses={200: page_of(ArtifactSerializer), **errors()},
    )
    def get(self, request: Request, run_id: str) -> Response:
        files = Artifact.objects.filter(bundle=_sealed(run_of(self, run_id)))
        return page_response(request, files, ("name",), ArtifactSerializer)


class ArtifactView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.DOWNLOAD_ARTIFACTS}
    serializer_class = ArtifactSerializer

    @extend_schema(
        operation_id="runs_artifact",
        summary="One file of a run",
        responses={
            (200, "application/json"): OpenApiResponse(OpenApiTypes.OBJECT, "A .json file."),
            (200, "application/x-ndjson"): OpenApiResponse(OpenApiTypes.BINARY, "A .jsonl file."),
            **errors(),
        },
    )
    def get(self, request: Request, run_id: str, name: str) -> StreamingHttpResponse:
        bundle = _sealed(run_of(self, run_id))
        artifact = get_object_or_404(Artifact, bundle=bundle, name=name)
        if artifact.blob_id is None:
            raise Problem(f"Retention removed {name}; its hash is kept.", status_code=404)
        content: Iterator[bytes] = store.read(artifact.blob_id)
        return StreamingHttpResponse(
            content,
            content_type=artifact.media_type,
            headers={
                "Content-Disposition": f'attachment; filename="{run_id}-{name}"',
                "Content-Length": str(artifact.size),
            },
        )


class VerificationView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.DOWNLOAD_ARTIFACTS}
    serializer_class = ArtifactSerializer

    @extend_schema(
        operation_id="runs_verify",
        summary="Recompute every hash of a run's files",
        responses={200: Report, **errors()},
    )
    def get(self, request: Request, run_id: str) -> Response:
        report = bundles.verify(_sealed(run_of(self, run_id)))
        return Response(report.model_dump(mode="json"))


def _sealed(run: Run) -> Bundle:
    if run.bundle is None or run.bundle.sealed_at is None:
        raise Problem("The run has not ended yet: its files are written then.", status_code=404)
    return run.bundle
