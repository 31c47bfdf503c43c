"""Grading the answers of a run again: the form with its estimate."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.fields import NameInput
from apps.runs.beginning.estimating import SAMPLE, estimate
from apps.runs.beginning.regrading import Regrade, check_parent, order_so_far
from apps.runs.beginning.regrading import regrade as start_regrade
from apps.runs.forms import PickField, contract_label, contracts_on_offer
from apps.runs.models import Run
from apps.runs.queries import counts_of
from apps.targets.queries import current_versions
from apps.web.rendering import render_page

from .detail import head
from .fetching import get_run

OF_THE_DATA = "None: only the rules that came with the data count"
SAME_JUDGE = "The judge of this run"


class RegradeForm(forms.Form):
    """By what the answers are judged now."""

    contract = PickField(label="Grading contract", required=False)
    judge = PickField(
        label="Judge",
        required=False,
        help_text="Who is asked where rules ask a judge. What a judge at temperature 0 has said to "
        "the same request is not asked again.",
    )
    name = NameInput(
        max_length=200,
        required=False,
        help_text="Shown in every table; empty: this run's, and by what it is graded.",
    )

    def __init__(self, *args: Any, run: Run, request: WorkspaceRequest, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._run, self._request = run, request
        found = contracts_on_offer(request.user, run.workspace, run.contract_version_id)
        contracts = {each.pk: each for each in found}
        self._pick("contract").offer(
            contracts, [contract_label(each) for each in contracts.values()], OF_THE_DATA
        )
        current = current_versions(request.user, run.workspace).filter(target__archived_at=None)
        judges = {each.target_id: each.target for each in current}
        labels = [f"{target.name} – {target.label}" for target in judges.values()]
        self._pick("judge").offer(judges, labels, SAME_JUDGE)

    def wanted(self) -> Regrade:
        """What the choices stand on now."""
        return Regrade(
            parent=self._run,
            contract=self._chosen("contract"),
            judge=self._chosen("judge"),
            name=self._chosen("name") or "",
            by=self._request.user,
            request_id=self._request.request_id,
        )

    def _pick(self, name: str) -> PickField:
        field = self.fields[name]
        assert isinstance(field, PickField)
        return field

    def _chosen(self, name: str) -> Any:
        try:
            return self.fields[name].clean(self[name].value())
        except ValidationError:
            return None


@door(Permission.START_RUNS)
def regrade(request: WorkspaceRequest, workspace: Workspace, run_id: str) -> HttpResponse:
    """The button says what a POST is for: to start, or to estimate."""
    run = get_run(request, workspace, run_id)
    try:
        check_parent(run)
    except ValidationError as error:
        messages.error(request, error.messages[0])
        return redirect("runs:detail", slug=workspace.slug, run_id=run.pk)
    form = _form(request, run)
    if request.method == "POST" and form.is_bound and form.is_valid():
        try:
            child = start_regrade(form.wanted(), now=timezone.now())
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, "Started: the same answers are graded again.")
            return redirect("runs:detail", slug=workspace.slug, run_id=child.pk)
    return render_page(
        request,
        "runs/regrade.html",
        fragment="estimate",
        **head(run, counts_of(run), request.user),
        form=form,
        estimate=estimate(order_so_far(form.wanted())),
        sample=SAMPLE,
        regrades=True,
    )


def _form(request: WorkspaceRequest, run: Run) -> RegradeForm:
    """Bound only where it is to start: before that it is filled in, but not to be judged."""
    if request.method == "POST" and request.POST.get("action", "start") == "start":
        return RegradeForm(request.POST, run=run, request=request)
    chosen = request.POST.dict() or {"contract": run.contract_version_id}
    return RegradeForm(initial=chosen, run=run, request=request)
