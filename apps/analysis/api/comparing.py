"""Runs side by side, as they were computed for what they look like now."""

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
from apps.analysis.comparing import MOST_CANDIDATES, Unlike, asked
from apps.analysis.comparing.exporting import told
from apps.jobs.models import JobState
from apps.metrics.compared import PairedRuns
from apps.runs.api.serializers import ContractPlanField, DatasetPlanField, TargetPlanField
from apps.runs.models import Run, RunState
from apps.web.openapi import errors


@extend_schema_field(Unlike)  # type: ignore[arg-type] # pydantic is taken too
class UnlikeField(serializers.DictField):
    """One thing in which two runs differ beside their answers."""


@extend_schema_field(PairedRuns)  # type: ignore[arg-type] # pydantic is taken too
class PairedRunsField(serializers.DictField):
    """What was computed of two runs."""


class ComparedRunSerializer(serializers.Serializer[Any]):
    """One of the runs that are compared."""

    run_id = serializers.CharField()
    name = serializers.CharField(allow_blank=True)
    kind = serializers.ChoiceField(choices=Run.Kind.choices)
    status = serializers.ChoiceField(choices=RunState.choices)
    dataset_version_id = serializers.CharField()
    dataset = DatasetPlanField()
    contract = ContractPlanField(allow_null=True)
    targets = serializers.ListField(child=TargetPlanField())
    trials = serializers.IntegerField(min_value=1)


class RunComparisonSerializer(serializers.Serializer[Any]):
    """A candidate held against the baseline; `body` is null until it is computed."""

    comparison_id = serializers.CharField()
    run = ComparedRunSerializer()
    state = serializers.ChoiceField(choices=JobState.values)
    error = serializers.CharField(allow_blank=True)
    as_of = serializers.CharField(allow_null=True)
    unlike = serializers.ListField(child=UnlikeField())
    body = PairedRunsField(allow_null=True)


class RunComparisonsSerializer(serializers.Serializer[Any]):
    baseline = ComparedRunSerializer()
    comparisons = RunComparisonSerializer(many=True)


class ComparisonsView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_RUNS}
    serializer_class = RunComparisonsSerializer

    @extend_schema(
        operation_id="comparisons_get",
        summary="Runs held against a baseline, record by record",
        description="Records pair on what was asked. What is large is computed by a worker: then "
        "the answer is 202, `body` is null, and one asks again. A number that cannot be computed "
        "is null and has a `reason`.",
        parameters=[
            OpenApiParameter("baseline", str, required=True, description="The id of a run."),
            OpenApiParameter(
                "run",
                str,
                required=True,
                many=True,
                description=f"The ids of 1 to {MOST_CANDIDATES} runs that are held against it.",
            ),
        ],
        responses={
            200: RunComparisonsSerializer,
            202: OpenApiResponse(RunComparisonsSerializer, "Some of it is not computed yet."),
            **errors(),
        },
    )
    def get(self, request: Request) -> Response:
        baseline, candidates = self._named()
        comparisons = asked(baseline, candidates)
        is_open = any(comparison.is_open for comparison in comparisons)
        return Response(told(baseline, comparisons), status=202 if is_open else 200)

    def _named(self) -> tuple[Run, list[Run]]:
        """The runs that are named, of those that this person may see."""
        named = list(dict.fromkeys(self.request.query_params.getlist("run")))
        first = self.request.query_params.get("baseline", "")
        if not first or not named:
            raise ValidationError("Name the runs: ?baseline=run_…&run=run_….")
        if len(named) > MOST_CANDIDATES:
            raise ValidationError(f"At most {MOST_CANDIDATES} runs are held against a baseline.")
        runs = Run.objects.visible_to(self.request.user).filter(workspace=self.request.workspace)
        found = runs.select_related("dataset_version__dataset").in_bulk([first, *named])
        if missing := [each for each in (first, *named) if each not in found]:
            raise Http404(f"There is no run {missing[0]!r} in this workspace.")
        return found[first], [found[each] for each in named]
