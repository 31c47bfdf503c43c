"""Making a campaign: of which answers, by whom, and what becomes of their labels."""

from collections.abc import Mapping
from typing import Any

import pydantic
from django import forms
from django.core.exceptions import ValidationError

from apps.accounts.models import User, Workspace
from apps.labeling.making import own_questions
from apps.labeling.making.naming import complaints
from apps.labeling.members.blinding import sighted
from apps.labeling.plans import Asked, Plan, Sample
from apps.labeling.task_types.full import GROUNDING_CONSTRAINTS, RETRIEVAL_CONSTRAINTS

from .choosing import ChoosingForm
from .missing import missing_of
from .people import UsersField, offer_members

_SEVERITIES = [("block", "Must be mended"), ("warn", "Is pointed out"), ("off", "Is allowed")]


class CampaignForm(ChoosingForm):
    people = UsersField(
        label="Who labels",
        widget=forms.CheckboxSelectMultiple,
        help_text="Each gets an account in Argilla, made and kept for them.",
    )
    settlers = UsersField(
        required=False,
        label="Who settles disagreements",
        widget=forms.CheckboxSelectMultiple,
        help_text="Of those who label; leads may always.",
    )
    min_submitted = forms.IntegerField(
        min_value=1,
        max_value=20,
        initial=1,
        label="Answers each item waits for",
        help_text="From different people.",
    )
    calibration = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=10,
        label="Calibration share, in %",
        help_text="Items that everybody answers: agreement is measured by them.",
    )
    audit = forms.IntegerField(
        min_value=0,
        max_value=100,
        initial=0,
        label="Audit share, in %",
        help_text="Of what people agree on, reviewed all the same.",
    )
    consensus = forms.ChoiceField(
        choices=[
            ("majority", "The majority decides; a tie goes to review"),
            ("unanimity", "All must agree; else it goes to review"),
            ("adjudicated", "Whoever settles decides on every item"),
        ]
    )
    blind = forms.BooleanField(
        required=False,
        initial=True,
        label="Blind",
        help_text="Reviewers who label cannot open scores of these answers meanwhile.",
    )

    def __init__(self, *args: Any, workspace: Workspace, **kwargs: Any) -> None:
        super().__init__(*args, workspace=workspace, **kwargs)
        offer_members(self, workspace)
        self._offer_severities()

    @property
    def severities(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith("severity_")]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                self.plan = _plan_of(cleaned)
            except pydantic.ValidationError as error:
                self.explain(ValidationError(complaints(error)))
        return cleaned

    def explain(self, error: ValidationError) -> None:
        """What the service refused, at the field that it is about."""
        said = error.message_dict if hasattr(error, "error_dict") else {"": error.messages}
        for name, messages in said.items():
            field = {"run": "source"}.get(name, name)
            for message in messages:
                self.add_error(field if field in self.fields else None, message)

    def plan_so_far(self) -> Plan | None:
        """What the choices so far come to, as far as they can be read; None without a task."""
        try:
            return _plan_of(self._all_so_far())
        except (pydantic.ValidationError, TypeError):
            return None

    def missing_so_far(self) -> list[str]:
        """What keeps the choices so far from being counted, sentence by sentence."""
        values = self._all_so_far()
        answers = self.source_so_far is not None
        own = str(self["own"].value() or "")
        found = missing_of(values, answers=answers, own=own, size=self._wrong_size())
        return found or _clashes(values)

    def people_so_far(self) -> int:
        return len(self._so_far("people") or ())

    def sighted_so_far(self) -> list[User]:
        """Who of them opens every score, though labelling is to be blind."""
        people = self._so_far("people") if self._so_far("blind") else ()
        return sighted(people, self.workspace) if people else []

    def _wrong_size(self) -> list[str]:
        """Why what was written as how many cannot be; empty where nothing was."""
        try:
            self.fields["size"].clean(self["size"].value())
        except ValidationError as error:
            return [f"How many: {told}" for told in error.messages]
        return []

    def _all_so_far(self) -> dict[str, Any]:
        return {name: self._so_far(name) for name in self.fields}

    def _so_far(self, name: str) -> Any:
        if name == "own":
            return self._own_so_far()
        try:
            return self.fields[name].clean(self[name].value())
        except ValidationError:
            return self.fields[name].initial

    def _own_so_far(self) -> tuple[Asked, ...]:
        try:
            return own_questions.read(str(self["own"].value() or ""))
        except ValueError:
            return ()

    def _offer_severities(self) -> None:
        for constraint in (*RETRIEVAL_CONSTRAINTS, *GROUNDING_CONSTRAINTS):
            name = constraint.id.replace("_", " ").capitalize()
            self.fields[f"severity_{constraint.id}"] = forms.ChoiceField(
                choices=_SEVERITIES, initial=constraint.severity, required=False, label=name
            )


def _plan_of(values: Mapping[str, Any]) -> Plan:
    how = values["how"] or "all"
    severities = {
        name.removeprefix("severity_"): value
        for name, value in values.items()
        if name.startswith("severity_") and value
    }
    sample = Sample(
        how=how,
        size=values["size"] if how != "all" else None,
        family=(values["family"] or "") if how == "stratified" else "",
        seed=values["seed"] or 0,
        gold=values["gold"] or 0,
    )
    return Plan(
        tasks=tuple(values["tasks"] or ()),
        sample=sample,
        min_submitted=values["min_submitted"],
        calibration_share=values["calibration"] / 100,
        audit_share=values["audit"] / 100,
        language=values["language"] or "en",
        own=values["own"] or (),
        severities=severities,
    )


def _clashes(values: Mapping[str, Any]) -> list[str]:
    """What is there, but does not go together."""
    try:
        _plan_of(values)
    except pydantic.ValidationError as error:
        return [said for each in complaints(error).values() for said in each]
    return []
