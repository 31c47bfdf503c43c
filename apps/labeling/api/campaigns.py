"""Making campaigns over the API, following them, closing them."""

from collections.abc import Sequence
from typing import Any, ClassVar, get_args

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.labeling.making import control
from apps.labeling.making.creating import create_campaign
from apps.labeling.making.naming import people_named, plan_named, source_named
from apps.labeling.models import Campaign, Question
from apps.labeling.models.campaigns import CampaignQuerySet
from apps.labeling.plans import How
from apps.labeling.progress import CampaignFilter, campaigns, filtered
from apps.labeling.sending.preparing import source_of
from apps.labeling.task_types import MAKERS
from apps.labeling.told import campaign_facts, row_facts
from apps.web.openapi import CURSOR, chosen, errors, is_asked, page_of, page_response


class CampaignRowSerializer(serializers.Serializer[Any]):
    """A campaign in a list."""

    campaign_id = serializers.CharField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=Campaign.Kind.choices)
    state = serializers.ChoiceField(choices=Campaign.State.choices)
    run_id = serializers.CharField()
    blind = serializers.BooleanField()
    consensus = serializers.ChoiceField(choices=Campaign.Consensus.choices)
    created_at = serializers.DateTimeField()
    opened_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    archived_at = serializers.DateTimeField(allow_null=True)
    synced_at = serializers.DateTimeField(
        allow_null=True, help_text="When all answers were last read from Argilla."
    )

    def to_representation(self, instance: Campaign) -> dict[str, Any]:
        return row_facts(instance)


class QueueProgressSerializer(serializers.Serializer[Any]):
    """`enough` of `items` have as many answers as they wait for; `pushed` are in Argilla."""

    task = serializers.ChoiceField(choices=list(MAKERS))
    title = serializers.CharField()
    calibration = serializers.BooleanField()
    min_submitted = serializers.IntegerField()
    items = serializers.IntegerField()
    pushed = serializers.IntegerField()
    enough = serializers.IntegerField()
    submitted = serializers.IntegerField()
    discarded = serializers.IntegerField()


class CampaignPersonSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    settles = serializers.BooleanField()
    answers = serializers.IntegerField()
    discarded = serializers.IntegerField()
    last_at = serializers.DateTimeField(allow_null=True)
    seconds_per_answer = serializers.FloatField(allow_null=True)


class CampaignStepSerializer(serializers.Serializer[Any]):
    """What happens to it now, or failed; `error` is also what it waits for."""

    step = serializers.CharField()
    state = serializers.CharField()
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    error = serializers.CharField(allow_blank=True)


class CampaignSerializer(CampaignRowSerializer):
    guidelines = serializers.CharField(allow_blank=True)
    plan = serializers.DictField(allow_null=True, help_text="Null where nobody was asked.")
    items = serializers.IntegerField()
    items_done = serializers.IntegerField(help_text="Items with as many answers as they wait for.")
    sample = serializers.DictField(
        allow_null=True, help_text="What became of the sample; null before it is drawn."
    )
    queues = QueueProgressSerializer(many=True)
    people = CampaignPersonSerializer(many=True)
    under_way = CampaignStepSerializer(many=True)

    def to_representation(self, instance: Campaign) -> dict[str, Any]:
        return campaign_facts(instance)


class SampleSerializer(serializers.Serializer[Any]):
    how = serializers.ChoiceField(choices=get_args(How), default="all")
    size = serializers.IntegerField(min_value=1, required=False, allow_null=True)
    family = serializers.CharField(required=False, allow_blank=True)
    seed = serializers.IntegerField(min_value=0, default=0)
    gold = serializers.IntegerField(min_value=0, max_value=500, default=0)


class OptionSerializer(serializers.Serializer[Any]):
    value = serializers.CharField(max_length=80)
    title = serializers.CharField(max_length=200)


class OwnQuestionSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=60)
    title = serializers.CharField(max_length=500)
    description = serializers.CharField(max_length=1_000, required=False, allow_blank=True)
    kind = serializers.ChoiceField(choices=Question.Kind.choices, default="yes_no")
    options = OptionSerializer(many=True, required=False)
    level = serializers.ChoiceField(choices=Question.Level.choices, default="nominal")


class NewCampaignSerializer(serializers.Serializer[Any]):
    """`run` or `dataset` says whose answers; people are usernames."""

    name = serializers.CharField(max_length=200)
    run = serializers.CharField(required=False, default="")
    dataset = serializers.CharField(required=False, default="")
    tasks = serializers.ListField(child=serializers.ChoiceField(choices=list(MAKERS)))
    sample = SampleSerializer(required=False)
    own = OwnQuestionSerializer(many=True, required=False)
    people = serializers.ListField(child=serializers.CharField())
    settlers = serializers.ListField(child=serializers.CharField(), required=False, default=list)
    min_submitted = serializers.IntegerField(min_value=1, max_value=20, default=1)
    calibration_share = serializers.FloatField(min_value=0, max_value=1, default=0.1)
    audit_share = serializers.FloatField(min_value=0, max_value=1, default=0.0)
    language = serializers.ChoiceField(choices=["en", "de"], default="en")
    severities = serializers.DictField(
        child=serializers.ChoiceField(choices=["block", "warn", "off"]), required=False
    )
    guidelines = serializers.CharField(required=False, allow_blank=True, default="")
    blind = serializers.BooleanField(default=True)
    consensus = serializers.ChoiceField(choices=Campaign.Consensus.choices, default="majority")


OF_THE_PLAN: Sequence[str] = (
    *("tasks", "sample", "own", "min_submitted", "calibration_share", "audit_share"),
    *("language", "severities"),
)


class CampaignsView(WorkspaceAPIView):
    permissions: ClassVar = {
        "GET": Permission.MANAGE_CAMPAIGNS,
        "POST": Permission.MANAGE_CAMPAIGNS,
    }
    serializer_class = CampaignRowSerializer

    @extend_schema(
        operation_id="campaigns_list",
        summary="Campaigns, newest first",
        parameters=[
            OpenApiParameter("state", str, enum=Campaign.State.values),
            OpenApiParameter("archived", bool),
            CURSOR,
        ],
        responses={200: page_of(CampaignRowSerializer), **errors()},
    )
    def get(self, request: Request) -> Response:
        wanted = CampaignFilter(
            state=chosen(request, "state", Campaign.State.values),
            archived=is_asked(request, "archived"),
        )
        found = filtered(_campaigns(self), wanted, self.request.user)
        return page_response(request, found, ("-pk",), CampaignRowSerializer)

    @extend_schema(
        operation_id="campaigns_create",
        summary="Make a campaign",
        description="It prepares itself and goes to Argilla by itself: ask for it until its state "
        "is open. Of a dataset those answers are labelled that came with its records.",
        request=NewCampaignSerializer,
        responses={202: CampaignSerializer, **errors(415)},
    )
    def post(self, request: Request) -> Response:
        given = NewCampaignSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        values, workspace = given.validated_data, self.request.workspace
        source = source_named(workspace, run=values["run"], dataset=values["dataset"])
        plan = plan_named({name: values[name] for name in OF_THE_PLAN if name in values})
        people = people_named(workspace, values["people"])
        settlers = people_named(workspace, values["settlers"])
        campaign = create_campaign(
            workspace=workspace,
            run=source_of(source, by=self.request.user),
            name=values["name"],
            plan=plan,
            people=people,
            settlers=settlers,
            guidelines=values["guidelines"],
            blind=values["blind"],
            consensus=values["consensus"],
            by=self.request.user,
            now=timezone.now(),
            via="api",
            request_id=self.request.request_id,
        )
        return Response(CampaignSerializer(campaign).data, status=202)


class CampaignView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.MANAGE_CAMPAIGNS}
    serializer_class = CampaignSerializer

    @extend_schema(
        operation_id="campaigns_get",
        summary="One campaign: how far it is, by queue and person",
        responses={200: CampaignSerializer, **errors()},
    )
    def get(self, request: Request, campaign_id: str) -> Response:
        return Response(CampaignSerializer(_campaign(self, campaign_id)).data)


class CloseView(WorkspaceAPIView):
    permissions: ClassVar = {"POST": Permission.MANAGE_CAMPAIGNS}
    serializer_class = CampaignSerializer

    @extend_schema(
        operation_id="campaigns_close",
        summary="Ask nobody any more; what was said is read once more and stays",
        request=None,
        responses={200: CampaignSerializer, **errors()},
    )
    def post(self, request: Request, campaign_id: str) -> Response:
        control.close(
            _campaign(self, campaign_id),
            by=self.request.user,
            now=timezone.now(),
            via="api",
            request_id=self.request.request_id,
        )
        return Response(CampaignSerializer(_campaign(self, campaign_id)).data)


class SyncView(WorkspaceAPIView):
    permissions: ClassVar = {"POST": Permission.MANAGE_CAMPAIGNS}
    serializer_class = CampaignSerializer

    @extend_schema(
        operation_id="campaigns_sync",
        summary="Have what people answered read from Argilla now",
        description="A worker does it; `synced_at` says when it was done.",
        request=None,
        responses={202: CampaignSerializer, **errors()},
    )
    def post(self, request: Request, campaign_id: str) -> Response:
        campaign = _campaign(self, campaign_id)
        control.sync(campaign)
        return Response(CampaignSerializer(campaign).data, status=202)


def _campaigns(view: WorkspaceAPIView) -> CampaignQuerySet:
    return campaigns(view.request.user, view.request.workspace)


def _campaign(view: WorkspaceAPIView, campaign_id: str) -> Campaign:
    found: Campaign = get_object_or_404(_campaigns(view), pk=campaign_id)
    return found
