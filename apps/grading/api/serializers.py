"""How the API spells grading contracts and their versions."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.grading.documents import read_spec
from apps.grading.models import ContractVersion
from apps.grading.reading.texts import SpecError
from apps.grading.rules import RULE_OF_TYPE
from apps.grading.services import MAX_NAME
from apps.grading.spec import ContractSpec

RULE_SCHEMA = {
    "type": "object",
    "description": "The other settings of a rule follow from its type.",
    "properties": {
        "type": {"type": "string", "enum": list(RULE_OF_TYPE)},
        "name": {"type": "string", "description": "Unique in the contract."},
    },
    "required": ["type", "name"],
    "additionalProperties": True,
}
SPEC_SCHEMA = {
    "type": "object",
    "description": "The rules in their order, and what a run must reach as a whole.",
    "properties": {
        "description": {"type": "string"},
        "rules": {"type": "array", "items": RULE_SCHEMA},
        "passing_score": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
        "data_rules": {"type": "string", "enum": ["combine", "ignore"]},
        "trials": {"type": "string", "enum": ["mean", "pass_any", "pass_all", "interval"]},
        "thresholds": {"type": "object", "additionalProperties": True},
    },
    "required": ["rules"],
}


@extend_schema_field(SPEC_SCHEMA)
class SpecField(serializers.Field[ContractSpec, Any, dict[str, Any], Any]):
    def to_internal_value(self, given: Any) -> ContractSpec:
        if not isinstance(given, dict):
            raise serializers.ValidationError("Give an object with `rules`.")
        try:
            return read_spec(given)
        except SpecError as error:
            raise serializers.ValidationError(list(error.problems)) from None

    def to_representation(self, spec: ContractSpec) -> dict[str, Any]:
        return spec.model_dump(mode="json")


class ContractSerializer(serializers.Serializer[ContractVersion]):
    """A contract with one of its versions: the latest, where none is named."""

    id = serializers.CharField(source="contract.pk")
    name = serializers.CharField(source="contract.name")
    version = serializers.IntegerField(source="number", min_value=1)
    version_id = serializers.CharField(source="pk")
    locked_at = serializers.DateTimeField(
        allow_null=True, help_text="Null for a draft; from then on it never changes."
    )
    spec = SpecField(source="parsed")
    spec_sha256 = serializers.CharField()
    saved_at = serializers.DateTimeField(source="created_at")
    archived_at = serializers.DateTimeField(source="contract.archived_at", allow_null=True)


class NewContractSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=MAX_NAME)
    spec = SpecField()


class NewVersionSerializer(serializers.Serializer[Any]):
    spec = SpecField()
