"""An object behind every address with an id, and bodies where an empty one says too little.

When `test_permissions.py` names an address that lacks a sample, add it here: a function from the
workspace and the person who calls to the address's arguments (`slug` comes by itself).
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from apps.accounts import services
from apps.accounts.models import Membership, User, Workspace
from apps.accounts.permissions import Role
from apps.analysis.models import Calibration, GateDelivery, GateWebhook
from apps.datasets import variables
from apps.datasets.contracts import Options
from apps.datasets.formats import FORMATS
from apps.datasets.uploading import uploads
from apps.grading import services as grading
from apps.grading.starters import starter_spec
from apps.labeling.models import Assignment, Question, Review
from apps.labeling.settling.reviewing import answer_blind
from apps.runs.recorded.recording import recorded_run
from apps.targets import services as targets
from apps.targets.specs import parse_spec as parse_target_spec
from apps.traces.models import Trace
from tests.analysis.comparing import building as comparing
from tests.analysis.gates import building as gates
from tests.datasets import legal
from tests.datasets.documents import a_version, accepted, document, record
from tests.datasets.pairs import pairs_version
from tests.labeling import building as labeling
from tests.labeling import labelled
from tests.labeling.exported import exported
from tests.runs import building

Sample = Callable[[Workspace, User], dict[str, Any]]


def _another_member(workspace: Workspace, user: User) -> dict[str, Any]:
    other = User.objects.create_user("dora")
    member = Membership.objects.create(workspace=workspace, user=other, role=Role.REVIEWER)
    return {"membership_id": member.pk}


def _invitation(workspace: Workspace, user: User) -> dict[str, Any]:
    made = services.invite(
        workspace=workspace,
        email="dora@example.org",
        role=Role.LEAD,
        invited_by=user,
        now=timezone.now(),
    )
    return {"invitation_id": made.invitation.pk}


def _token(workspace: Workspace, user: User) -> dict[str, Any]:
    made = services.create_token(
        user=user,
        workspace=workspace,
        name="nightly",
        lifetime=timedelta(days=1),
        now=timezone.now(),
        actor=user,
    )
    return {"token_id": made.token.pk}


def _target(workspace: Workspace, user: User) -> dict[str, Any]:
    spec = parse_target_spec({"kind": "scripted"})
    made = targets.create_target(workspace=workspace, name="model", spec=spec, by=user)
    return {"target_id": made.pk}


def _dataset(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"dataset_id": a_version(workspace).dataset_id}


def _dataset_version(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"version_id": a_version(workspace).pk}


def _dataset_record(workspace: Workspace, user: User) -> dict[str, Any]:
    return {**_dataset_version(workspace, user), "ordinal": 0}


def _scenarios(workspace: Workspace, user: User) -> dict[str, Any]:
    upload = accepted(workspace, FORMATS["scenarios"].template)
    return {"version_id": upload.version_id}


def _trace(workspace: Workspace, user: User) -> dict[str, Any]:
    accepted(workspace, FORMATS["trace"].template, options=Options(format="trace"))
    return {"trace_id": Trace.objects.filter(workspace=workspace).values_list("pk", flat=True)[0]}


def _upload(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"upload_id": accepted(workspace).pk}


def _two_versions(workspace: Workspace, user: User) -> dict[str, Any]:
    old = a_version(workspace)
    new = a_version(workspace, document(record(0), record(1, tags=["new"]), dataset_version="2"))
    return {"dataset_id": old.dataset_id, "from_id": old.pk, "to_id": new.pk}


def _dataset_of_two_versions(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"dataset_id": _two_versions(workspace, user)["dataset_id"]}


def _upload_to_map(workspace: Workspace, user: User) -> dict[str, Any]:
    content = b"number,question,reply\n1,Can I return a lamp?,Yes.\n"
    return {"upload_id": accepted(workspace, content, user, options=Options(format="pairs")).pk}


def _variable(workspace: Workspace, user: User) -> dict[str, Any]:
    return {
        "variable_id": variables.add(workspace=workspace, name="REGION", value="eu", by=user).pk
    }


def _format(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"format_id": "contract_v1"}


def _open_run(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"run_id": building.queued_run(workspace, by=user).pk}


def _ended_run(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"run_id": building.ended_run(workspace, by=user).pk}


def _legal_run(workspace: Workspace, user: User) -> dict[str, Any]:
    """Answers that came with rows of legal_eval_v1."""
    said = [{"role": "user", "content": "How?"}, {"role": "assistant", "content": "In writing."}]
    upload = uploads.accept_document(
        workspace=workspace,
        chunks=[legal.lines(legal.row(messages=said))],
        filename="legal.jsonl",
        by=user,
    )
    assert upload.version is not None
    return {"run_id": recorded_run(upload.version, by=user, now=timezone.now()).pk}


def _record_of_run(workspace: Workspace, user: User) -> dict[str, Any]:
    return {**_ended_run(workspace, user), "ordinal": 0}


def _pairs_version(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"version_id": pairs_version(workspace).pk}


def _result_of_run(workspace: Workspace, user: User) -> dict[str, Any]:
    return {**_ended_run(workspace, user), "index": 0}


def _artifact_of_run(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"run_id": building.kept_run(workspace, by=user).pk, "name": "run_manifest.json"}


def _kept_run(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"run_id": building.kept_run(workspace, by=user).pk}


def _contract(workspace: Workspace, user: User) -> dict[str, Any]:
    spec = starter_spec("exact")
    made = grading.create_contract(
        workspace=workspace, name="quality", spec=spec, by=user, now=timezone.now()
    )
    return {"contract_id": made.pk}


def _labelled_campaign(workspace: Workspace, user: User) -> dict[str, Any]:
    campaign = labelled.a_campaign(workspace)
    for person in ("bob", "dora"):
        labelled.say(campaign.questions.get(), person, ["true", "true", "false"])
    labelled.analysed(campaign)
    return {"campaign_id": campaign.pk}


def _done_export(workspace: Workspace, user: User) -> dict[str, Any]:
    export = exported(labelled.a_campaign(workspace), "labels", by=user)
    return {"campaign_id": export.campaign_id, "export_id": export.pk}


def _file_of_export(workspace: Workspace, user: User) -> dict[str, Any]:
    return {**_done_export(workspace, user), "name": "labels.csv"}


def _rule(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"rule_type": "exact_match"}


def _campaign(workspace: Workspace, user: User) -> dict[str, Any]:
    """Of people who are members, whoever calls."""
    dora, _ = User.objects.get_or_create(username="dora")
    Membership.objects.get_or_create(workspace=workspace, user=dora, role=Role.LEAD)
    return {"campaign_id": labeling.a_campaign(workspace, dora).pk}


def _disputed_campaign(workspace: Workspace, user: User) -> dict[str, Any]:
    """Whoever calls was asked to settle."""
    campaign = labelled.a_campaign(workspace)
    Assignment.objects.create(campaign=campaign, user=user, settles=True)
    return {"campaign_id": campaign.pk}


def _calibration(workspace: Workspace, user: User) -> dict[str, Any]:
    campaign = labelled.a_campaign(workspace)
    question = campaign.questions.all()[0]
    made = Calibration.objects.create(campaign=campaign, question=question, rule="grounding")
    return {"campaign_id": campaign.pk, "calibration_id": made.pk}


def _review(workspace: Workspace, user: User) -> dict[str, Any]:
    found = _disputed_campaign(workspace, user)
    question = Question.objects.get(campaign=found["campaign_id"])
    item = labelled.items_of(question.campaign)[0]
    Review.objects.create(item=item, question=question, reason=Review.Reason.TIE)
    return {**found, "item_id": item.pk, "question_id": question.pk}


def _review_by_id(workspace: Workspace, user: User) -> dict[str, Any]:
    found = _review(workspace, user)
    return {"review_id": f"{found['item_id']}-{found['question_id']}"}


def _answered_review(workspace: Workspace, user: User) -> dict[str, Any]:
    found = _review(workspace, user)
    review = Review.objects.select_related("question__campaign__workspace").get(
        item=found["item_id"], question=found["question_id"]
    )
    answer_blind(review, "true", by=user, now=timezone.now())
    return {"review_id": f"{found['item_id']}-{found['question_id']}"}


def _gate_policy(workspace: Workspace, user: User) -> dict[str, Any]:
    return {"policy_id": gates.a_policy(workspace, by=user).pk}


def _gate_decision(workspace: Workspace, user: User) -> dict[str, Any]:
    policy = gates.a_policy(workspace, by=user)
    return {"decision_id": gates.a_decision(gates.a_run(workspace, 15, 10), policy).pk}


def _gate_file(workspace: Workspace, user: User) -> dict[str, Any]:
    return {**_gate_decision(workspace, user), "form": "json"}


def _gate_webhook(workspace: Workspace, user: User) -> dict[str, Any]:
    made = GateWebhook.objects.create(
        workspace=workspace, url="https://ci.example.org/hook", secret_name="RELEASES_SIGNING_KEY"
    )
    return {"webhook_id": made.pk}


def _gate_message(workspace: Workspace, user: User) -> dict[str, Any]:
    webhook = _gate_webhook(workspace, user)["webhook_id"]
    decision = _gate_decision(workspace, user)["decision_id"]
    told = GateDelivery.objects.get(webhook=webhook, decision=decision)
    return {"delivery_id": told.pk}


def _place(workspace: Workspace, user: User) -> dict[str, Any]:
    """Of a record, whose runs the query names."""
    return {"ordinal": 0}


def _two_runs(workspace: Workspace, user: User) -> dict[str, Any]:
    baseline, candidate = comparing.two_runs(workspace, "++-" * 10, "+--" * 10)
    return {"run": [baseline.pk, candidate.pk], "baseline": baseline.pk, "candidate": candidate.pk}


# What the address of a page has behind its question mark, where it shows nothing without.
QUERIES: dict[str, Sample] = {
    "analysis:compare": _two_runs,
    "analysis:compare-records": _two_runs,
    "analysis:compare-record": _two_runs,
}

SAMPLES: dict[str, Sample] = {
    "analysis:compare-record": _place,
    "analysis:gate-policy": _gate_policy,
    "analysis:gate-policy-edit": _gate_policy,
    "analysis:gate-policy-archive": _gate_policy,
    "analysis:gate-policy-restore": _gate_policy,
    "analysis:gate-decide": _gate_policy,
    "analysis:gate-baseline": _gate_policy,
    "analysis:gate-baseline-withdraw": _gate_policy,
    "analysis:gate-decision": _gate_decision,
    "analysis:gate-decision-file": _gate_file,
    "analysis:gate-override": _gate_decision,
    "api:gate": _gate_decision,
    "api:gate-override": _gate_decision,
    "api:gate-policy": _gate_policy,
    "api:gate-policy-versions": _gate_policy,
    "api:gate-policy-baseline": _gate_policy,
    "analysis:gate-webhook-retire": _gate_webhook,
    "analysis:gate-webhook-again": _gate_webhook,
    "analysis:gate-message-again": _gate_message,
    "analysis:judges": _labelled_campaign,
    "analysis:match": _calibration,
    "labeling:labels": _labelled_campaign,
    "labeling:reviews": _disputed_campaign,
    "labeling:review": _review,
    "api:review": _review_by_id,
    "api:review-answer": _review_by_id,
    "api:review-settle": _answered_review,
    "labeling:agreed": _disputed_campaign,
    "api:campaign": _campaign,
    "api:campaign-close": _campaign,
    "api:campaign-sync": _campaign,
    "labeling:campaign": _campaign,
    "labeling:people": _campaign,
    "labeling:close": _campaign,
    "labeling:reopen": _campaign,
    "labeling:retry": _campaign,
    "labeling:sync": _campaign,
    "labeling:archive": _campaign,
    "labeling:restore": _campaign,
    "labeling:annotations": _dataset_version,
    "labeling:agreement": _labelled_campaign,
    "labeling:exports": _labelled_campaign,
    "labeling:export-zip": _done_export,
    "labeling:export-verify": _done_export,
    "labeling:export-cancel": _done_export,
    "labeling:export-file": _file_of_export,
    "api:campaign-agreement": _labelled_campaign,
    "api:campaign-judges": _labelled_campaign,
    "runs:detail": _ended_run,
    "runs:cancel": _open_run,
    "runs:resume": _ended_run,
    "runs:retry": _ended_run,
    "runs:regrade": _ended_run,
    "runs:clone": _ended_run,
    "runs:archive": _ended_run,
    "runs:restore": _ended_run,
    "runs:results": _ended_run,
    "runs:export-csv": _ended_run,
    "runs:export-jsonl": _ended_run,
    "runs:export-judgments": _legal_run,
    "runs:record": _record_of_run,
    "runs:label": _record_of_run,
    "runs:recorded": _pairs_version,
    "runs:artifacts": _kept_run,
    "runs:artifacts-zip": _kept_run,
    "runs:artifact": _artifact_of_run,
    "accounts:member-role": _another_member,
    "accounts:member-remove": _another_member,
    "accounts:invitation-revoke": _invitation,
    "accounts:token-revoke": _token,
    "datasets:archive": _dataset,
    "datasets:detail": _dataset,
    "datasets:format-schema": _format,
    "datasets:format-template": _format,
    "datasets:issues-csv": _upload,
    "datasets:issues-jsonl": _upload,
    "datasets:readiness": _scenarios,
    "datasets:record": _dataset_record,
    "datasets:report": _upload,
    "datasets:restore": _dataset,
    "datasets:upload-again": _upload,
    "datasets:upload-cancel": _upload,
    "datasets:upload-mapping": _upload_to_map,
    "datasets:upload-status": _upload,
    "datasets:compare": _dataset_of_two_versions,
    "datasets:variable-change": _variable,
    "datasets:variable-delete": _variable,
    "datasets:version": _dataset_version,
    "datasets:version-download": _dataset_version,
    "api:dataset": _dataset,
    "api:dataset-archive": _dataset,
    "api:dataset-restore": _dataset,
    "api:dataset-versions": _dataset,
    "api:format-schema": _format,
    "api:format-template": _format,
    "api:records": _dataset_version,
    "api:upload": _upload,
    "api:upload-issues": _upload,
    "api:version": _dataset_version,
    "api:version-compare": _two_versions,
    "api:version-export": _dataset_version,
    "api:version-runs": _dataset_version,
    "api:version-recorded-run": _pairs_version,
    "api:run": _open_run,
    "api:run-cancel": _open_run,
    "api:run-resume": _ended_run,
    "api:run-retry": _ended_run,
    "api:run-regrade": _ended_run,
    "api:run-results": _ended_run,
    "api:result-labels": _result_of_run,
    "api:run-judgments": _legal_run,
    "api:run-attempts": _ended_run,
    "api:run-artifacts": _kept_run,
    "api:run-artifact": _artifact_of_run,
    "api:run-verify": _kept_run,
    "api:campaign-exports": _labelled_campaign,
    "api:campaign-export": _done_export,
    "api:campaign-export-file": _file_of_export,
    "dashboards:try-contract": _contract,
    "grading:rule": _rule,
    "grading:detail": _contract,
    "grading:edit": _contract,
    "grading:diff": _contract,
    "grading:export-yaml": _contract,
    "grading:archive": _contract,
    "grading:restore": _contract,
    "traces:detail": _trace,
    "targets:detail": _target,
    "targets:edit": _target,
    "targets:test": _target,
    "targets:archive": _target,
    "targets:restore": _target,
    "api:contract": _contract,
    "api:contract-versions": _contract,
    "api:target": _target,
    "api:target-test": _target,
}

EXACT = {"rules": [{"type": "exact_match", "name": "exact"}]}

NO_HARM = {"slices": [{"metric": "pass_rate", "margin": 0.05}]}

# What an allowed request sends: a dict for pages (form) and API (JSON).
BODIES: dict[tuple[str, str], dict[str, Any]] = {
    ("api:gate-policies", "POST"): {"name": "releases", "spec": NO_HARM},
    ("api:gate-policy-versions", "POST"): {"spec": NO_HARM},
    ("api:gate-override", "POST"): {"answer": "pass", "reason": "The labels were wrong."},
    ("api:contracts", "POST"): {"name": "quality", "spec": EXACT},
    ("api:contract-versions", "POST"): {"spec": EXACT},
    ("runs:label", "POST"): {"primary": "other"},
    ("labeling:exports", "POST"): {"form": "labels"},
    ("api:review-answer", "POST"): {"labels": ["true"]},
    ("api:review-settle", "POST"): {"labels": ["true"]},
    ("api:campaign-exports", "POST"): {"form": "labels"},
    ("api:result-labels", "POST"): {"primary": "other"},
    ("api:targets", "POST"): {"name": "model", "spec": {"kind": "scripted"}},
    ("api:target", "PATCH"): {"name": "renamed"},
    ("accounts:members", "POST"): {"email": "dora@example.org", "role": "reviewer"},
    ("accounts:member-role", "POST"): {"role": "lead"},
    ("datasets:variables", "POST"): {"name": "REGION", "value": "eu"},
    ("accounts:tokens", "POST"): {"name": "nightly", "days": "30"},
}

# The addresses whose arguments name nothing of a workspace.
OF_NO_WORKSPACE = {
    "analysis:compare-record",
    "grading:rule",
    "datasets:format-schema",
    "datasets:format-template",
    "api:format-schema",
    "api:format-template",
}

# The addresses that need no sign-in. Think twice before you add one.
PUBLIC = {
    "health",
    "accounts:sign-in",
    "accounts:sign-out",
    "accounts:password-reset",
    "accounts:password-mailed",
    "accounts:password-choose",
    "accounts:password-chosen",
    "accounts:invitation",
    "labeling:webhook",  # Argilla calls it; heard only with the signature of our desk
}
