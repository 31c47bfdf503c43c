"""What people fill in to upload a dataset, to go on with an upload, and to search."""

from __future__ import annotations

from typing import Any, TypeAlias, cast

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict

from apps.accounts.models import Workspace
from apps.fields import NameInput

from . import formats, queries
from .contracts import Options
from .queries import DatasetFilter, RecordFilter
from .uploading.parts import MOST_FILES, parts_of
from .uploading.reading import MAX_BYTES
from .uploading.uploads import LONGEST_PATH, require_name, require_options

TOO_LARGE = "The files are larger than 100 MB: split the dataset and upload its parts."
DETECT = ("", "Detect it from the file")
NOTHING = ("", "Nothing: it is a dataset of its own")
LONGEST_PATHS = MOST_FILES * (LONGEST_PATH + 4)
PREVIEWED = 5

Files: TypeAlias = "list[UploadedFile[Any]]"


class SeveralFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Any number of files; an empty one is a file too."""

    widget = SeveralFiles

    def clean(self, data: Any, initial: Any = None) -> Files:
        return list(data) if isinstance(data, list | tuple) else [data] if data else []


class HintedSelect(forms.Select):
    """Each option has a sentence, which the script shows when it is chosen."""

    hints: dict[str, str] = {}

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        option["attrs"]["data-hint"] = self.hints.get(str(value), "")
        return option


class UploadForm(forms.Form):
    file = forms.FileField(label="Dataset file")
    beside = FilesField(label="Files that go with it", required=False)
    paths = forms.CharField(
        required=False, max_length=LONGEST_PATHS, widget=forms.HiddenInput, label="Their paths"
    )
    format = forms.ChoiceField(
        label="Format",
        required=False,
        widget=HintedSelect,
        help_text="By the file's ending and beginning, unless you choose.",
    )
    name = NameInput(
        label="Dataset name",
        required=False,
        max_length=128,
        help_text="Where the version goes; what the file calls itself when this is empty.",
    )
    label = NameInput(
        label="Version",
        required=False,
        max_length=64,
        help_text="What the file says when this is empty; the next number where it says nothing.",
    )
    on = forms.ChoiceField(
        label="Belongs to",
        required=False,
        help_text="For annotations, scores and results: the version that was answered.",
    )
    preview = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, workspace: Workspace, on: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _offer_formats(cast(forms.ChoiceField, self.fields["format"]))
        versions = queries.to_belong_to(workspace, self.data.get("on") or on)
        cast(forms.ChoiceField, self.fields["on"]).choices = [
            NOTHING,
            *((version.pk, str(version)) for version in versions),
        ]

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        require_name(name)
        return name

    def clean_label(self) -> str:
        label: str = self.cleaned_data["label"]
        require_options(Options(label=label))
        return label

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        sizes = [file.size or 0 for file in (given.get("file"), *given.get("beside", ())) if file]
        if sum(sizes) > MAX_BYTES:
            self.add_error("file", TOO_LARGE)
        if not self.errors:
            self._find_parts(given)
        return given

    def _find_parts(self, given: dict[str, Any]) -> None:
        try:
            given["parts"] = parts_of(given["file"], given["beside"], given["paths"])
        except ValidationError as error:
            self.add_error("beside", error)

    @property
    def options(self) -> Options:
        given = self.cleaned_data
        return Options(
            format=given["format"],
            dataset_name=given["name"],
            label=given["label"],
            on=given["on"],
            preview=PREVIEWED if given["preview"] else 0,
        )


class AgainForm(forms.Form):
    """How the same files are to be read once more."""

    valid_only = forms.BooleanField(required=False)
    preview = forms.IntegerField(required=False, min_value=0, max_value=PREVIEWED)
    main = forms.CharField(required=False, max_length=LONGEST_PATH)

    @property
    def changes(self) -> dict[str, Any]:
        """What the options become; a mapping only where one was sent."""
        given = self.cleaned_data
        changed: dict[str, Any] = {"preview": given["preview"] or 0}
        if given["valid_only"]:
            changed["valid_only"] = True
        if given["main"]:
            changed["main"] = given["main"]
        mapping = self._mapping()
        return changed if mapping is None else {**changed, "mapping": mapping}

    def _mapping(self) -> dict[str, str] | None:
        sent = {name[4:]: text for name, text in self.data.items() if name.startswith("map.")}
        if not sent:
            return None
        known = {field for dialect in formats.FORMATS.values() for field in dialect.columns}
        return {field: str(sent[field]) for field in sorted(known & sent.keys()) if sent[field]}


class VariableForm(forms.Form):
    name = forms.CharField(
        label="Name", max_length=80, help_text="Letters, digits and _, as in BASE_URL."
    )
    value = forms.CharField(
        label="Value",
        max_length=2_000,
        required=False,
        strip=False,
        help_text="Put in as it is; it may be empty.",
    )


def endings() -> str:
    """What a file chooser offers: the endings of every format, and of what packs them."""
    known = [ending for dialect in formats.FORMATS.values() for ending in dialect.endings]
    return ",".join(dict.fromkeys([*known, ".gz", ".zip"]))


def dataset_filter(query: MultiValueDict[str, str]) -> DatasetFilter:
    return DatasetFilter(q=query.get("q") or "", archived=query.get("archived") == "yes")


def record_filter(query: MultiValueDict[str, str]) -> RecordFilter:
    return RecordFilter(q=query.get("q") or "", facets=tuple(query.getlist("facet")))


def _offer_formats(field: forms.ChoiceField) -> None:
    known = formats.FORMATS.values()
    field.choices = [DETECT, *((dialect.id, dialect.title) for dialect in known)]
    cast(HintedSelect, field.widget).hints = {dialect.id: dialect.hint for dialect in known}
