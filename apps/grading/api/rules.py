"""The types of rules over the API: what each does, and the schema of its settings."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.api import WorkspaceAPIView
from apps.accounts.permissions import Permission
from apps.grading.catalog import families
from apps.grading.rules import RULE_OF_TYPE
from apps.web.openapi import errors


class RuleTypeSerializer(serializers.Serializer[Any]):
    """A type of rule; `schema` is the JSON Schema of its settings."""

    type = serializers.CharField()
    title = serializers.CharField()
    family = serializers.CharField()
    description = serializers.CharField()
    method = serializers.ChoiceField(choices=["code", "judge"])
    aspect = serializers.ChoiceField(choices=["process", "outcome"])
    version = serializers.IntegerField(min_value=1)
    schema = serializers.DictField()


class RulesView(WorkspaceAPIView):
    permissions: ClassVar = {"GET": Permission.VIEW_CONTRACTS}
    serializer_class = RuleTypeSerializer

    @extend_schema(
        operation_id="rules_list",
        summary="Every type of rule that a grading contract may hold",
        responses={200: RuleTypeSerializer(many=True), **errors()},
    )
    def get(self, request: Request) -> Response:
        return Response(
            [_spelled(rule.type, family.title) for family in families() for rule in family.rules]
        )


def _spelled(rule_type: str, family: str) -> dict[str, Any]:
    rule = RULE_OF_TYPE[rule_type]
    return {
        "type": rule_type,
        "title": rule.title,
        "family": family,
        "description": rule.description(),
        "method": rule.method,
        "aspect": rule.aspect,
        "version": rule.version,
        "schema": rule.model_json_schema(),
    }
