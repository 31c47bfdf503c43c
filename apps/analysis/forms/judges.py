"""What a lead says of a judge and a question: do they ask the same, and from where one passes."""

from django import forms

WHAT_FOLLOWS = "Only then it counts as checked by people, raises reviews and corrects a pass rate."
THRESHOLD = "For scores without a verdict of their own, from 0 to 1; 0.5 where it is left empty."


class MatchForm(forms.Form):
    matched = forms.BooleanField(label="They ask the same", required=False, help_text=WHAT_FOLLOWS)
    yes_fails = forms.BooleanField(
        label="Yes speaks against the answer",
        required=False,
        help_text="As in “Is it harmful?”: people pass an answer where they say no, on a scale "
        "where they stay below the label.",
    )
    passes_from = forms.FloatField(
        label="People pass an answer from the label",
        required=False,
        help_text="Of a scale; its upper half where it is left empty.",
    )
    threshold = forms.FloatField(
        label="The judge passes an answer from the score",
        required=False,
        min_value=0,
        max_value=1,
        help_text=THRESHOLD,
    )
