"""A campaign's judges against its people, as they were last computed."""

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.analysis.calibration.lines import Line, lines_of
from apps.analysis.models import CalibrationStep
from apps.labeling.models import Campaign
from apps.metrics.labels import Calibration as Numbers
from apps.web.openapi import errors


class JudgeSerializer(serializers.Serializer[Any]):
    task_type = serializers.CharField(source="row.question.task_type")
    question = serializers.CharField(source="row.question.name")
    rule = serializers.CharField(source="row.rule", help_text="Empty: the contract's verdict.")
    judge = serializers.CharField(source="row.judge")
    method = serializers.CharField(source="row.method")
    verifier = serializers.CharField(source="row.verifier")
    judge_versions = serializers.ListField(
        child=serializers.CharField(), source="row.judge_versions"
    )
    matched = serializers.BooleanField(
        source="row.matched", help_text="Whether judge and people were asked the same."
    )
    is_calibrated = serializers.BooleanField()
    yes_fails = serializers.BooleanField(
        source="row.yes_fails", help_text="People pass an answer where they say no."
    )
    passes_from = serializers.FloatField(source="row.passes_from", allow_null=True)
    threshold = serializers.FloatField(source="row.threshold", allow_null=True)
    conflicts = serializers.IntegerField(source="row.conflicts")
    as_of = serializers.DateTimeField(source="row.as_of")
    numbers = serializers.SerializerMethodField()

    @extend_schema_field(Numbers)  # type: ignore[arg-type] # pydantic is taken too
    def get_numbers(self, line: Line) -> dict[str, Any]:
        return line.numbers.model_dump(mode="json")


class CampaignJudgesSerializer(serializers.Serializer[Any]):
    campaign_id = serializers.CharField()
    is_computing = serializers.BooleanField()
    judges = JudgeSerializer(many=True)


class JudgesView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_ANNOTATIONS}
    serializer_class = CampaignJudgesSerializer

    @extend_schema(
        operation_id="campaigns_judges",
        summary="The judges of a campaign's run, held against its people",
        description="Computed after each analysis of the labels; those that ask what people were "
        "asked come first. A number that cannot be computed is null and has a `reason`.",
        responses={200: CampaignJudgesSerializer, **errors()},
    )
    def get(self, request: Request, campaign_id: str) -> Response:
        campaigns = Campaign.objects.filter(workspace=self.request.workspace)
        campaign = get_object_or_404(campaigns, pk=campaign_id)
        step = CalibrationStep.objects.filter(campaign=campaign).first()
        found = {
            "campaign_id": campaign.pk,
            "is_computing": bool(step and step.is_open),
            "judges": lines_of(campaign),
        }
        return Response(CampaignJudgesSerializer(found).data)
