"""A contract from a starter, from a file or from a text."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile

from apps.fields import NameInput
from apps.grading.reading.texts import MAX_CHARACTERS
from apps.grading.services import MAX_NAME
from apps.grading.starters import STARTERS, starter_spec

MAX_FILE_BYTES = 4 * MAX_CHARACTERS
_EDITOR = forms.Textarea(attrs={"rows": 24, "class": "mono", "spellcheck": "false"})


class StarterForm(forms.Form):
    name = NameInput(max_length=MAX_NAME, help_text="What runs and pages call it.")
    starter = forms.ChoiceField(
        label="Start from",
        choices=[(name, starter_spec(name).description) for name in STARTERS],
        initial=STARTERS[0],
        widget=forms.RadioSelect,
    )


class ImportForm(forms.Form):
    """`text` is what was pasted, or what the file holds."""

    file = forms.FileField(required=False, help_text="YAML or JSON, as an export of a contract.")
    text = forms.CharField(
        label="Or its text", required=False, widget=_EDITOR, help_text="YAML or JSON."
    )
    name = NameInput(
        max_length=MAX_NAME,
        required=False,
        help_text="Needed where the text has no name. The name of a contract that is here already "
        "gives that one its next version.",
    )
    replace_draft = forms.BooleanField(
        required=False,
        label="Replace a draft",
        help_text="Where the latest version is a draft that no run has used, it is lost.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        file = cleaned.get("file")
        if file:
            cleaned["text"] = _text_of(file)
        elif not cleaned.get("text") and not self.errors:
            self.add_error("text", "Choose a file or paste the text of a contract.")
        return cleaned


def _text_of(file: "UploadedFile[bytes]") -> str:
    if (file.size or 0) > MAX_FILE_BYTES:
        raise ValidationError({"file": f"A contract has at most {MAX_CHARACTERS:,} characters."})
    try:
        return str(file.read(), "utf-8-sig")
    except UnicodeDecodeError:
        raise ValidationError({"file": "This file is not text in UTF-8."}) from None
