"""How the API spells what was answered, what came of it, and each call."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.runs.models import Attempt, FailureLabel, Result, ResultStatus, Score
from apps.runs.telling.verified import AGENTS, verified

from .labels import FailureLabelSerializer

Facts = dict[str, Any]


class ScoreSerializer(serializers.ModelSerializer[Score]):
    raw = serializers.DictField(allow_null=True, help_text="What the value was made of.")

    class Meta:
        model = Score
        fields = ("rule", "judge", "value", "verdict", "reason", "method", "verifier", "raw")
        read_only_fields = fields


class TurnSerializer(serializers.Serializer[Any]):
    """One turn of a session; what the system did not tell is left out."""

    user_input = serializers.CharField()
    output_text = serializers.CharField(allow_blank=True)
    latency_ms = serializers.IntegerField(allow_null=True)
    input_tokens = serializers.IntegerField(allow_null=True)
    output_tokens = serializers.IntegerField(allow_null=True)
    total_tokens = serializers.IntegerField(allow_null=True)
    cost = serializers.FloatField(allow_null=True)
    status = serializers.CharField(required=False)
    failure_reason = serializers.CharField(required=False)
    tool_calls = serializers.ListField(child=serializers.DictField(), required=False)
    approvals = serializers.ListField(child=serializers.DictField(), required=False)
    trace_id = serializers.CharField(required=False)
    trace = serializers.ListField(child=serializers.DictField(), required=False)
    release_identity = serializers.CharField(required=False)
    idempotency_key = serializers.CharField(required=False)
    side_effect_status = serializers.CharField(required=False)


class VerifierOutputSerializer(serializers.Serializer[Any]):
    """What EvalHub says of a result as a verifier, process and outcome apart."""

    verifier_id = serializers.CharField()
    verifier_contract_version = serializers.CharField(allow_blank=True)
    process_score = serializers.FloatField(allow_null=True)
    outcome_score = serializers.FloatField(allow_null=True)
    failure_attribution = serializers.CharField(allow_blank=True)
    verifier_evidence_refs = serializers.ListField(child=serializers.CharField())


class ResultSerializer(serializers.ModelSerializer[Result]):
    record_id = serializers.CharField(source="record.record_id")
    index = serializers.IntegerField(source="ordinal")
    status = serializers.ChoiceField(choices=ResultStatus.choices)
    turns = serializers.SerializerMethodField()
    scores = ScoreSerializer(many=True)
    verifier_output = serializers.SerializerMethodField()
    failure_label = serializers.SerializerMethodField()

    class Meta:
        model = Result
        fields = (
            "record_id",
            "index",
            "trial",
            "status",
            "cause",
            "detail",
            "response",
            "turns",
            "verdict",
            "score",
            "process_score",
            "outcome_score",
            "scores",
            "verifier_output",
            "failure_label",
            "latency_ms",
            "input_tokens",
            "output_tokens",
            "total_tokens",
            "cost",
            "attempts",
            "carried",
            "first_attempt_at",
            "last_attempt_at",
        )
        read_only_fields = fields

    @extend_schema_field(TurnSerializer(many=True))
    def get_turns(self, result: Result) -> list[dict[str, Any]]:
        """What was said in turn, and what the system did; none of a plain answer."""
        turns: list[dict[str, Any]] = (result.extra or {}).get("turns", [])
        return turns

    @extend_schema_field(VerifierOutputSerializer(allow_null=True))
    def get_verifier_output(self, result: Result) -> Facts | None:
        """Process and outcome apart, with what they rest on; null where no rule gave a score."""
        scores = result.scores.all()
        if not any(score.verdict for score in scores):
            return None
        label, given = _standing(result), self.context.get("came_along", False)
        output = verified(
            result.run,
            process_score=result.process_score,
            outcome_score=result.outcome_score,
            raws=(score.raw for score in scores),
            payload=result.record.payload if given and result.record.kind in AGENTS else None,
            attribution=label.attribution if label else "",
        )
        return output.model_dump(mode="json")

    @extend_schema_field(FailureLabelSerializer(allow_null=True))
    def get_failure_label(self, result: Result) -> Facts | None:
        """What somebody said went wrong; null where nobody has."""
        label = _standing(result)
        return FailureLabelSerializer(label).data if label else None


def _standing(result: Result) -> FailureLabel | None:
    """Of labels that were fetched beforehand."""
    return next((label for label in result.failure_labels.all() if label.is_current), None)


class AttemptSerializer(serializers.ModelSerializer[Attempt]):
    index = serializers.IntegerField(source="ordinal")

    class Meta:
        model = Attempt
        fields = (
            "index",
            "trial",
            "purpose",
            "rule",
            "call",
            "number",
            "started_at",
            "latency_ms",
            "error_code",
            "detail",
            "http_status",
            "retry_after_ms",
            "input_tokens",
            "output_tokens",
            "cost",
            "cached",
            "model",
        )
        read_only_fields = fields
