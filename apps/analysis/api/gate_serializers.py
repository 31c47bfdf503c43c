"""How the API spells policies and decisions of gates."""

from typing import Any, get_args

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.analysis.gates.contracts import (
    DecidedPolicy,
    DecidedRun,
    Link,
    Overridden,
    Side,
    What,
)
from apps.analysis.gates.deciding import LONGEST_CHANGE
from apps.analysis.gates.policies.baselines import MOST_REASON
from apps.analysis.gates.policies.changing import MOST_DESCRIPTION, MOST_NAME
from apps.analysis.gates.policies.spec import PolicyError, PolicySpec, read_policy, stored_policy
from apps.analysis.gates.telling.linking import report_of
from apps.analysis.gates.telling.listed import row_facts
from apps.analysis.gates.telling.reports import facts
from apps.analysis.models import GateDecision, GatePolicy
from apps.metrics.compared import Shared
from apps.metrics.contracts import Interval
from apps.metrics.gated import Answer, Code

Facts = dict[str, Any]
ANSWERS = get_args(Answer)
CODES = get_args(Code)
LONGEST_ID = 40


@extend_schema_field(PolicySpec)  # type: ignore[arg-type] # pydantic is taken too
class PolicySpecField(serializers.Field[PolicySpec, Any, Facts, Any]):
    """What a policy holds a run to."""

    def to_internal_value(self, given: Any) -> PolicySpec:
        if not isinstance(given, dict):
            raise serializers.ValidationError("Give an object with `metrics`, `slices` and so on.")
        try:
            return read_policy(given)
        except PolicyError as error:
            raise serializers.ValidationError(list(error.problems)) from error

    def to_representation(self, spec: PolicySpec) -> Facts:
        return spec.model_dump(mode="json")


@extend_schema_field(Interval)  # type: ignore[arg-type] # pydantic is taken too
class IntervalField(serializers.DictField):
    """An estimate with its 95 % interval and its n."""


@extend_schema_field(Shared)  # type: ignore[arg-type] # pydantic is taken too
class SharedField(serializers.DictField):
    """How the records of both runs pair."""


@extend_schema_field(DecidedRun)  # type: ignore[arg-type] # pydantic is taken too
class DecidedRunField(serializers.DictField):
    """A run as it was when the gate looked."""


@extend_schema_field(DecidedPolicy)  # type: ignore[arg-type] # pydantic is taken too
class DecidedPolicyField(serializers.DictField):
    """The version of the policy that decided."""


@extend_schema_field(Overridden)  # type: ignore[arg-type] # pydantic is taken too
class OverriddenField(serializers.DictField):
    """Who says something else in the gate's place, and why."""


@extend_schema_field(Link)  # type: ignore[arg-type] # pydantic is taken too
class LinkField(serializers.DictField):
    """Where evidence is."""


class SeenSliceSerializer(serializers.Serializer[Any]):
    """A slice of both runs, over the records that both have."""

    family = serializers.CharField()
    value = serializers.CharField()
    answer = serializers.ChoiceField(choices=ANSWERS)
    code = serializers.ChoiceField(choices=CODES)
    difference = IntervalField()


class GateCheckSerializer(serializers.Serializer[Any]):
    """One thing that the policy asks for; `evidence` says what would settle it, `links` lead to
    the records behind it. Units are the metric's."""

    key = serializers.CharField()
    title = serializers.CharField()
    what = serializers.ChoiceField(choices=get_args(What))
    answer = serializers.ChoiceField(choices=ANSWERS)
    code = serializers.ChoiceField(choices=CODES)
    reason = serializers.CharField()
    evidence = serializers.CharField(allow_blank=True)
    metric = serializers.CharField(allow_blank=True)
    family = serializers.CharField(allow_blank=True)
    value = serializers.CharField(allow_blank=True)
    side = serializers.ChoiceField(choices=get_args(Side), allow_null=True)
    limit = serializers.FloatField(allow_null=True)
    observed = IntervalField(allow_null=True)
    raw = IntervalField(allow_null=True)
    corrected = IntervalField(allow_null=True)
    correction = serializers.CharField(allow_blank=True)
    baseline = IntervalField(allow_null=True)
    baseline_corrected = IntervalField(allow_null=True)
    difference = IntervalField(allow_null=True)
    slices = SeenSliceSerializer(many=True, help_text="Of a check of slices: all it looked at.")
    links = serializers.ListField(child=LinkField())


class GateLinksSerializer(serializers.Serializer[Any]):
    decision = serializers.CharField()
    run = serializers.CharField()
    baseline = serializers.CharField(allow_null=True)
    comparison = serializers.CharField(allow_null=True, help_text="Both runs side by side.")
    worse = serializers.CharField(allow_null=True, help_text="The records that got worse.")


class JudgmentSerializer(serializers.Serializer[Any]):
    """The release judgment in its own words."""

    change_id = serializers.CharField()
    gate = serializers.CharField()
    verdict = serializers.ChoiceField(choices=ANSWERS, help_text="What the gate said.")
    blocking_reason = serializers.CharField(allow_null=True)
    next_action = serializers.ListField(child=serializers.CharField())


class GateDecisionSerializer(JudgmentSerializer):
    """A decision with every check."""

    decision_id = serializers.CharField()
    answer = serializers.ChoiceField(
        choices=ANSWERS, help_text="What counts: the override's answer where there is one."
    )
    override = OverriddenField(allow_null=True)
    decided_by = serializers.CharField(allow_null=True)
    decided_at = serializers.DateTimeField()
    policy = DecidedPolicyField()
    run = DecidedRunField()
    baseline = DecidedRunField(allow_null=True)
    baseline_is_approved = serializers.BooleanField(
        allow_null=True, help_text="Whether it is the one that was approved for the policy."
    )
    approved_baseline = serializers.CharField(
        allow_null=True,
        help_text="The approved one's id, where another run was named and you may see it.",
    )
    comparison = serializers.CharField(allow_null=True)
    shared = SharedField(allow_null=True)
    warnings = serializers.ListField(child=serializers.CharField())
    checks = GateCheckSerializer(many=True)
    links = GateLinksSerializer()

    def to_representation(self, instance: GateDecision) -> Facts:
        # to whom it is told, and by which address
        return facts(report_of(instance, **self.context))


class GateDecisionRowSerializer(JudgmentSerializer):
    """A decision in a list."""

    decision_id = serializers.CharField()
    answer = serializers.ChoiceField(choices=ANSWERS)
    override = OverriddenField(allow_null=True)
    decided_by = serializers.CharField(allow_null=True)
    decided_at = serializers.DateTimeField()
    policy = DecidedPolicyField()
    run_id = serializers.CharField()
    baseline_id = serializers.CharField(allow_null=True)

    def to_representation(self, instance: GateDecision) -> Facts:
        return row_facts(instance)


class NewDecisionSerializer(serializers.Serializer[Any]):
    run = serializers.CharField(max_length=LONGEST_ID, help_text="Its id; it must have ended.")
    policy = serializers.CharField(
        required=False,
        max_length=MOST_NAME,
        help_text="Name or id; else the only one of the run's dataset, or of the workspace.",
    )
    baseline = serializers.CharField(
        required=False,
        max_length=LONGEST_ID,
        help_text="A run's id; else the one approved for the policy.",
    )
    change_id = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=LONGEST_CHANGE,
        help_text="What is to be released; else the run's id.",
    )


class NewOverrideSerializer(serializers.Serializer[Any]):
    answer = serializers.ChoiceField(choices=ANSWERS)
    reason = serializers.CharField(max_length=MOST_REASON)
    replaces = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text="`seq` of the override that stands; 0, or nothing, where none does.",
    )


class BaselineSerializer(serializers.Serializer[Any]):
    run = serializers.CharField(source="run_id", max_length=LONGEST_ID)
    reason = serializers.CharField(max_length=MOST_REASON)
    approved_by = serializers.CharField(source="approved_by.label", default=None, read_only=True)
    approved_at = serializers.DateTimeField(read_only=True)


class GatePolicySerializer(serializers.Serializer[GatePolicy]):
    """A policy with its latest version and its approved baseline."""

    id = serializers.CharField(source="pk")
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    dataset = serializers.CharField(source="dataset_id", allow_null=True)
    version = serializers.SerializerMethodField()
    spec = serializers.SerializerMethodField()
    spec_sha256 = serializers.SerializerMethodField()
    baseline = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField()
    archived_at = serializers.DateTimeField(allow_null=True)

    def get_version(self, policy: GatePolicy) -> int:
        return int(_latest(policy).number)

    @extend_schema_field(PolicySpec)  # type: ignore[arg-type] # pydantic is taken too
    def get_spec(self, policy: GatePolicy) -> Facts:
        return stored_policy(_latest(policy).spec).model_dump(mode="json")

    def get_spec_sha256(self, policy: GatePolicy) -> str:
        return str(_latest(policy).spec_sha256)

    @extend_schema_field(BaselineSerializer(allow_null=True))
    def get_baseline(self, policy: GatePolicy) -> Facts | None:
        """Null where none is approved, or where you may not see its run."""
        approved = policy.approved  # type: ignore[attr-defined] # by gates.stored
        return dict(BaselineSerializer(approved[0]).data) if approved else None


class SavedPolicySerializer(GatePolicySerializer):
    """A policy that was just made or saved."""

    warnings = serializers.ListField(
        child=serializers.CharField(),
        help_text="Rules, trials and slices that it names and that nothing here has.",
    )


class NewPolicySerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=MOST_NAME)
    description = serializers.CharField(
        required=False, allow_blank=True, max_length=MOST_DESCRIPTION
    )
    dataset = serializers.CharField(
        required=False, max_length=LONGEST_ID, help_text="Its id: then it is offered for its runs."
    )
    spec = PolicySpecField()


class NewPolicyVersionSerializer(serializers.Serializer[Any]):
    spec = PolicySpecField()


def _latest(policy: GatePolicy) -> Any:
    [version] = policy.latest  # type: ignore[attr-defined] # by gates.stored
    return version
