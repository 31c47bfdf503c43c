"""What people say to a gate: which run it is to look at, which is the baseline, who overrides."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from django import forms

from apps.accounts.models import User
from apps.analysis.gates.deciding import LONGEST_CHANGE
from apps.analysis.gates.overriding import current_override, takes_back
from apps.analysis.gates.policies.baselines import MOST_REASON, UNFIT, judged_among, left_out
from apps.analysis.gates.policies.suggesting import ended_runs, run_choices
from apps.analysis.models import GateDecision, GatePolicy
from apps.analysis.models.gates import Answer
from apps.runs.models import Run

REASON = forms.Textarea(attrs={"rows": 3})
CHOOSE = ("", "Choose a run")


class RunsForm(forms.Form):
    """A form that offers runs which have ended: of the policy's dataset, that the person sees."""

    has_runs: bool

    def __init__(self, policy: GatePolicy, user: User, *args: object, **more: object) -> None:
        super().__init__(*args, **more)  # type: ignore[arg-type]
        self._runs = {run.pk: run for run in ended_runs(user, policy.workspace, policy.dataset)}

    def offer(self, name: str, first: tuple[str, str], runs: Iterable[Run]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [first, *run_choices(runs)]

    @property
    def ended(self) -> Collection[Run]:
        return self._runs.values()

    @property
    def comparable(self) -> list[Run]:
        """Those that later ones can be held against."""
        judged = judged_among(self.ended)
        return [
            run
            for run in self.ended
            if run.state not in UNFIT and run.pk in judged and not left_out(run)
        ]

    def chosen(self, name: str) -> Run | None:
        return self._runs.get(self.cleaned_data.get(name) or "")


class AskForm(RunsForm):
    run = forms.ChoiceField(label="Run", help_text="That is to be released.")
    baseline = forms.ChoiceField(
        label="Compared with", required=False, help_text="For this once, in the baseline's place."
    )
    change_id = forms.CharField(
        label="Change",
        required=False,
        max_length=LONGEST_CHANGE,
        help_text="What is released: a commit, a ticket, a version. Else the run names it.",
    )

    def __init__(self, policy: GatePolicy, user: User, *args: object, **more: object) -> None:
        super().__init__(policy, user, *args, **more)
        self.has_runs = bool(self.ended)
        self.offer("run", CHOOSE, self.ended)
        self.offer("baseline", ("", "The approved baseline"), self.comparable)


class BaselineForm(RunsForm):
    run = forms.ChoiceField(label="Run", help_text="What later runs are compared with.")
    reason = forms.CharField(
        label="Why this one",
        widget=REASON,
        max_length=MOST_REASON,
        help_text="It stays in the history.",
    )

    def __init__(
        self, policy: GatePolicy, user: User, *args: object, now: str | None, **more: object
    ) -> None:
        super().__init__(policy, user, *args, **more)
        others = [run for run in self.comparable if run.pk != now]
        self.has_runs = bool(others)
        self.offer("run", CHOOSE, others)


class OverrideForm(forms.Form):
    """It carries the override that the person has seen, which theirs replaces."""

    replaces = forms.IntegerField(widget=forms.HiddenInput, min_value=0, required=False)
    answer = forms.ChoiceField(label="What counts instead")
    reason = forms.CharField(
        label="Why",
        widget=REASON,
        max_length=MOST_REASON,
        help_text="With your name it stays with the decision, and whoever is told of it reads it.",
    )

    def __init__(self, decision: GateDecision, data: Mapping[str, Any] | None = None) -> None:
        stands = current_override(decision)
        super().__init__(data, initial={"replaces": stands.seq if stands else 0})
        own = f"{Answer(decision.answer).label}: the gate's own, the override is taken back"
        may_take_back = stands is not None and not takes_back(stands)
        field = self.fields["answer"]
        assert isinstance(field, forms.ChoiceField)
        others = [(each.value, each.label) for each in Answer if each.value != decision.answer]
        offered = [("", "Choose an answer"), *others]
        field.choices = [*offered, (decision.answer, own)]
        if not may_take_back:
            field.widget.choices = offered

    def clean_replaces(self) -> int:
        return self.cleaned_data["replaces"] or 0

    def anew(self, decision: GateDecision) -> "OverrideForm":
        """With what the person wrote, over the override that stands now."""
        said = {name: self.data.get(name) for name in ("answer", "reason")}
        made = OverrideForm(decision, {**said, **OverrideForm(decision).initial})
        made.full_clean()
        return made
