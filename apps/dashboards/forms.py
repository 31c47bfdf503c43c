"""What people choose on pages that show several chapters."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion
from apps.runs.models import TERMINAL, Run
from apps.targets.models import Target
from apps.targets.queries import current_versions

from .trying import FIRST, MOST, Source

OFFERED = 50
"""Runs and dataset versions to choose from, the newest."""


class TryForm(forms.Form):
    """On which answers a contract is tried; `source` is the run or the dataset version."""

    source = forms.ChoiceField(
        label="Answers of", help_text="A run that has ended, or a dataset that came with answers."
    )
    records = forms.CharField(
        required=False,
        max_length=10_000,
        label="Records",
        widget=forms.Textarea(attrs={"rows": 2, "class": "mono", "spellcheck": "false"}),
        help_text=f"Ids, one a line or with commas, {MOST} at most; empty: the first {FIRST}.",
    )
    judge = forms.ChoiceField(
        required=False,
        label="Judge",
        help_text="Who is asked by rules that name no judge, when you press “Ask the judge”.",
    )

    def __init__(self, *args: Any, workspace: Workspace, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._sources = _sources(workspace, user)
        self._judges = _judges(workspace, user)
        self._field("source").choices = _grouped(self._sources)
        named = [(pk, target.name) for pk, target in self._judges.items()]
        self._field("judge").choices = [("", "Nobody chosen"), *named]
        if self._sources:
            self.initial.setdefault("source", next(iter(self._sources)))

    @property
    def offers_something(self) -> bool:
        return bool(self._sources)

    def clean_source(self) -> Source:
        return self._sources[self.cleaned_data["source"]]

    def clean_records(self) -> list[str]:
        ids = [each for each in re.split(r"[\s,]+", self.cleaned_data["records"]) if each]
        if len(ids) > MOST:
            raise ValidationError(f"These are {len(ids)} records; {MOST} at most.")
        return ids

    def clean_judge(self) -> Target | None:
        return self._judges.get(self.cleaned_data["judge"])

    def _field(self, name: str) -> forms.ChoiceField:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        return field


def _sources(workspace: Workspace, user: User) -> dict[str, Source]:
    runs = Run.objects.visible_to(user).active().filter(workspace=workspace, state__in=TERMINAL)
    shown = runs.select_related("dataset_version__dataset").order_by("-pk")[:OFFERED]
    versions = DatasetVersion.objects.visible_to(user).filter(
        dataset__workspace=workspace, dataset__archived_at=None
    )
    newest = versions.select_related("dataset").order_by("-pk")[:OFFERED]
    return {each.pk: each for each in (*shown, *newest)}


def _grouped(sources: dict[str, Source]) -> list[Any]:
    runs = [(pk, _named(each)) for pk, each in sources.items() if isinstance(each, Run)]
    versions = [(pk, str(each)) for pk, each in sources.items() if not isinstance(each, Run)]
    groups = [("Runs", runs), ("Datasets with answers", versions)]
    return [(label, choices) for label, choices in groups if choices]


def _named(run: Run) -> str:
    return f"{run.title}, {run.created_at:%d %b %Y %H:%M}"


def _judges(workspace: Workspace, user: User) -> dict[str, Target]:
    versions = current_versions(user, workspace).filter(target__archived_at=None)
    return {version.target_id: version.target for version in versions}
