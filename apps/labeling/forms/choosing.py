"""The first step of making a campaign: which answers are labelled, and what is asked of them."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion, Facet
from apps.fields import NameInput
from apps.labeling.making import own_questions
from apps.labeling.making.creating import ANSWERED_IN, LONGEST_GUIDELINES
from apps.labeling.plans import Asked
from apps.labeling.task_types import MAKERS
from apps.runs.models import Run
from apps.runs.queries import runs

OFFERED = 200
"""Runs and dataset versions to choose from, the newest."""

_TASKS: Mapping[str, str] = {
    "retrieval": "Retrieval: does each passage help to answer?",
    "grounding": "Grounding: is all that is claimed supported by the context?",
    "relevance": "Relevance: does the response answer the query?",
    "retrieval_full": "Retrieval, three questions about each passage",
    "grounding_full": "Grounding, five questions about support and sources",
    "generation": "Generation, five questions about the response",
    "rubric": "Checklist made from the record's criteria",
    "reference": "Answer against reference, from 1 to 5",
    "own": "Own questions",
}
_HOW = [
    ("all", "All answers"),
    ("random", "A random sample"),
    ("stratified", "A random sample of every slice"),
    ("disagreement", "Where judge and rule, or the judges, disagree"),
    ("low_confidence", "Where scores are nearest to their threshold"),
]


class ChoosingForm(forms.Form):
    name = NameInput(max_length=200, help_text="People see it in Argilla too.")
    source = forms.ChoiceField(
        label="Answers of",
        help_text="A run that has ended, or a dataset whose records came with answers.",
    )
    tasks = forms.MultipleChoiceField(
        choices=[(each, _TASKS[each]) for each in MAKERS],
        widget=forms.CheckboxSelectMultiple,
        help_text="Each is a queue of its own.",
    )
    own = forms.CharField(
        required=False,
        label="Own questions",
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 3, "class": "mono", "spellcheck": "false"}),
        help_text="One a line, like “helpful: Is it helpful? [yes/no]”; the kinds are "
        f"{own_questions.SHAPES}.",
    )
    guidelines = forms.CharField(
        required=False,
        max_length=LONGEST_GUIDELINES,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="Markdown; people read it beside their queue.",
    )
    how = forms.ChoiceField(choices=_HOW, initial="all", label="Sample")
    size = forms.IntegerField(required=False, min_value=1, max_value=50_000, label="How many")
    family = forms.CharField(required=False, max_length=80, label="Slices by", widget=forms.Select)
    gold = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=500,
        initial=0,
        label="Hidden gold items",
        help_text="Their answer is known; they look like all others.",
    )
    seed = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        initial=0,
        help_text="The same seed draws the same sample.",
    )
    language = forms.ChoiceField(choices=[("en", "English"), ("de", "German")])

    def __init__(self, *args: Any, workspace: Workspace, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.workspace, self.user = workspace, user
        self._name_its_run()
        cast(forms.ChoiceField, self.fields["source"]).choices = self._sources_offered()
        families = [(each, each) for each in self.families]
        self.fields["family"].widget.choices = [("", "Choose slices"), *families]

    @cached_property
    def source_so_far(self) -> Run | DatasetVersion | None:
        """What is chosen now, valid or not yet checked."""
        return self._sources.get(str(self["source"].value() or ""))

    @cached_property
    def families(self) -> list[str]:
        """The slice families of what is chosen."""
        source = self.source_so_far
        if source is None:
            return []
        version = source.dataset_version_id if isinstance(source, Run) else source.pk
        found = Facet.objects.filter(version=version).values_list("family", flat=True)
        return list(found.order_by("family").distinct())

    @property
    def wants_size(self) -> bool:
        return self._how != "all" or bool(self["size"].errors)

    @property
    def wants_family(self) -> bool:
        return self._how == "stratified" or bool(self["family"].errors)

    @property
    def is_chosen(self) -> bool:
        return self._how in ("disagreement", "low_confidence")

    def clean_own(self) -> tuple[Asked, ...]:
        try:
            return own_questions.read(self.cleaned_data["own"])
        except ValueError as error:
            raise ValidationError(str(error)) from None

    def clean_source(self) -> Run | DatasetVersion:
        return self._sources[self.cleaned_data["source"]]

    @property
    def _how(self) -> str:
        return str(self["how"].value() or "all")

    @cached_property
    def _sources(self) -> dict[str, Run | DatasetVersion]:
        """Runs, and dataset versions whose answers are no run yet; the one that is named too."""
        ended = runs(self.user, self.workspace).filter(state__in=ANSWERED_IN)
        versions = DatasetVersion.objects.visible_to(self.user).filter(
            dataset__workspace=self.workspace, dataset__archived_at=None
        )
        came_along = versions.exclude(format="contract_v1").exclude(runs__kind=Run.Kind.RECORDED)
        newest = came_along.select_related("dataset").order_by("-pk")[:OFFERED]
        named = ended.filter(pk=str(self["source"].value() or ""))
        found = (*named, *ended.active().order_by("-pk")[:OFFERED], *newest)
        return {each.pk: each for each in found}

    def _name_its_run(self) -> None:
        """Where a dataset version is named whose answers are a run already, that run."""
        named = str(self.initial.get("source", ""))
        recorded = runs(self.user, self.workspace).filter(kind=Run.Kind.RECORDED)
        if found := recorded.filter(dataset_version=named).values_list("pk", flat=True).first():
            self.initial["source"] = found

    def _sources_offered(self) -> list[Any]:
        sources = self._sources.items()
        runs_ = [(pk, _named(each)) for pk, each in sources if isinstance(each, Run)]
        versions = [(pk, str(each)) for pk, each in sources if not isinstance(each, Run)]
        groups = [("Runs", runs_), ("Datasets with answers of their own", versions)]
        return [("", "Choose the answers"), *((name, each) for name, each in groups if each)]


def _named(run: Run) -> str:
    about = f" ({run.dataset_version})" if run.name else ""
    return f"{run.title}{about}, {run.created_at:%d %b %Y %H:%M}"
