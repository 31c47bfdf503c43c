"""What people choose of trends and boards; the view says what there is to choose."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from django import forms

from apps.analysis.trends.choosing import Choice
from apps.analysis.trends.following import Choices

MOMENT = "%Y-%m-%dT%H:%M:%S"


class TrendForm(forms.Form):
    """Unbound and filled with what is shown now: a wish that nobody could have stands for none.

    Where all runs have one version of the dataset, one contract or the same judges, there is none
    to choose; where they are alike in all (not `is_mixed`), nothing to put together.
    """

    dataset = forms.ChoiceField(label="Dataset")
    metric = forms.ChoiceField(label="Metric")
    target = forms.ChoiceField(label="Target", required=False)
    version = forms.ChoiceField(label="Dataset version", required=False)
    contract = forms.ChoiceField(label="Grading contract", required=False)
    judges = forms.ChoiceField(label="Judges", required=False)
    slice = forms.ChoiceField(label="Slice", required=False)
    regrades = forms.BooleanField(label="Regrades too", required=False)
    mixed = forms.BooleanField(label="Unlike runs together", required=False)

    def __init__(
        self,
        *,
        choices: Choices,
        metrics: Sequence[Choice],
        slices: Sequence[Choice],
        is_mixed: bool,
        initial: dict[str, Any],
    ) -> None:
        super().__init__(initial=initial)
        _offer(self, "dataset", choices.datasets)
        _offer(self, "metric", metrics)
        _offer(self, "target", [("", "Any target"), *choices.targets])
        _offer_several(self, "version", "Any version", choices.versions)
        _offer_several(self, "contract", "Any contract", choices.contracts)
        _offer_several(self, "judges", "Any judges", choices.judges)
        _offer(self, "slice", [("", "All records"), *_by_family(slices)])
        if not is_mixed:
            del self.fields["mixed"]
        self.fields["from"] = forms.DateTimeField(
            label="From",
            required=False,
            widget=forms.DateTimeInput(attrs={"type": "datetime-local", "step": 1}, format=MOMENT),
        )


class BoardForm(forms.Form):
    """Unbound and filled with what is shown now."""

    version = forms.ChoiceField(label="Dataset version")
    contract = forms.ChoiceField(label="Judged by")
    metric = forms.ChoiceField(label="Ranked by")
    every = forms.BooleanField(label="All runs of a target version", required=False)

    def __init__(
        self,
        *,
        versions: Sequence[Choice],
        contracts: Sequence[Choice],
        metrics: Sequence[Choice],
        initial: dict[str, Any],
    ) -> None:
        super().__init__(initial=initial)
        _offer(self, "version", versions)
        _offer(self, "contract", contracts)
        _offer(self, "metric", metrics)


def _offer(form: forms.Form, name: str, choices: Iterable[Any]) -> None:
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    field.choices = list(choices)


def _offer_several(form: forms.Form, name: str, any_of: str, choices: Sequence[Choice]) -> None:
    if len(choices) > 1:
        _offer(form, name, [("", any_of), *choices])
    else:
        del form.fields[name]


def _by_family(slices: Sequence[Choice]) -> list[tuple[str, list[Choice]]]:
    """One group of options a family."""
    grouped = groupby(slices, key=lambda each: each[1].partition(":")[0])
    return [(family, list(choices)) for family, choices in grouped]
