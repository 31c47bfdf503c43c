"""The agreement of a campaign's people, as it was last computed."""

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.labeling.analysing.contracts import Measured
from apps.labeling.analysing.measured import Standing, standing_of
from apps.labeling.models import Campaign
from apps.web.openapi import errors


class CampaignAgreementSerializer(serializers.Serializer[Any]):
    campaign_id = serializers.CharField()
    as_of = serializers.DateTimeField(allow_null=True)
    is_computing = serializers.BooleanField()
    agreement = serializers.DictField(
        allow_null=True,
        help_text="By scope and question: percent, Krippendorff's alpha, Gwet's AC1 with intervals "
        "and marginals; Cohen's kappa by pair; over time; by slice.",
    )
    people = serializers.DictField(
        allow_null=True,
        help_text="Each person against the others and against known answers, and their pace.",
    )
    consensus = serializers.DictField(
        allow_null=True, help_text="What became of each question by the campaign's rule."
    )


class AgreementView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_ANNOTATIONS}
    serializer_class = CampaignAgreementSerializer

    @extend_schema(
        operation_id="campaigns_agreement",
        summary="How far the people of a campaign agree",
        description="Computed after each sync and each import; null before the first time. A "
        "number that cannot be computed is null and has a `reason`.",
        responses={200: CampaignAgreementSerializer, **errors()},
    )
    def get(self, request: Request, campaign_id: str) -> Response:
        campaigns = Campaign.objects.filter(workspace=self.request.workspace)
        campaign = get_object_or_404(campaigns, pk=campaign_id)
        return Response(_told(campaign, standing_of(campaign)))


def _told(campaign: Campaign, standing: Standing) -> dict[str, Any]:
    measured = standing.measured
    parts = measured.model_dump(mode="json") if measured else dict.fromkeys(Measured.model_fields)
    return {
        "campaign_id": campaign.pk,
        "as_of": standing.as_of,
        "is_computing": standing.is_computing,
        **parts,
    }
