"""What a policy's form has once, and what it lets people choose from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms

from apps.analysis.gates.policies.changing import MOST_DESCRIPTION, MOST_NAME
from apps.analysis.gates.policies.spec import (
    MOST_RECORDS,
    PolicySpec,
)
from apps.analysis.gates.policies.suggesting import Choice, Grouped
from apps.datasets.models import Dataset
from apps.fields import NameInput
from apps.metrics.contracts import TOO_FEW

from .gate_units import percent, share


@dataclass(frozen=True)
class Offers:
    """What the form lets people choose from."""

    metrics: Sequence[Grouped]
    rules: Sequence[str]
    families: Sequence[Choice]
    datasets: Sequence[Dataset]


class DetailsForm(forms.Form):
    """All that a policy has once."""

    name = NameInput(label="Name", max_length=MOST_NAME)
    description = forms.CharField(
        label="Description",
        required=False,
        max_length=MOST_DESCRIPTION,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    dataset = forms.ChoiceField(
        label="Dataset",
        required=False,
        help_text="Its runs are held to this policy by default, and its rules and slices are "
        "offered here.",
        widget=forms.Select(
            attrs={
                "hx-post": "",
                "hx-vals": '{"more": "dataset"}',
                "hx-target": "#policy_form",
                "hx-select": "#policy_form",
                "hx-swap": "outerHTML",
            }
        ),
    )
    blocking_rules = forms.MultipleChoiceField(
        label="Rules that no answer may fail",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="One failure, and the gate fails.",
    )
    other_rules = forms.CharField(
        label="Other rules",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="That no answer may fail, one a line.",
    )
    failure_budget = forms.FloatField(
        label="Failures may rise by, in points",
        required=False,
        min_value=0,
        max_value=100,
        help_text="Results that end with an error, over the baseline's share. 2 is two points.",
    )
    failure_rate_at_most = forms.FloatField(
        label="Failures are at most, in %",
        required=False,
        min_value=0,
        max_value=100,
        help_text="Whatever the baseline's share.",
    )
    minimum_n = forms.IntegerField(
        label="Fewest records",
        min_value=1,
        max_value=MOST_RECORDS,
        help_text="With fewer behind a number the gate is inconclusive.",
    )
    calibrated_only = forms.BooleanField(
        label="Count judges only as people's labels correct them",
        required=False,
        help_text="What has no corrected number is inconclusive.",
    )

    def __init__(self, *args: Any, offers: Offers, **more: Any) -> None:
        super().__init__(*args, **more)
        self._offer("dataset", [("", "Any"), *((each.pk, each.name) for each in offers.datasets)])
        self._offer("blocking_rules", [(rule, rule) for rule in offers.rules])
        if not offers.rules:
            del self.fields["blocking_rules"]

    @property
    def opens_rules(self) -> bool:
        return any(self[name].errors or self[name].value() for name in self._about_rules)

    @property
    def opens_evidence(self) -> bool:
        """Where it asks for another one than goes without saying."""
        fewest, calibrated = self["minimum_n"], self["calibrated_only"]
        usual = str(fewest.value()) == str(TOO_FEW) and not calibrated.value()
        return bool(fewest.errors or calibrated.errors) or not usual

    @property
    def _about_rules(self) -> list[str]:
        return [name for name in ("blocking_rules", "other_rules") if name in self.fields]

    @property
    def spec(self) -> dict[str, Any]:
        said = self.cleaned_data
        lines = said["other_rules"].splitlines()
        others = [line.strip() for line in lines if line.strip()]
        rules = [*said.get("blocking_rules", []), *others]
        return {
            "blocking_rules": list(dict.fromkeys(rules)),
            "minimum_n": said["minimum_n"],
            "failure_budget": share(said["failure_budget"]),
            "failure_rate_at_most": share(said["failure_rate_at_most"]),
            "calibrated_only": said["calibrated_only"],
        }

    @staticmethod
    def known(spec: PolicySpec, offers: Offers) -> dict[str, Any]:
        offered, rules = set(offers.rules), spec.blocking_rules
        return {
            "blocking_rules": [rule for rule in rules if rule in offered],
            "other_rules": "\n".join(rule for rule in rules if rule not in offered),
            "failure_budget": percent(spec.failure_budget),
            "failure_rate_at_most": percent(spec.failure_rate_at_most),
            "minimum_n": spec.minimum_n,
            "calibrated_only": spec.calibrated_only,
        }

    def _offer(self, name: str, choices: Sequence[Choice]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(choices)
