"""Runs of one dataset version ranked, as the page has them."""

from typing import Any, ClassVar

from django.core.exceptions import ValidationError
from django.http import Http404
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    extend_schema_field,
)
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.analysis.calibration.known import Corrected
from apps.analysis.trends import METRICS
from apps.analysis.trends.exporting import told
from apps.analysis.trends.standing import standing
from apps.analysis.trends.wanted import BoardWanted
from apps.jobs.models import JobState
from apps.metrics.ranked import Board as Body
from apps.web.openapi import errors

from .comparing import ComparedRunSerializer


@extend_schema_field(Corrected)  # type: ignore[arg-type] # pydantic is taken too
class CorrectedField(serializers.DictField):
    """What people's labels make of a number that a judge gave."""


@extend_schema_field(Body)  # type: ignore[arg-type] # pydantic is taken too
class BoardBodyField(serializers.DictField):
    """The ranks that each run may have, and the records that changed."""


class BoardRunSerializer(ComparedRunSerializer):
    """One of the runs of a board; `corrected` is null where no judge stands behind its number."""

    corrected = CorrectedField(allow_null=True)


class BoardGroundSerializer(serializers.Serializer[Any]):
    """What may be ranked: so many runs, of so many target versions."""

    dataset_version_id = serializers.CharField()
    contract_version_id = serializers.CharField(allow_null=True)
    runs = serializers.IntegerField(min_value=0)
    target_versions = serializers.IntegerField(min_value=0)


class BoardSerializer(serializers.Serializer[Any]):
    """The runs with the newest first; `body` is null until it is computed, or says in `reason` why
    there is none. `older` runs are left out."""

    board_id = serializers.CharField(allow_null=True)
    dataset_version_id = serializers.CharField(allow_null=True)
    contract_version_id = serializers.CharField(allow_null=True)
    metric = serializers.CharField()
    every = serializers.BooleanField()
    state = serializers.ChoiceField(choices=JobState.values, allow_null=True)
    reason = serializers.CharField(allow_blank=True)
    as_of = serializers.CharField(allow_null=True)
    older = serializers.IntegerField(min_value=0)
    runs = BoardRunSerializer(many=True)
    body = BoardBodyField(allow_null=True)
    grounds = BoardGroundSerializer(many=True)


class BoardsView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_RUNS}
    serializer_class = BoardSerializer

    @extend_schema(
        operation_id="boards_get",
        summary="Runs of one dataset version ranked, with who is tied",
        description="Takes what the address of the page takes; without a version, the fullest "
        "board that there is. A run's rank is anywhere from `first` to `last`: where these differ "
        "it is tied, and no test finds a run of a `group` worse than the best of the group. What "
        "is large is computed by a worker: then the answer is 202, `body` is null, and one asks "
        "again. `grounds` lists what else may be ranked.",
        parameters=[
            OpenApiParameter("version", str, description="The id of a dataset version."),
            OpenApiParameter(
                "contract",
                str,
                description="The id of a contract version, or `none`: the rules of the data alone.",
            ),
            OpenApiParameter("metric", str, enum=METRICS, description="What runs are ranked by."),
            OpenApiParameter(
                "every",
                str,
                description="With anything in it: all runs, not the newest of each target version.",
            ),
        ],
        responses={
            200: BoardSerializer,
            202: OpenApiResponse(BoardSerializer, "It is not computed yet."),
            **errors(),
        },
    )
    def get(self, request: Request) -> Response:
        wanted = BoardWanted.of(self.request.query_params)
        if wanted.metric not in ("", *METRICS):
            raise ValidationError(f"Runs are ranked by {' or '.join(METRICS)}.")
        found = standing(self.request.user, self.request.workspace, wanted)
        if found.lacks:
            raise Http404(
                "No run of this dataset version has this contract, or you may not see it."
            )
        is_open = bool(found.board and found.board.is_open)
        return Response(told(found), status=202 if is_open else 200)
