"""The filter of a campaign's labels."""

from typing import Any

from django import forms

from apps.labeling.members.people import names_of
from apps.labeling.models import Campaign
from apps.labeling.said import STATES, SaidFilter, annotators_in, labels_in, questions_of

LONGEST = 80


class SaidFilterForm(forms.Form):
    task = forms.ChoiceField(required=False)
    question = forms.ChoiceField(required=False)
    label = forms.ChoiceField(required=False)
    annotator = forms.ChoiceField(required=False, label="Person")
    state = forms.ChoiceField(choices=[("", "Any state"), *STATES.items()], required=False)

    def __init__(self, data: Any, *, campaign: Campaign) -> None:
        super().__init__(data)
        questions = questions_of(campaign)
        tasks = dict.fromkeys(each.task_type for each in questions if each.task_type)
        self._offer("task", "Any task", [(each, each) for each in tasks])
        self._offer("question", "Any question", [(str(each.pk), str(each)) for each in questions])
        self._offer("label", "Any label", [(each, each) for each in labels_in(campaign)])
        annotators = annotators_in(campaign)
        names = names_of(annotators, campaign)
        people = [(each, names.get(each, each)) for each in annotators]
        self._offer("annotator", "Anybody", people)

    def wanted(self) -> SaidFilter:
        """The filter; a value that nobody could have chosen counts as not given."""
        self.is_valid()
        return SaidFilter(**{name: text for name, text in self.cleaned_data.items() if text})

    def _offer(self, name: str, nothing: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", nothing), *((value, text[:LONGEST]) for value, text in choices)]
