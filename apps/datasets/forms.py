"""What people fill in to upload a dataset, to go on with an upload, and to search."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, TypeAlias, cast

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict

from apps.accounts.models import Workspace

from . import formats, queries
from .bundles import normal_path
from .contracts import Options
from .queries import DatasetFilter, RecordFilter
from .reading import MAX_BYTES
from .uploads import LONGEST_PATH, require_name, require_options

TOO_LARGE = "The files are larger than 100 MB: split the dataset and upload its parts."
TOO_MANY = "More than 500 files at once: send those that go with the main file as a zip."
DETECT = ("", "Detect it from the file")
NOTHING = ("", "Nothing: it is a dataset of its own")
LONGEST_PATHS = 500 * (LONGEST_PATH + 4)
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
    format = forms.ChoiceField(label="Format", required=False, widget=HintedSelect)
    name = forms.CharField(
        label="Dataset name",
        required=False,
        max_length=128,
        help_text="Where the version goes; what the file calls itself when this is empty.",
    )
    label = forms.CharField(
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
            bundle = _bundle(given["file"], given["beside"], given["paths"])
            given["main_path"], given["bundle"] = bundle
        return given

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


def placed(name: str, paths: Sequence[str]) -> str:
    """Where the main file stands in the bundle: in the one folder that was sent along, if it is
    one, so that what it refers to is found from there."""
    tops = {path.split("/")[0] for path in paths if "/" in path}
    return f"{tops.pop()}/{name}" if len(tops) == 1 else name


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


def _bundle(
    main: UploadedFile[Any], files: Files, paths: str
) -> tuple[str, dict[str, UploadedFile[Any]]]:
    """The main file's path and the others by theirs. The main file that is in the folder too
    stands where it was found there."""
    named = zip(_paths_of(files, paths), files, strict=True)
    beside = {path: file for path, file in named if not _is_hidden(path)}
    name = str(main.name)
    for path, file in beside.items():
        if PurePosixPath(path).name == name and _same(file, main):
            del beside[path]
            return path, beside
    return placed(name, list(beside)), beside


def _paths_of(files: Files, paths: str) -> list[str]:
    """As the browser tells them; the names alone where it runs no script."""
    names = [str(file.name) for file in files]
    told = _told(paths)
    if len(told) == len(files):
        names = [normal_path(path) or name for path, name in zip(told, names, strict=True)]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated:
        raise ValidationError({"beside": f"{repeated[:200]} is there twice."})
    return names


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


def _told(paths: str) -> list[str]:
    try:
        told = json.loads(paths or "[]")
    except (ValueError, RecursionError):
        return []
    return told if isinstance(told, list) and all(isinstance(path, str) for path in told) else []


def _same(one: UploadedFile[Any], other: UploadedFile[Any]) -> bool:
    if one.size != other.size:
        return False
    same = all(left == right for left, right in zip(one.chunks(), other.chunks(), strict=True))
    for file in (one, other):
        file.seek(0)
    return same
