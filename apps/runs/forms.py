"""What people fill in: starting a run, filtering runs and results."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, cast
from uuid import uuid4

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import OuterRef, Subquery

from apps.accounts.models import User, Workspace
from apps.datasets.models import DatasetVersion
from apps.fields import NameInput
from apps.grading.models import ContractVersion
from apps.targets.queries import current_versions
from apps.targets.specs import RecordedSpec

from .beginning import answering
from .beginning.starting import Order, order_for
from .contracts import MOST_TRIALS, StartOptions
from .models import Run, RunState
from .queries.bringing import Brought, brought_by
from .queries.listing import UNDER_WAY, RunFilter

MOST = 500
"""Dataset versions that the form offers, the newest first."""
NO_CONTRACT = "None: the rules that came with the data decide, where there are any"
_STATES = [("", "Any state"), (UNDER_WAY, "Under way")]
_STATES += [(state.value, state.value.replace("_", " ").capitalize()) for state in RunState]


class PickField(forms.TypedChoiceField):
    """A choice among things that were fetched once; the form's value is the thing itself."""

    def offer(self, things: Mapping[str, Any], labels: Iterable[str], nothing: str) -> None:
        self.coerce = things.__getitem__
        self.empty_value = None
        self.choices = [("", nothing), *zip(things, labels, strict=True)]


class StartForm(forms.Form):
    """An order for a run; which of judge and answers it needs follows from what is chosen."""

    version = PickField(label="Dataset version")
    target = PickField(label="Target")
    contract = PickField(label="Grading contract", required=False)
    judge = PickField(
        label="Judge",
        required=False,
        help_text="The target that the contract's judge rules ask.",
    )
    answers = forms.FileField(
        label="Answers file",
        required=False,
        help_text="JSON Lines, each {“record_id”: …, “response”: …}; or prefilled responses, each "
        "{“example_id”: …, “candidate_name”: …, “response_text”: …}.",
    )
    candidate = forms.CharField(
        max_length=200,
        required=False,
        label="Candidate",
        help_text="Whose answers the run takes, where the file has those of several.",
    )
    name = NameInput(
        max_length=200, required=False, help_text="Shown in every table; empty: the dataset's."
    )
    note = forms.CharField(
        max_length=10_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Why this run, what is new.",
    )
    pilot = forms.BooleanField(
        required=False,
        label="Pilot",
        help_text="Only the first 10 records, to see that all is set up.",
    )
    trials = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MOST_TRIALS,
        initial=1,
        label="Trials",
        help_text="How often each record is tried; several show which records are flaky.",
    )
    cost_cap = forms.FloatField(
        required=False,
        label="Cost cap",
        help_text="Nothing more is asked once the calls have cost this much, "
        "in the currency of the target.",
    )
    idempotency_key = forms.CharField(
        max_length=128, required=False, widget=forms.HiddenInput, initial=lambda: uuid4().hex
    )

    def __init__(self, *args: Any, workspace: Workspace, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.workspace, self.user = workspace, user
        self._offer_versions()
        self._offer_targets()
        self._offer_contracts(self.initial.get("contract"))

    @cached_property
    def asks_judge(self) -> bool:
        """Whether the chosen contract has a rule that asks the judge named for the run."""
        contract = self._chosen("contract")
        return contract is not None and any(
            "" in rule.judge_names for rule in contract.parsed.judge_rules
        )

    @cached_property
    def brought(self) -> Brought:
        """The rules that come with the chosen dataset, where they count."""
        version, contract = self._chosen("version"), self._chosen("contract")
        ignored = contract is not None and contract.parsed.data_rules == "ignore"
        return Brought() if version is None or ignored else brought_by(version)

    @property
    def may_ask_judge(self) -> bool:
        """Whether a judge can be named: rules of the data go without a score where none is."""
        return self.asks_judge or bool(self.brought.asking)

    @cached_property
    def needs_answers(self) -> bool:
        """Whether the chosen target takes its answers from a file."""
        spec = self.target_spec()
        return isinstance(spec, RecordedSpec) and spec.source == "answers"

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if self.asks_judge and not cleaned.get("judge") and "judge" not in self.errors:
            self.add_error("judge", "This contract asks a judge: choose the target that judges.")
        if self.needs_answers and not cleaned.get("answers") and "answers" not in self.errors:
            self.add_error("answers", "This target takes its answers from a file: give one.")
        self._check_answers(cleaned)
        return cleaned

    def clean_answers(self) -> Any:
        file = self.cleaned_data["answers"] if self.needs_answers else None
        if file is not None and file.size > answering.MOST_BYTES:
            raise ValidationError(f"The file has {file.size:,} bytes; the limit is 100 MB.")
        return file

    def clean_cost_cap(self) -> float | None:
        cap: float | None = self.cleaned_data["cost_cap"]
        if cap is not None and cap <= 0:
            raise ValidationError("Give an amount above 0, or leave it empty for no cap.")
        return cap

    def target_spec(self) -> Any:
        """The spec of the chosen target, or None."""
        target = self._chosen("target")
        return self._specs[target.pk] if target else None

    def order(self, **more: Any) -> Order:
        """What the form asks for; ValidationError where it does not fit together."""
        values = self.cleaned_data
        return order_for(
            workspace=self.workspace,
            version=values["version"],
            target=values["target"],
            contract=values.get("contract"),
            judge=values.get("judge"),
            by=self.user,
            options=StartOptions(
                name=values.get("name", ""),
                note=values.get("note", ""),
                pilot=values.get("pilot", False),
                trials=values.get("trials") or 1,
                cost_cap=values.get("cost_cap"),
                idempotency_key=values.get("idempotency_key") or None,
            ),
            **more,
        )

    def order_so_far(self) -> Order | None:
        """What the choices so far would run, valid or not; None until version and target stand."""
        version, target = self._chosen("version"), self._chosen("target")
        if version is None or target is None:
            return None
        contract, judge = self._chosen("contract"), self._chosen("judge")
        options = StartOptions(
            pilot=bool(self["pilot"].value()), trials=self._chosen("trials") or 1
        )
        parts = {"workspace": self.workspace, "version": version, "contract": contract}
        try:
            return order_for(**parts, target=target, judge=judge, options=options)
        except ValidationError:  # the judge is still to be chosen
            return Order(**parts, target=target.current, options=options)

    def _check_answers(self, cleaned: dict[str, Any]) -> None:
        file, version = cleaned.get("answers"), cleaned.get("version")
        if file is None or version is None:
            return
        pilot, candidate = bool(cleaned.get("pilot")), cleaned.get("candidate", "")
        try:
            answering.check_answers(
                file.read(), version, candidate=candidate, pilot=pilot, name=file.name or ""
            )
        except ValidationError as error:
            self.add_error("answers", error)
        file.seek(0)

    def _offer_versions(self) -> None:
        visible = DatasetVersion.objects.visible_to(self.user).filter(
            dataset__workspace=self.workspace, dataset__archived_at=None
        )
        versions = {
            each.pk: each for each in visible.select_related("dataset").order_by("-pk")[:MOST]
        }
        labels = (f"{each} – {each.accepted:,} records" for each in versions.values())
        self._pick("version").offer(versions, labels, "Choose what is asked")

    def _offer_targets(self) -> None:
        """For both who answers and who judges."""
        current = current_versions(self.user, self.workspace).filter(target__archived_at=None)
        found = list(current)
        self._specs = {each.target_id: each.parsed for each in found}
        targets = {each.target_id: each.target for each in found}
        labels = [f"{target.name} – {target.label}" for target in targets.values()]
        self._pick("target").offer(targets, labels, "Choose who answers")
        self._pick("judge").offer(targets, labels, "Choose who judges")

    def _offer_contracts(self, also: str | None) -> None:
        contracts = {each.pk: each for each in contracts_on_offer(self.user, self.workspace, also)}
        labels = [contract_label(each) for each in contracts.values()]
        self._pick("contract").offer(contracts, labels, NO_CONTRACT)

    def _pick(self, name: str) -> PickField:
        return cast(PickField, self.fields[name])

    def _chosen(self, name: str) -> Any:
        """What a choice stands on now, valid or not yet checked."""
        field = self.fields[name]
        try:
            return field.clean(self[name].value())
        except ValidationError:
            return None


class RunFilterForm(forms.Form):
    state = forms.ChoiceField(choices=_STATES, required=False)
    dataset = forms.ChoiceField(required=False)
    target = forms.ChoiceField(required=False)
    mine = forms.BooleanField(required=False, label="Mine")
    archived = forms.BooleanField(required=False, label="Archived")

    def __init__(
        self, *args: Any, datasets: list[tuple[str, str]], targets: list[tuple[str, str]]
    ) -> None:
        super().__init__(*args)
        self.fields["dataset"] = forms.ChoiceField(
            choices=[("", "Any dataset"), *datasets], required=False
        )
        self.fields["target"] = forms.ChoiceField(
            choices=[("", "Any target"), *targets], required=False
        )

    def wanted(self) -> RunFilter:
        """The filter; a value that nobody could have chosen counts as not given."""
        self.is_valid()
        return RunFilter(**{name: value for name, value in self.cleaned_data.items() if value})


def initial_of(run: Run) -> dict[str, Any]:
    """The start form as this run was started; one query."""
    parties = list(run.targets.select_related("target_version"))
    judge = next((party for party in parties if party.role == "judge"), None)
    target = next(party for party in parties if party.role == "target")
    return {
        "version": run.dataset_version_id,
        "target": target.target_version.target_id,
        "contract": run.contract_version_id,
        "judge": judge.target_version.target_id if judge else None,
        "name": run.name,
        "note": run.note,
        "pilot": run.plan["settings"]["pilot"] is not None,
        "trials": run.trials,
        "cost_cap": run.cost_cap,
    }


def contract_label(version: ContractVersion) -> str:
    return f"{version}" if version.locked_at else f"{version} – draft, starting locks it"


def contracts_on_offer(user: User, workspace: Workspace, also: str | None) -> Any:
    """The latest version of each contract, and the one that a cloned run had."""
    newest = ContractVersion.objects.filter(contract=OuterRef("contract")).order_by("-number")
    mine = ContractVersion.objects.visible_to(user).filter(contract__workspace=workspace)
    latest = mine.filter(pk=Subquery(newest.values("pk")[:1]), contract__archived_at=None)
    offered = latest | mine.filter(pk=also) if also else latest
    return offered.select_related("contract").order_by("contract__name", "-number")
