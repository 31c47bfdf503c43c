"""What the API says of reviews, and takes as their answers."""

from typing import Any

from rest_framework import serializers

from apps.labeling.models import Question, Review
from apps.labeling.settling.review_facts import row_facts
from apps.labeling.settling.review_queue import REASONS
from apps.labeling.settling.reviewing import LONGEST_COMMENT

LABELS = "Values of its options: one, of kind `several` any; none where nobody can decide."


class ReviewRowSerializer(serializers.Serializer[Any]):
    """A review in a list. Before they have answered it leads alone are told the reason, and nobody
    who has still to label its item how it was settled."""

    id = serializers.CharField(help_text="Of its item and its question.")
    campaign_id = serializers.CharField()
    record_id = serializers.CharField()
    chunk = serializers.CharField(allow_blank=True)
    task = serializers.CharField(allow_blank=True)
    question = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(choices=Review.State.choices)
    reason = serializers.ChoiceField(choices=list(REASONS), allow_null=True)
    settled_labels = serializers.ListField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="Null until it is settled and revealed.",
    )
    settled_by = serializers.CharField(allow_null=True)
    settled_at = serializers.DateTimeField(allow_null=True)

    def to_representation(self, instance: Any) -> dict[str, Any]:
        if isinstance(instance, Review):
            revealed = instance.pk in self.context["revealed"]
            reason = revealed or self.context["is_lead"]
            sight = self.context["sight"]
            instance = row_facts(instance, sight, reason=reason, revealed=revealed)
        return super().to_representation(instance)


class ReviewTextSerializer(serializers.Serializer[Any]):
    title = serializers.CharField()
    text = serializers.CharField()


class ReviewOptionSerializer(serializers.Serializer[Any]):
    value = serializers.CharField()
    title = serializers.CharField()


class ReviewAnnotationSerializer(serializers.Serializer[Any]):
    """What one person said; `counts` where figures rest on it, `own` of whoever asks."""

    annotator = serializers.CharField()
    words = serializers.CharField()
    discarded = serializers.BooleanField()
    notes = serializers.CharField(allow_blank=True)
    at = serializers.DateTimeField(allow_null=True)
    counts = serializers.BooleanField()
    own = serializers.BooleanField()


class ReviewScoreSerializer(serializers.Serializer[Any]):
    rule = serializers.CharField()
    judge = serializers.CharField(allow_blank=True)
    value = serializers.FloatField(allow_null=True)
    verdict = serializers.CharField(allow_blank=True)
    reason = serializers.CharField(allow_blank=True)


class ReviewChangeSerializer(serializers.Serializer[Any]):
    what = serializers.CharField()
    labels = serializers.ListField(child=serializers.CharField())
    comment = serializers.CharField(allow_blank=True)
    by = serializers.CharField(allow_null=True)
    at = serializers.DateTimeField()


class ReviewSerializer(ReviewRowSerializer):
    """It tells nothing of others until it is `revealed`: by an answer of one's own, or settled, to
    leads and to whoever is not to label its item any more."""

    title = serializers.CharField(allow_blank=True)
    kind = serializers.ChoiceField(choices=Question.Kind.choices)
    options = ReviewOptionSerializer(many=True)
    texts = ReviewTextSerializer(many=True, help_text="What annotators saw.")
    own_labels = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="Null until one has answered."
    )
    revealed = serializers.BooleanField()
    comment = serializers.CharField(allow_blank=True)
    annotations = ReviewAnnotationSerializer(many=True)
    scores = ReviewScoreSerializer(many=True)
    history = ReviewChangeSerializer(many=True, help_text="The newest first.")


class AnswerSerializer(serializers.Serializer[Any]):
    labels = serializers.ListField(
        child=serializers.CharField(max_length=1_000), max_length=100, help_text=LABELS
    )


class SettlementSerializer(AnswerSerializer):
    comment = serializers.CharField(
        max_length=LONGEST_COMMENT, required=False, allow_blank=True, default=""
    )
    seen = serializers.DateTimeField(
        required=False, allow_null=True, default=None, help_text="`settled_at` of what it replaces."
    )
