"""Gates over the API: deciding, what was decided, overriding, policies and their baselines."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.accounts.services.audit import Door
from apps.analysis.comparing import ComparisonUnavailable
from apps.analysis.gates import stored
from apps.analysis.gates.deciding import decide
from apps.analysis.gates.overriding import OverriddenMeanwhile, override
from apps.analysis.gates.policies import baselines
from apps.analysis.gates.policies.changing import create_policy, current_spec, save_policy
from apps.analysis.gates.policies.choosing import policy_for
from apps.analysis.gates.policies.doubts import doubts_about
from apps.analysis.gates.telling import listed
from apps.analysis.gates.telling.listed import DecisionFilter
from apps.analysis.models import GateDecision, GatePolicy
from apps.datasets.models import Dataset
from apps.runs.models import Run
from apps.web.addresses import own_address
from apps.web.errors import Problem
from apps.web.openapi import CURSOR, errors, is_asked, page_of, page_response

from .gate_serializers import (
    LONGEST_ID,
    BaselineSerializer,
    GateDecisionRowSerializer,
    GateDecisionSerializer,
    GatePolicySerializer,
    NewDecisionSerializer,
    NewOverrideSerializer,
    NewPolicySerializer,
    NewPolicyVersionSerializer,
    SavedPolicySerializer,
)

ASK_AGAIN_SECONDS = 10


class GatesView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_GATES, "POST": Permission.DECIDE_GATES}
    serializer_class = GateDecisionSerializer

    @extend_schema(
        operation_id="gates_list",
        summary="Decisions of gates, newest first",
        parameters=[
            OpenApiParameter("run", str, description="Those about this run: its id."),
            OpenApiParameter("policy", str, description="Those by this policy: its id."),
            CURSOR,
        ],
        responses={200: page_of(GateDecisionRowSerializer), **errors()},
    )
    def get(self, request: Request) -> Response:
        given = request.query_params
        wanted = DecisionFilter(run=given.get("run", ""), policy=given.get("policy", ""))
        rows = listed.decisions(self.request.user, self.request.workspace)
        found = listed.filtered(rows, wanted)
        return page_response(request, found, ("-pk",), GateDecisionRowSerializer)

    @extend_schema(
        operation_id="gates_decide",
        summary="Hold a run to a policy",
        description="The decision is kept for good. `verdict` is pass, fail or inconclusive; "
        "`checks` say why, and what evidence would settle what is open.",
        request=NewDecisionSerializer,
        responses={201: GateDecisionSerializer, **errors(409, 413, 415)},
    )
    def post(self, request: Request) -> Response:
        given = _given(NewDecisionSerializer, request)
        run = _named_run(self, given["run"])
        baseline = given.get("baseline")
        try:
            decision = decide(
                run,
                policy=policy_for(run, given.get("policy", "")),
                baseline=_named_run(self, baseline) if baseline else None,
                change_id=given.get("change_id", ""),
                by=self.request.user,
                now=timezone.now(),
                **_door(self),
            )
        except ComparisonUnavailable as error:
            wait = {"Retry-After": str(ASK_AGAIN_SECONDS)}
            raise Problem(error.messages[0], status_code=409, headers=wait) from None
        return Response(_spelled(self, decision.pk), status=201)


class GateView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_GATES}
    serializer_class = GateDecisionSerializer

    @extend_schema(
        operation_id="gates_get",
        summary="One decision with every check",
        responses={200: GateDecisionSerializer, **errors()},
    )
    def get(self, request: Request, decision_id: str) -> Response:
        return Response(_spelled(self, decision_id))


class GateOverrideView(WorkspaceAPIView):
    permissions: ClassVar = {"POST": Permission.OVERRIDE_GATES}
    serializer_class = GateDecisionSerializer

    @extend_schema(
        operation_id="gates_override",
        summary="Say something else in the gate's place",
        description="With your name and a reason. The gate's own verdict stays. `replaces` names "
        "the override that stands, `override.seq` of the decision; where another one does, nothing "
        "is changed. The verdict as answer takes back the one that stands.",
        request=NewOverrideSerializer,
        responses={201: GateDecisionSerializer, **errors(409, 413, 415)},
    )
    def post(self, request: Request, decision_id: str) -> Response:
        decision = get_object_or_404(_decisions(self), pk=decision_id)
        given = _given(NewOverrideSerializer, request)
        try:
            override(decision, by=self.request.user, now=timezone.now(), **given, **_door(self))
        except OverriddenMeanwhile as error:
            raise Problem(error.messages[0], status_code=409) from None
        return Response(_spelled(self, decision_id), status=201)


class GatePoliciesView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_GATES, "POST": Permission.EDIT_GATES}
    serializer_class = GatePolicySerializer

    @extend_schema(
        operation_id="gate_policies_list",
        summary="Policies by name, each with its latest version and its baseline",
        parameters=[OpenApiParameter("archived", bool), CURSOR],
        responses={200: page_of(GatePolicySerializer), **errors()},
    )
    def get(self, request: Request) -> Response:
        found = _policies(self).filter(archived_at__isnull=not is_asked(request, "archived"))
        return page_response(request, found, ("name", "pk"), GatePolicySerializer)

    @extend_schema(
        operation_id="gate_policies_create",
        summary="Add a policy",
        request=NewPolicySerializer,
        responses={201: SavedPolicySerializer, **errors(413, 415)},
    )
    def post(self, request: Request) -> Response:
        given = _given(NewPolicySerializer, request)
        dataset = given.pop("dataset", None)
        made = create_policy(
            workspace=self.request.workspace,
            dataset=_dataset(self, dataset) if dataset else None,
            by=self.request.user,
            now=timezone.now(),
            **given,
            **_door(self),
        )
        return Response(_saved_policy(self, made.pk), status=201)


class GatePolicyView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_GATES}
    serializer_class = GatePolicySerializer

    @extend_schema(
        operation_id="gate_policies_get",
        summary="One policy with its latest version and its baseline",
        responses={200: GatePolicySerializer, **errors()},
    )
    def get(self, request: Request, policy_id: str) -> Response:
        return Response(_spelled_policy(self, policy_id))


class GatePolicyVersionsView(WorkspaceAPIView):
    permissions: ClassVar = {"POST": Permission.EDIT_GATES}
    serializer_class = GatePolicySerializer

    @extend_schema(
        operation_id="gate_policy_versions_save",
        summary="Save the next version of a policy",
        description="What the latest version already says changes nothing. Decisions that were "
        "made stay as they are.",
        request=NewPolicyVersionSerializer,
        responses={
            200: OpenApiResponse(SavedPolicySerializer, "Nothing has changed."),
            201: OpenApiResponse(SavedPolicySerializer, "The next version."),
            **errors(413, 415),
        },
    )
    def post(self, request: Request, policy_id: str) -> Response:
        policy = _policy(self, policy_id)
        given, before = _given(NewPolicyVersionSerializer, request), policy.versions.count()
        version = save_policy(
            policy, given["spec"], by=self.request.user, now=timezone.now(), **_door(self)
        )
        status = 201 if version.number > before else 200
        return Response(_saved_policy(self, policy_id), status=status)


class GateBaselineView(WorkspaceAPIView):
    permissions: ClassVar = {"POST": Permission.EDIT_GATES}
    serializer_class = GatePolicySerializer

    @extend_schema(
        operation_id="gate_policies_approve_baseline",
        summary="Approve a run as a policy's baseline",
        description="It replaces the one before, which stays in the history.",
        request=BaselineSerializer,
        responses={201: GatePolicySerializer, **errors(413, 415)},
    )
    def post(self, request: Request, policy_id: str) -> Response:
        policy = _policy(self, policy_id)
        given = _given(BaselineSerializer, request)
        baselines.approve(
            policy,
            _named_run(self, given["run_id"]),
            reason=given["reason"],
            by=self.request.user,
            now=timezone.now(),
            **_door(self),
        )
        return Response(_spelled_policy(self, policy_id), status=201)


def _given(serializer: Any, request: Request) -> dict[str, Any]:
    """What the body asks for; 400 that names the key where it asks for what there is not."""
    given = serializer(data=request.data)
    if isinstance(request.data, dict):
        taken = {name for name, field in given.fields.items() if not field.read_only}
        unknown = [str(key) for key in request.data if key not in taken]
        if unknown:
            said = f"There is no such key; there are {', '.join(sorted(taken))}."
            raise serializers.ValidationError({key[:LONGEST_ID]: [said] for key in unknown})
    given.is_valid(raise_exception=True)
    return dict(given.validated_data)


def _door(view: WorkspaceAPIView) -> Door:
    return {"via": "api", "request_id": view.request.request_id}


def _decisions(view: WorkspaceAPIView) -> QuerySet[GateDecision]:
    return stored.decisions(view.request.user, view.request.workspace)


def _policies(view: WorkspaceAPIView) -> QuerySet[GatePolicy]:
    return stored.policies(view.request.user, view.request.workspace)


def _policy(view: WorkspaceAPIView, policy_id: str) -> GatePolicy:
    return get_object_or_404(_policies(view), pk=policy_id)


def _spelled(view: WorkspaceAPIView, decision_id: str) -> Any:
    found = get_object_or_404(_decisions(view), pk=decision_id)
    told = {"base": own_address(view.request), "reader": view.request.user}
    return GateDecisionSerializer(found, context=told).data


def _spelled_policy(view: WorkspaceAPIView, policy_id: str) -> Any:
    return GatePolicySerializer(_policy(view, policy_id)).data


def _saved_policy(view: WorkspaceAPIView, policy_id: str) -> Any:
    """With what may be misspelled in it."""
    found, workspace = _policy(view, policy_id), view.request.workspace
    doubts = doubts_about(
        current_spec(found), workspace=workspace, dataset=found.dataset, user=view.request.user
    )
    return {**GatePolicySerializer(found).data, "warnings": doubts}


def _named_run(view: WorkspaceAPIView, run_id: str) -> Run:
    runs = Run.objects.visible_to(view.request.user).filter(workspace=view.request.workspace)
    found = runs.select_related("dataset_version__dataset", "workspace").filter(pk=run_id).first()
    if found is None:
        raise Http404(f"There is no run {run_id!r} in this workspace.")
    return found


def _dataset(view: WorkspaceAPIView, dataset_id: str) -> Dataset:
    found = Dataset.objects.visible_to(view.request.user).filter(workspace=view.request.workspace)
    return get_object_or_404(found, pk=dataset_id)
