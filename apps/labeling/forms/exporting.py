"""Which labels leave, and in which form."""

from django import forms

from apps.labeling.models import Export

FORMS = {
    Export.Form.LABELS: "Labels: one row for each label, in the package contracts' five columns",
    Export.Form.TASKS: "Tasks: a file a task, a row a response, with texts and constraints",
    Export.Form.LINES: "Lines: a JSON object a label, with its history and settlement",
    Export.Form.TRAINING: "Training: the settled or agreed answer to each question, once",
}


class ExportForm(forms.Form):
    form = forms.ChoiceField(
        choices=[(form.value, title) for form, title in FORMS.items()],
        initial=Export.Form.LABELS,
        widget=forms.RadioSelect,
        label="What the files hold",
        error_messages={"invalid_choice": "Choose one of the forms."},
    )
    include_discarded = forms.BooleanField(
        required=False,
        label="Discards too",
        help_text="Who could not answer, with their reason. Training has none.",
    )
