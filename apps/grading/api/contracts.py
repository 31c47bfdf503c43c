"""Grading contracts over the API: list, add, read, save the next version."""

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.grading import queries, services
from apps.grading.models import ContractVersion, GradingContract
from apps.web.openapi import CURSOR, errors, is_asked, page_of, page_response

from .serializers import ContractSerializer, NewContractSerializer, NewVersionSerializer

ARCHIVED = OpenApiParameter("archived", bool, description="Those that are archived instead.")


class ContractsView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_CONTRACTS, "POST": Permission.EDIT_CONTRACTS}
    serializer_class = ContractSerializer

    @extend_schema(
        operation_id="contracts_list",
        summary="Grading contracts by name, each with its latest version",
        parameters=[ARCHIVED, CURSOR],
        responses={200: page_of(ContractSerializer), **errors()},
    )
    def get(self, request: Request) -> Response:
        archived = is_asked(request, "archived")
        found = queries.latest_versions(self.request.workspace, archived=archived)
        return page_response(request, found, ("contract__name", "pk"), ContractSerializer)

    @extend_schema(
        operation_id="contracts_create",
        summary="Add a grading contract",
        description="Its version 1 is a draft until a run uses it.",
        request=NewContractSerializer,
        responses={201: ContractSerializer, **errors(413, 415)},
    )
    def post(self, request: Request) -> Response:
        given = NewContractSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        contract = services.create_contract(
            workspace=self.request.workspace,
            by=self.request.user,
            now=timezone.now(),
            via="api",
            request_id=self.request.request_id,
            **given.validated_data,
        )
        return Response(_spelled(queries.latest_version(contract)), status=201)


class ContractView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_CONTRACTS}
    serializer_class = ContractSerializer

    @extend_schema(
        operation_id="contracts_get",
        summary="One grading contract with its latest version",
        responses={200: ContractSerializer, **errors()},
    )
    def get(self, request: Request, contract_id: str) -> Response:
        return Response(_spelled(queries.latest_version(_contract(self, contract_id))))


class ContractVersionsView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_CONTRACTS, "POST": Permission.EDIT_CONTRACTS}
    serializer_class = ContractSerializer

    @extend_schema(
        operation_id="contract_versions_list",
        summary="The versions of a grading contract, newest first",
        parameters=[CURSOR],
        responses={200: page_of(ContractSerializer), **errors()},
    )
    def get(self, request: Request, contract_id: str) -> Response:
        versions = _contract(self, contract_id).versions.select_related("contract")
        return page_response(request, versions, ("-number",), ContractSerializer)

    @extend_schema(
        operation_id="contract_versions_save",
        summary="Save a grading contract",
        description=(
            "Edits the draft, or adds the next version where the latest is locked. What the "
            "latest version already says changes nothing."
        ),
        request=NewVersionSerializer,
        responses={
            200: OpenApiResponse(ContractSerializer, "The draft as it is now."),
            201: OpenApiResponse(ContractSerializer, "The next version, a draft."),
            **errors(413, 415),
        },
    )
    def post(self, request: Request, contract_id: str) -> Response:
        contract = _contract(self, contract_id)
        given = NewVersionSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        latest = queries.latest_version(contract)
        version = services.save_version(
            contract=contract,
            spec=given.validated_data["spec"],
            by=self.request.user,
            now=timezone.now(),
            via="api",
            request_id=self.request.request_id,
        )
        return Response(_spelled(version), status=201 if version.number > latest.number else 200)


def _contract(view: WorkspaceAPIView, contract_id: str) -> GradingContract:
    return get_object_or_404(view.request.workspace.contracts, pk=contract_id)


def _spelled(version: ContractVersion) -> Any:
    return ContractSerializer(version).data
