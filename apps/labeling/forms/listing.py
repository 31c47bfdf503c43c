"""The filter of the list."""

from django import forms

from apps.labeling.models import Campaign
from apps.labeling.progress import IMPORTED, CampaignFilter

_STATES = [("", "Any state"), *((each.value, each.label) for each in Campaign.State)]
_STATES.append((IMPORTED, "Imported labels"))


class CampaignFilterForm(forms.Form):
    state = forms.ChoiceField(choices=_STATES, required=False)
    mine = forms.BooleanField(required=False, label="Mine")
    archived = forms.BooleanField(required=False, label="Archived")

    def wanted(self) -> CampaignFilter:
        """The filter; a value that nobody could have chosen counts as not given."""
        self.is_valid()
        given = {name: value for name, value in self.cleaned_data.items() if value}
        return CampaignFilter.model_validate(given)
