"""How the API spells targets, their specs and connection tests."""

from typing import Any

import pydantic
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.targets.complaints import complaints
from apps.targets.contracts import ERROR_CODES
from apps.targets.models import TargetVersion
from apps.targets.services import MAX_NAME
from apps.targets.specs import SPEC_OF_KIND, TargetSpec, parse_spec

SPEC_SCHEMA = {
    "type": "object",
    "description": (
        "What is asked, and how; `kind` decides which further settings there are. Secrets are "
        "named as environment variables of the server, never sent."
    ),
    "properties": {"kind": {"type": "string", "enum": list(SPEC_OF_KIND)}},
    "required": ["kind"],
    "additionalProperties": True,
}


@extend_schema_field(SPEC_SCHEMA)
class SpecField(serializers.Field[TargetSpec, Any, dict[str, Any], Any]):
    def to_internal_value(self, given: Any) -> TargetSpec:
        if not isinstance(given, dict):
            raise serializers.ValidationError("Give an object with `kind`.")
        try:
            return parse_spec(given)
        except pydantic.ValidationError as error:
            raise serializers.ValidationError(_by_setting(error)) from None

    def to_representation(self, spec: TargetSpec) -> dict[str, Any]:
        return spec.model_dump(mode="json")


class TargetSerializer(serializers.Serializer[TargetVersion]):
    """A target as it is now: a run started now would use this version."""

    id = serializers.CharField(source="target.pk")
    name = serializers.CharField(source="target.name")
    kind = serializers.ChoiceField(source="target.kind", choices=list(SPEC_OF_KIND))
    scripted = serializers.BooleanField(
        source="target.scripted", help_text="No model answers; for demos and tests."
    )
    version = serializers.IntegerField(source="number", min_value=1)
    version_id = serializers.CharField(source="pk")
    spec = SpecField(source="parsed")
    spec_sha256 = serializers.CharField()
    archived_at = serializers.DateTimeField(source="target.archived_at", allow_null=True)
    created_at = serializers.DateTimeField(source="target.created_at")


class NewTargetSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=MAX_NAME)
    spec = SpecField()


class TargetChangeSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=MAX_NAME, required=False)
    spec = SpecField(required=False)


class ConnectionSerializer(serializers.Serializer[Any]):
    answered = serializers.BooleanField()
    text = serializers.CharField(allow_blank=True)
    model = serializers.CharField(allow_blank=True)
    latency_ms = serializers.IntegerField(allow_null=True)
    error_code = serializers.ChoiceField(choices=ERROR_CODES, allow_null=True)
    detail = serializers.CharField(allow_blank=True)
    advice = serializers.CharField(allow_blank=True, help_text="What to do about the error.")


def _by_setting(error: pydantic.ValidationError) -> dict[str, list[str]]:
    return {name or "non_field_errors": texts for name, texts in complaints(error).items()}
