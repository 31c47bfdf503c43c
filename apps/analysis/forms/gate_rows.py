"""Rows of a policy's form: a metric a row, slices a row."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.text import capfirst
from pydantic import ValidationError as SpecError

from apps.analysis.gates.policies.spec import (
    COMPARED,
    MetricCheck,
    SliceCheck,
    higher_is_better,
)
from apps.analysis.gates.telling.wording import name_of, unit_of
from apps.grading.complaints import findings, sentence_of

from .gate_parts import Offers
from .gate_units import in_unit, written

_LIMITS = ("at_least", "at_most", "margin")


_LABELS = {
    "say at_least": "say “At least”",
    "say at_most": "say “At most”",
    ", at_most or margin": ", “At most” or “Worse by at most”",
    **{metric: name_of(metric) for metric in (*COMPARED, "latency_p95")},
}
"""What a policy says by the words of the API, as the form has them."""


def in_labels(sentence: str) -> str:
    for word, label in _LABELS.items():
        sentence = sentence.replace(word, label)
    return capfirst(sentence)


class MetricRow(forms.Form):
    """Left out while no metric is chosen."""

    metric = forms.ChoiceField(label="Metric", required=False)
    at_least = forms.FloatField(label="At least", required=False, min_value=0)
    at_most = forms.FloatField(label="At most", required=False, min_value=0)
    by = forms.ChoiceField(
        label="Judged by",
        choices=[("bound", "The whole interval"), ("point", "The measured value")],
        required=False,
    )
    margin = forms.FloatField(label="Worse by at most", required=False, min_value=0)

    def __init__(self, *args: Any, offers: Offers, **more: Any) -> None:
        super().__init__(*args, **more)
        field = self.fields["metric"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", "–"), *offers.metrics]

    def clean(self) -> dict[str, Any]:
        said = self.cleaned_data
        if said.get("metric"):
            _wrong_way(self, said["metric"])
        if said.get("metric") and not self.errors:
            _complain(self, MetricCheck, self.spec)
        elif not said.get("metric") and any(said.get(name) is not None for name in _LIMITS):
            self.add_error("metric", "Choose the metric that this is about.")
        return said

    @property
    def is_used(self) -> bool:
        return bool(self.cleaned_data.get("metric"))

    @property
    def spec(self) -> dict[str, Any]:
        metric = self.cleaned_data["metric"]
        limits = {name: in_unit(metric, self.cleaned_data[name]) for name in _LIMITS}
        return {"metric": metric, "by": self.cleaned_data["by"] or "bound", **limits}

    @staticmethod
    def known(check: MetricCheck) -> dict[str, Any]:
        limits = {name: written(check.metric, getattr(check, name)) for name in _LIMITS}
        return {"metric": check.metric, "by": check.by, **limits}


class SliceRow(forms.Form):
    """Left out while no metric is chosen."""

    metric = forms.ChoiceField(
        label="Metric",
        required=False,
        choices=[("", "–"), ("pass_rate", "Pass rate (%)"), ("score_mean", "Mean score (0 to 1)")],
    )
    margin = forms.FloatField(
        label="Worse than the baseline by at most", required=False, min_value=0
    )
    proof = forms.ChoiceField(
        label="Proof",
        required=False,
        choices=[
            ("no_harm_seen", "No slice is shown to be worse"),
            ("non_inferior", "Each slice is shown to be no worse"),
        ],
    )
    families = forms.MultipleChoiceField(
        label="Slices by", required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, offers: Offers, **more: Any) -> None:
        super().__init__(*args, **more)
        field = self.fields["families"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(offers.families)

    @property
    def opens_families(self) -> bool:
        families = self["families"]
        return bool(families.errors or families.value())

    def clean(self) -> dict[str, Any]:
        said = self.cleaned_data
        if said.get("metric"):
            _wrong_way(self, said["metric"])
        if said.get("metric") and not self.errors:
            _complain(self, SliceCheck, self.spec)
        elif not said.get("metric") and (said.get("margin") is not None or said.get("families")):
            self.add_error("metric", "Choose the metric that the slices are held to.")
        return said

    @property
    def is_used(self) -> bool:
        return bool(self.cleaned_data.get("metric"))

    @property
    def spec(self) -> dict[str, Any]:
        said = self.cleaned_data
        return {
            "metric": said["metric"],
            "margin": in_unit(said["metric"], said["margin"]) or 0.0,
            "proof": said["proof"] or "no_harm_seen",
            "families": said["families"],
        }

    @staticmethod
    def known(check: SliceCheck) -> dict[str, Any]:
        return {**check.model_dump(), "margin": written(check.metric, check.margin)}


def _complain(row: forms.Form, kind: type[Any], spec: Mapping[str, Any]) -> None:
    """Each problem at its field, those of the whole row at its metric."""
    try:
        kind.model_validate(spec)
    except SpecError as error:
        for problem in findings(error):
            name = str(problem["loc"][0]) if problem["loc"] else "metric"
            said = in_labels(sentence_of(problem).removeprefix(f"{spec['metric']} "))
            row.add_error(name if name in row.fields else "metric", said)


def _wrong_way(row: forms.Form, metric: str) -> None:
    """What is said better of what somebody wrote than of what the policy would hold."""
    said = row.cleaned_data
    if said.get("at_least") is not None and not higher_is_better(metric):
        row.add_error("at_least", "It is better when low: say “At most”.")
    for name in _LIMITS:
        if unit_of(metric) == "percent" and (said.get(name) or 0) > 100:
            row.add_error(name, "A share is at most 100 %.")
