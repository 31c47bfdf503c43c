"""What one wants to be sure of: a difference, in a metric, as two runs differ."""

from collections.abc import Sequence
from typing import Any

from django import forms

from apps.analysis.planning.plans import METRICS, Wanted
from apps.runs.models import Run

POINTS = 3.0
GONE = "This run is not here, has not ended, or you may not see it: choose another."


class PlanForm(forms.Form):
    """Bound to the address; what is left out goes without saying."""

    run = forms.ChoiceField(
        label="Run",
        error_messages={"invalid_choice": GONE},
        help_text="Whose records, slices and judges.",
    )
    baseline = forms.ChoiceField(
        label="Second run",
        required=False,
        error_messages={"invalid_choice": GONE},
        help_text="Of the same records: how often answers change is measured on the two.",
    )
    metric = forms.ChoiceField(
        label="Metric",
        required=False,
        choices=list(METRICS.items()),
        help_text="What is to differ: the share that passes, or the mean of the scores.",
    )
    points = forms.FloatField(
        label="Difference, in points",
        required=False,
        min_value=0.1,
        max_value=100,
        help_text="3 points are 80 % against 83 %, or a score of 0.80 against 0.83.",
    )
    family = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput)

    def __init__(self, *args: Any, runs: Sequence[Run], **more: Any) -> None:
        super().__init__(*args, **more)
        self.runs = {run.pk: run for run in runs}
        choices = [(run.pk, _told(run)) for run in runs]
        self._offer("run", choices)
        self._offer("baseline", [("", "None: assume the worst case"), *choices])

    def clean(self) -> dict[str, Any]:
        said = self.cleaned_data
        if said.get("run") and said.get("run") == said.get("baseline"):
            self.add_error("baseline", "A run does not differ from itself: choose another.")
        return said

    @property
    def wanted(self) -> Wanted:
        said = self.cleaned_data
        return Wanted(
            run=self.runs[said["run"]],
            baseline=self.runs.get(said["baseline"]),
            metric=said["metric"] or "pass_rate",
            points=said["points"] or POINTS,
            family=said["family"],
            every="all" in self.data,
        )

    def _offer(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(choices)


def _told(run: Run) -> str:
    return f"{run.title} · {run.created_at:%-d %b %Y %H:%M} · {run.pk[-6:]}"
