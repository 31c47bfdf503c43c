"""How the API spells runs and their files."""

from typing import Any, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.artifacts.models import Artifact
from apps.datasets import answers
from apps.datasets.api.serializers import RecordErrorSerializer, SummarySerializer
from apps.grading.checks import METRICS, CheckVerdict
from apps.runs.contracts import ContractPlan, DatasetPlan, TargetPlan
from apps.runs.models import Run, RunState
from apps.runs.telling.told import run_facts

Facts = dict[str, Any]


class AcceptedRunSerializer(serializers.Serializer[Any]):
    """The answer to a started run; its fields are fixed by the contract."""

    run_id = serializers.CharField()
    status = serializers.ChoiceField(choices=[answers.ACCEPTED, answers.ACCEPTED_WITH_ERRORS])
    summary = SummarySerializer()
    record_errors = RecordErrorSerializer(many=True)
    request_id = serializers.CharField()


class MetricSerializer(serializers.Serializer[Any]):
    point = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()
    method = serializers.CharField(allow_blank=True)
    reason = serializers.CharField(allow_blank=True)


class StateSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(choices=RunState.choices)
    at = serializers.CharField()
    reason = serializers.CharField(allow_blank=True)


class RunCountsSerializer(serializers.Serializer[Any]):
    """They add up at any time: total = valid + invalid, valid = evaluated + failed + skipped +
    waiting, evaluated = passed + failed_contract + unjudged. A run of several trials counts tries:
    each record as often as it has trials."""

    total_records = serializers.IntegerField(min_value=0)
    valid_records = serializers.IntegerField(min_value=0)
    invalid_records = serializers.IntegerField(min_value=0)
    evaluated_records = serializers.IntegerField(min_value=0)
    failed_records = serializers.IntegerField(min_value=0)
    skipped_records = serializers.IntegerField(min_value=0)
    waiting_records = serializers.IntegerField(min_value=0)
    passed_records = serializers.IntegerField(min_value=0)
    failed_contract_records = serializers.IntegerField(min_value=0)
    unjudged_records = serializers.IntegerField(min_value=0)


class ContractCheckSerializer(serializers.Serializer[Any]):
    """A threshold of the contract on the whole run: what was asked, what was measured, by which
    bound of the 95 % interval, or by the point."""

    metric = serializers.ChoiceField(choices=list(METRICS.values()))
    title = serializers.CharField()
    limit = serializers.FloatField()
    at_least = serializers.BooleanField()
    by = serializers.ChoiceField(choices=["lower", "upper", "point"])
    point = serializers.FloatField(allow_null=True)
    bound = serializers.FloatField(allow_null=True)
    verdict = serializers.ChoiceField(choices=get_args(CheckVerdict))
    reason = serializers.CharField(allow_blank=True)


@extend_schema_field(DatasetPlan)  # type: ignore[arg-type] # pydantic is taken too
class DatasetPlanField(serializers.DictField):
    """The dataset version as the plan froze it."""


@extend_schema_field(ContractPlan)  # type: ignore[arg-type] # pydantic is taken too
class ContractPlanField(serializers.DictField):
    """The contract version as the plan froze it."""


@extend_schema_field(TargetPlan)  # type: ignore[arg-type] # pydantic is taken too
class TargetPlanField(serializers.DictField):
    """Who answers or judges, as the plan froze it."""


class RunSerializer(serializers.Serializer[Any]):
    """One run."""

    run_id = serializers.CharField()
    name = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)
    kind = serializers.ChoiceField(choices=Run.Kind.choices)
    parent_run_id = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(choices=RunState.choices)
    reason = serializers.CharField(allow_blank=True)
    dataset_version_id = serializers.CharField()
    dataset = DatasetPlanField()
    contract = ContractPlanField(allow_null=True)
    targets = serializers.ListField(child=TargetPlanField())
    plan_sha256 = serializers.CharField()
    manifest_sha256 = serializers.CharField(allow_null=True)
    trials = serializers.IntegerField(min_value=1)
    counted_in = serializers.ChoiceField(choices=["records", "tries"])
    counts = RunCountsSerializer()
    spent = serializers.FloatField()
    cost_cap = serializers.FloatField(allow_null=True)
    created_by = serializers.CharField(allow_null=True)
    created_at = serializers.CharField()
    started_at = serializers.CharField(allow_null=True)
    completed_at = serializers.CharField(allow_null=True)
    archived_at = serializers.CharField(allow_null=True)
    states = StateSerializer(many=True)
    metrics = serializers.DictField(child=MetricSerializer())
    checks = ContractCheckSerializer(many=True)

    def to_representation(self, instance: Run) -> Facts:
        return run_facts(instance)


class RunRowSerializer(serializers.ModelSerializer[Run]):
    """A run in a list."""

    run_id = serializers.CharField(source="id")
    status = serializers.ChoiceField(source="state", choices=RunState.choices)
    trials = serializers.IntegerField(min_value=1, help_text="Tries of each valid record.")

    class Meta:
        model = Run
        fields = (
            "run_id",
            "name",
            "kind",
            "status",
            "reason",
            "dataset_version",
            "contract_version",
            "total_records",
            "valid_records",
            "trials",
            "created_at",
            "started_at",
            "completed_at",
            "archived_at",
        )
        read_only_fields = fields


class ArtifactSerializer(serializers.ModelSerializer[Artifact]):
    redactions = serializers.DictField(child=serializers.IntegerField(min_value=1))

    class Meta:
        model = Artifact
        fields = ("name", "sha256", "size", "rows", "tier", "media_type", "redactions", "purged_at")
        read_only_fields = fields
