"""Saying what went wrong in a result: one POST, and what the page of the result shows of it."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone

from apps.accounts.doors import WorkspaceRequest, door
from apps.accounts.models import Workspace
from apps.accounts.permissions import Permission
from apps.grading.attribution import in_words
from apps.grading.subjects import VerifierOutput
from apps.runs.label_form import LabelForm
from apps.runs.labels import label_again, label_failure, withdraw_label
from apps.runs.models import FailureLabel, Result, Run
from apps.runs.queries import Shown
from apps.runs.queries.labels import Labels, labels_of
from apps.runs.telling.verified import AGENTS, came_along, verified
from apps.web.rendering import render_page

from .fetching import get_run, number_in


@door(POST=Permission.LABEL_FAILURES)
def label(
    request: WorkspaceRequest, workspace: Workspace, run_id: str, ordinal: int
) -> HttpResponse:
    """Label the result, go back to an earlier label (`again`), or take the label away."""
    run = get_run(request, workspace, run_id)
    result = _result(run, ordinal, number_in(request, "trial", 0))
    form = LabelForm(request.POST)
    by, now = request.user, timezone.now()
    if "withdraw" in request.POST:
        withdraw_label(result, by=by)
    elif "again" in request.POST:
        label_again(_earlier(result, request.POST["again"]), by=by, now=now)
    elif form.is_valid():
        label_failure(result, form.said, by=by, now=now)
    else:
        return _answer(request, run, result, form)
    return _answer(request, run, result, None)


def beside(run: Run, found: Shown) -> dict[str, Any]:
    """The labels of a shown result and EvalHub's verifier output; one query."""
    if found.result is None:
        return {}
    labels = labels_of(found.result, [line.score for line in found.scores])
    verifier = _verifier(run, found, labels)
    return {
        **_labels(run, found.result, labels, None),
        "verifier": verifier,
        "put_down_to": in_words(verifier.failure_attribution) if verifier else "",
    }


def _labels(run: Run, result: Result, labels: Labels, form: LabelForm | None) -> dict[str, Any]:
    return {
        "labels": labels,
        "label_form": form or LabelForm.of(_present(labels), labels.proposal),
        "label_address": _address("runs:label", run, result),
        "record_address": _address("runs:record", run, result),
    }


def _answer(
    request: WorkspaceRequest, run: Run, result: Result, form: LabelForm | None
) -> HttpResponse:
    """The labels alone for the panel, else the page of the result."""
    if request.htmx or form is not None:
        labels = labels_of(result, result.scores.all())
        context = _labels(run, result, labels, form)
        return render_page(
            request, "runs/label.html", fragment="labels", run=run, result=result, **context
        )
    messages.success(request, "Kept: what was said before stays in the history.")
    return redirect(_address("runs:record", run, result))


def _address(name: str, run: Run, result: Result) -> str:
    address = reverse(name, args=[run.workspace.slug, run.pk, result.ordinal])
    return f"{address}?trial={result.trial}" if result.trial else address


def _verifier(run: Run, found: Shown, labels: Labels) -> VerifierOutput | None:
    """None where it would say nothing."""
    result, record = found.result, found.record
    if result is None:
        return None
    present = _present(labels)
    output = verified(
        run,
        process_score=result.process_score,
        outcome_score=result.outcome_score,
        raws=(line.score.raw for line in found.scores),
        payload=record.payload if record.kind in AGENTS and came_along(run) else None,
        attribution=present.attribution if present else "",
    )
    scores = (output.process_score, output.outcome_score)
    says = output.failure_attribution or output.verifier_evidence_refs
    return output if says or scores != (None, None) else None


def _present(labels: Labels) -> FailureLabel | None:
    return labels.present.label if labels.present else None


def _result(run: Run, ordinal: int, trial: int) -> Result:
    found = Result.objects.select_related("run__workspace", "record").defer("record__payload")
    result: Result = get_object_or_404(found, run=run, ordinal=ordinal, trial=trial)
    return result


def _earlier(result: Result, seq: str) -> FailureLabel:
    if not seq.isdecimal() or len(seq) > 6:
        raise Http404(f"There is no label {seq[:20]}.")
    rows = result.failure_labels.select_related("result__run__workspace")
    label: FailureLabel = get_object_or_404(rows, seq=int(seq))
    return label
