"""What people fill in to upload a dataset and to search."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict

from . import formats
from .contracts import Options
from .queries import DatasetFilter, RecordFilter
from .reading import MAX_BYTES
from .uploads import require_name

TOO_LARGE = "The file is larger than 100 MB: split the dataset and upload its parts."
DETECT = ("", "Detect it from the file")


class UploadForm(forms.Form):
    file = forms.FileField(label="Dataset file")
    format = forms.ChoiceField(label="Format", required=False)
    name = forms.CharField(
        label="Dataset name",
        required=False,
        max_length=128,
        help_text="Where the version goes; the dataset_id in the file when this is empty.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        known = [(dialect.id, dialect.title) for dialect in formats.FORMATS.values()]
        field = self.fields["format"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [DETECT, *known]

    def clean_file(self) -> UploadedFile[Any]:
        file: UploadedFile[Any] = self.cleaned_data["file"]
        if (file.size or 0) > MAX_BYTES:
            raise ValidationError(TOO_LARGE)
        return file

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        require_name(name)
        return name

    @property
    def options(self) -> Options:
        given = self.cleaned_data
        return Options(format=given["format"], dataset_name=given["name"])


def dataset_filter(query: MultiValueDict[str, str]) -> DatasetFilter:
    return DatasetFilter(q=query.get("q") or "", archived=query.get("archived") == "yes")


def record_filter(query: MultiValueDict[str, str]) -> RecordFilter:
    return RecordFilter(q=query.get("q") or "", facets=tuple(query.getlist("facet")))
