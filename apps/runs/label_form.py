"""What people fill in to say what went wrong."""

from typing import Any

from django import forms

from apps.grading.attribution import ATTRIBUTIONS, in_words

from .labels import LONGEST_NOTE, NO_ATTRIBUTION, NO_FAILURE, Said, in_order, said_by
from .models import FailureLabel
from .proposing import Proposal
from .queries.labels import TITLES


class LabelForm(forms.Form):
    """`said` holds the label once the form is valid."""

    primary = forms.ChoiceField(
        label="What went wrong",
        choices=[("", "Choose…"), *TITLES.items()],
        help_text="The one thing that explains the failure best.",
        error_messages={"invalid_choice": f"%(value)s {NO_FAILURE}"},
    )
    secondary = forms.MultipleChoiceField(
        label="And also",
        choices=[*TITLES.items()],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": f"%(value)s {NO_FAILURE}"},
    )
    attribution = forms.ChoiceField(
        label="What it is put down to",
        choices=[("", "Nothing named"), *((word, in_words(word)) for word in ATTRIBUTIONS)],
        required=False,
        error_messages={"invalid_choice": f"%(value)s {NO_ATTRIBUTION}"},
    )
    note = forms.CharField(
        required=False,
        max_length=LONGEST_NOTE,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="For those who read it later.",
    )

    @classmethod
    def of(cls, present: FailureLabel | None, proposal: Proposal | None) -> "LabelForm":
        """As the label that stands, else as what is proposed."""
        if present is not None:
            return cls(initial=said_by(present).model_dump())
        if proposal is not None:
            return cls(initial={"primary": proposal.primary, "secondary": proposal.secondary})
        return cls()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("primary") and cleaned["primary"] in cleaned.get("secondary", ()):
            self.add_error("secondary", "This is what went wrong already: leave it out here.")
        return cleaned

    @property
    def said(self) -> Said:
        cleaned = self.cleaned_data
        return Said(
            primary=cleaned["primary"],
            secondary=in_order(cleaned["secondary"]),
            attribution=cleaned["attribution"],
            note=cleaned["note"].strip(),
        )
