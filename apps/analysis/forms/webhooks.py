"""An address to be told, and the variable that signs."""

from django import forms

from apps.targets.credentials import checked_variable


class VariableInput(forms.TextInput):
    """Shows a variable's name again and nothing else: somebody may have pasted the secret."""

    def format_value(self, value: object) -> str | None:
        try:
            return checked_variable(str(value or ""))
        except ValueError:
            return None


class WebhookForm(forms.Form):
    url = forms.CharField(
        label="Address",
        max_length=500,
        help_text="Where messages are posted, like https://ci.example.org/hooks/evalhub.",
        widget=forms.URLInput,
    )
    secret_name = forms.CharField(
        label="Signing variable",
        max_length=100,
        help_text="The name of an environment variable of this server that holds the signing "
        "secret, like RELEASES_SIGNING_KEY. Never the secret itself.",
        widget=VariableInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
