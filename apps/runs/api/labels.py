"""What people said went wrong in a result, over the API."""

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.grading.attribution import ATTRIBUTIONS
from apps.runs.labels import (
    LONGEST_NOTE,
    NO_ATTRIBUTION,
    NO_FAILURE,
    Said,
    in_order,
    label_failure,
    withdraw_label,
)
from apps.runs.models import Failure, FailureLabel, Result
from apps.runs.queries.labels import proposal_of
from apps.web.errors import Problem
from apps.web.openapi import errors

from .finding import run_of

TRIAL = OpenApiParameter("trial", int, description="Which of several trials, from 0; the first.")
_NO_FAILURE: dict[str, Any] = {"invalid_choice": f"{{input}} {NO_FAILURE}"}


class FailureLabelSerializer(serializers.ModelSerializer[FailureLabel]):
    """A label that stands or stood; `seq` counts the labels of a result from 0."""

    primary = serializers.ChoiceField(choices=Failure.values)
    secondary = serializers.ListField(child=serializers.ChoiceField(choices=Failure.values))
    by = serializers.CharField(source="by.label", allow_null=True, default=None)

    class Meta:
        model = FailureLabel
        fields = ("seq", "primary", "secondary", "attribution", "note", "is_current", "by", "at")
        read_only_fields = fields


class NewLabelSerializer(serializers.Serializer[Any]):
    primary = serializers.ChoiceField(choices=Failure.values, error_messages=_NO_FAILURE)
    secondary = serializers.ListField(
        child=serializers.ChoiceField(choices=Failure.values, error_messages=_NO_FAILURE),
        default=list,
    )
    attribution = serializers.ChoiceField(
        choices=ATTRIBUTIONS,
        default="",
        allow_blank=True,
        error_messages={"invalid_choice": f"{{input}} {NO_ATTRIBUTION}"},
    )
    note = serializers.CharField(default="", allow_blank=True, max_length=LONGEST_NOTE)


class ProposalSerializer(serializers.Serializer[Any]):
    """What it looks like before anybody said so."""

    primary = serializers.ChoiceField(choices=Failure.values)
    secondary = serializers.ListField(child=serializers.ChoiceField(choices=Failure.values))
    why = serializers.CharField()


class LabelsSerializer(serializers.Serializer[Any]):
    """The label that stands, all that ever stood (the newest first), and what is proposed."""

    current = FailureLabelSerializer(allow_null=True)
    history = FailureLabelSerializer(many=True)
    proposal = ProposalSerializer(allow_null=True)


class LabelsView(WorkspaceAPIView):
    permissions: ClassVar = {
        "GET": Permission.VIEW_RUNS,
        "POST": Permission.LABEL_FAILURES,
        "DELETE": Permission.LABEL_FAILURES,
    }
    serializer_class = LabelsSerializer

    @extend_schema(
        operation_id="results_labels",
        summary="What people said went wrong in a result",
        parameters=[TRIAL],
        responses={200: LabelsSerializer, **errors()},
    )
    def get(self, request: Request, run_id: str, index: int) -> Response:
        return Response(_labels(self._result(run_id, index)))

    @extend_schema(
        operation_id="results_label",
        summary="Say what went wrong in a result",
        description="The label takes the place of the one that stands, which stays in the history.",
        parameters=[TRIAL],
        request=NewLabelSerializer,
        responses={201: LabelsSerializer, **errors(415)},
    )
    def post(self, request: Request, run_id: str, index: int) -> Response:
        result = self._result(run_id, index)
        given = NewLabelSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        wanted = given.validated_data
        said = Said.model_validate({**wanted, "secondary": in_order(wanted["secondary"])})
        label_failure(
            result,
            said,
            by=self.request.user,
            now=timezone.now(),
            via="api",
            request_id=self.request.request_id,
        )
        return Response(_labels(result), status=201)

    @extend_schema(
        operation_id="results_label_withdraw",
        summary="Take the label of a result away; the history keeps it",
        parameters=[TRIAL],
        responses={204: OpenApiResponse(description="No label stands."), **errors()},
    )
    def delete(self, request: Request, run_id: str, index: int) -> Response:
        result = self._result(run_id, index)
        withdraw_label(result, by=self.request.user, via="api", request_id=self.request.request_id)
        return Response(status=204)

    def _result(self, run_id: str, index: int) -> Result:
        run = run_of(self, run_id)
        trial = self.request.query_params.get("trial", "0")
        if not trial.isdecimal() or len(trial) > 4:
            raise Problem("trial must be a whole number from 0.")
        results = run.results.select_related("run__workspace")
        return get_object_or_404(results, ordinal=index, trial=int(trial))


def _labels(result: Result) -> Any:
    history = list(result.failure_labels.select_related("by").order_by("-seq"))
    proposal = proposal_of(result, result.scores.all())
    facts = {
        "current": next((label for label in history if label.is_current), None),
        "history": history,
        "proposal": proposal._asdict() if proposal else None,
    }
    return LabelsSerializer(facts).data
